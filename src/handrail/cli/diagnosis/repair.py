"""Move a damaged log aside."""

from contextlib import closing

from handrail.server.home import Home
from handrail.server.launcher import stop_daemon
from handrail.store.decoding import decode
from handrail.store.errors import DamagedError
from handrail.store.opening import open_log
from handrail.store.port import Store


def move_damaged_log(home: Home) -> str:
    """Move the log aside if it is damaged; return its new path, or ""."""
    with closing(open_log(home.log, "read")) as store:
        if not _damaged(store):
            return ""
        stop_daemon(home)
        return store.set_aside()


def _damaged(store: Store) -> bool:
    try:
        after = 0
        while page := store.read_all(after):
            for stored in page:
                decode(stored)
            after = page[-1].position
    except DamagedError:
        return True
    return False
