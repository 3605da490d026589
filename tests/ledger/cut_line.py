"""A line to PostgreSQL that can be cut just after the server has done what it was asked.

The client has sent a command and the server has committed it; its answer is swallowed and the connection is
gone. This is the moment that a retry must survive.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from urllib.parse import quote, urlencode

from psycopg.conninfo import conninfo_to_dict


class CutLine:
    """Passes bytes on between a client and the server; `url` leads through it."""

    def __init__(self, url: str) -> None:
        place = {key: str(value) for key, value in conninfo_to_dict(url).items() if value is not None}
        self._host, self._port = place.get("host", "localhost"), int(place.get("port", 5432))
        self._door = socket.create_server(("127.0.0.1", 0))
        place |= {"host": "127.0.0.1", "port": str(self._door.getsockname()[1]), "sslmode": "disable"}
        self.url = f"postgresql:///{place.pop('dbname')}?{urlencode(place, quote_via=quote)}"
        self.cuts = 0
        self._marker: bytes | None = None
        self._open: list[socket.socket] = []
        Thread(target=self._let_in, daemon=True).start()

    def cut_after(self, marker: bytes) -> None:
        """Cut the line once, when the server answers whatever holds `marker`."""
        self._marker = marker

    def close(self) -> None:
        """Hang up on everybody."""
        for one in (self._door, *self._open):
            _hang_up(one)

    def _let_in(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._door.accept()
                server = self._reach()
                self._open += (client, server)
                asked: list[bytes] = []
                Thread(target=self._ask, args=(client, server, asked), daemon=True).start()
                Thread(target=self._answer, args=(server, client, asked), daemon=True).start()

    def _reach(self) -> socket.socket:
        if self._host.startswith("/"):
            server = socket.socket(socket.AF_UNIX)
            server.connect(f"{self._host}/.s.PGSQL.{self._port}")
            return server
        return socket.create_connection((self._host, self._port))

    def _ask(self, client: socket.socket, server: socket.socket, asked: list[bytes]) -> None:
        with suppress(OSError):
            while said := client.recv(65536):
                asked[:] = [said]
                server.sendall(said)
        _hang_up(server)

    def _answer(self, server: socket.socket, client: socket.socket, asked: list[bytes]) -> None:
        with suppress(OSError):
            while said := server.recv(65536):
                if self._marker and asked and self._marker in asked[0]:
                    self._marker = None
                    self.cuts += 1
                    break
                client.sendall(said)
        _hang_up(client)


def _hang_up(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
    line.close()


@contextmanager
def cut_line(url: str) -> Iterator[CutLine]:
    """A line to the server of `url`, whole until it is told otherwise."""
    line = CutLine(url)
    try:
        yield line
    finally:
        line.close()
