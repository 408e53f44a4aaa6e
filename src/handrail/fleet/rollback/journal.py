"""Which rollback is under way, and which one can be taken back: one small file each."""

import os
from contextlib import suppress

import msgspec

from handrail.checkpoint.files import read_json
from handrail.model.decodable import decodable
from handrail.store.private_files import make_folder, replace_file


@decodable
class RollbackOrder(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rollback that a person has confirmed."""

    id: str
    top: str
    """The main tree."""
    target: str
    """The checkpoint to go back to."""
    before: str
    """The checkpoint of now, which the rollback takes first."""
    by: str = ""
    keep: bool = False
    """Leave the workspaces and branches that were made since."""
    over: bool = False
    """Overwrite files that others changed since."""
    redo: bool = False
    """It takes back the last rollback."""


@decodable
class LastRollback(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rollback that a redo takes back."""

    target: str
    before: str
    at: float
    main_undo: str = ""
    """The checkpoint of the main tree's files just before they were restored."""
    redone: bool = False
    """It was taken back already."""


class RollbackJournal:
    """The files of one fleet; the daemon alone writes them."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @property
    def is_open(self) -> bool:
        """Return whether a rollback is under way, or was killed."""
        return os.path.exists(self._under_way)

    def read(self) -> RollbackOrder | None:
        """Return the rollback under way."""
        return read_json(self._under_way, RollbackOrder)

    def begin(self, order: RollbackOrder) -> None:
        """Note a rollback, durably: from now on it is finished, whoever is killed."""
        self._write(self._under_way, order)

    def end(self, last: LastRollback) -> None:
        """Note that it is over; `last`: what a redo takes back."""
        self._write(self._last, last)
        _remove(self._under_way)

    def abort(self) -> None:
        """Note that it was given up before it changed anything."""
        _remove(self._under_way)

    def last(self) -> LastRollback | None:
        """Return the last rollback, even if it was taken back."""
        return read_json(self._last, LastRollback)

    def _write(self, path: str, what: msgspec.Struct) -> None:
        make_folder(self._folder)
        replace_file(path, msgspec.json.encode(what), 0o600)

    @property
    def _under_way(self) -> str:
        return os.path.join(self._folder, "rollback.json")

    @property
    def _last(self) -> str:
        return os.path.join(self._folder, "last_rollback.json")


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
