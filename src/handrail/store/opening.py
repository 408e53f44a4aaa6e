"""The one way to open the event log; only this file knows its kind of store."""

from importlib import import_module
from typing import Literal, Protocol, cast

from handrail.store.port import Store
from handrail.store.reopening import ReopeningStore

_STORES = {"": "handrail.store.sqlite"}
"""The module that opens a location, by the scheme; a plain path has none.

Named, not imported: a reader of one kind of log does not load the drivers of the others.
"""


class _StoreModule(Protocol):
    def open_store(self, location: str, *, read_only: bool) -> Store:
        """Open the log at a location; raises a StoreError if that fails."""
        ...


def open_log(location: str, mode: Literal["read", "write"]) -> Store:
    """Open the log at a path.

    Reading never changes or creates it: a log that does not exist is empty. A log for writing
    is opened at its first use, and again after a fault; `problem` says why it cannot be used.
    """
    scheme = location.partition("://")[0] if "://" in location else ""
    module = cast("_StoreModule", import_module(_STORES[scheme]))
    if mode == "read":
        return module.open_store(location, read_only=True)
    return ReopeningStore(lambda: module.open_store(location, read_only=False))
