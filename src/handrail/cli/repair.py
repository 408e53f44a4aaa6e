"""Putting a damaged log aside."""

import os
import time
from contextlib import closing, suppress

from handrail.server.home import Home
from handrail.server.start import stop_daemon
from handrail.store.errors import DamagedError
from handrail.store.journal import decode
from handrail.store.sqlite import SqliteStore

_PARTS = ("", "-wal", "-shm")


def move_damaged_log(home: Home) -> str:
    """Rename a log that cannot be read, with what belongs to it; its new name, or nothing."""
    if not os.path.exists(home.log) or not _damaged(home.log):
        return ""
    stop_daemon(home)
    aside = f"{home.log}.damaged-{time.strftime('%Y%m%d-%H%M%S')}"
    for part in _PARTS:
        with suppress(FileNotFoundError):
            os.rename(home.log + part, aside + part)
    return aside


def _damaged(path: str) -> bool:
    try:
        with closing(SqliteStore(path, read_only=True)) as store:
            after = 0
            while page := store.read_all(after):
                for stored in page:
                    decode(stored)
                after = page[-1].position
    except DamagedError:
        return True
    return False
