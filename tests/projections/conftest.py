"""A ledger whose projections are asked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from psycopg import Connection

from ledger.database import connect

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture
def conn(fresh_ledger: str) -> Iterator[Connection[Any]]:
    """A connection to a fresh ledger."""
    with connect(fresh_ledger) as connection:
        yield connection


@pytest.fixture(scope="session")
def expected() -> dict[str, Any]:
    """What the engine that played the nights says of them."""
    nights = ("ia-night", "pa-crapless-night")
    return {night: orjson.loads((DATA / f"{night}.expected.json").read_bytes()) for night in nights}
