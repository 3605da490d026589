"""A headless Chromium for the tests, spoken to over a pipe: no driver, no port, no network.

The protocol is the browser's own (DevTools): JSON messages that end in NUL, written to its file 3 and read
from its file 4.
"""

import json
import os
import shutil
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import F_DUPFD, fcntl
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --remote-debugging-pipe"
).split()
_AS_FILES_3_AND_4 = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
PATIENCE = 60  # seconds for an answer


class Page:
    """One open page, and every address that it asked for."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back = os.fdopen(to, "wb", buffering=0), os.fdopen(back, "rb", buffering=0)
        self._left = b""
        self._number = 0
        self._session: str | None = None
        self.asked_for: list[str] = []
        self.complaints: list[str] = []

    def attach(self) -> None:
        """Open a page and listen to its network and its console."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask the browser for something and wait for the answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._to.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer)
                result: dict[str, Any] = answer["result"]
                return result
            self._remember(answer)

    def open(self, path: Path) -> None:
        """Open a file and wait until it is loaded."""
        self.call("Page.navigate", url=path.as_uri())
        while not self.ask("document.readyState === 'complete' && location.protocol === 'file:'"):
            pass

    def ask(self, script: str) -> Any:
        """What a script says on the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def size(self, width: int, height: int) -> None:
        """Look at the page on a screen of another size."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=True
        )

    def print(self) -> bytes:
        """The page printed, as PDF."""
        return b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            more = self._back.read(1 << 16)
            assert more, "the browser went away"
            self._left += more
        message, _, self._left = self._left.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def _remember(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            self.asked_for.append(params["request"]["url"])
        elif event.get("method") == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))

    def close(self) -> None:
        self._to.close()
        self._back.close()


@contextmanager
def browsing(profile: Path) -> Iterator[Page]:
    """A browser with a profile of its own, ended with the block."""
    assert PROGRAM is not None
    (low_in, ours_out), (ours_in, low_out) = os.pipe(), os.pipe()
    theirs = [fcntl(low, F_DUPFD, 10) for low in (low_in, low_out)]  # clear of 3 and 4, which it reads
    command = [sys.executable, "-c", _AS_FILES_3_AND_4, *map(str, theirs), PROGRAM, *FLAGS]
    with subprocess.Popen(
        [*command, f"--user-data-dir={profile}"],
        pass_fds=theirs,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as browser:
        for file in (low_in, low_out, *theirs):
            os.close(file)
        page = Page(ours_out, ours_in)
        try:
            page.attach()
            yield page
        finally:
            page.close()
            browser.terminate()
            browser.wait(PATIENCE)
