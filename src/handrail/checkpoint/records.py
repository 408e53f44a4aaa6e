"""The records of a project's checkpoints: one small JSON file each."""

import os
import re
from collections.abc import Iterator

import msgspec

from handrail.checkpoint.errors import NoSuchCheckpointError
from handrail.checkpoint.record import CheckpointRecord

_FILE = re.compile(r"c(\d{1,9})\.json")


class CheckpointRecords:
    """A folder of records; a damaged one is as if it were not there."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def numbers(self) -> list[int]:
        """All there are, the newest last."""
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        return sorted(int(found[1]) for name in names if (found := _FILE.fullmatch(name)))

    def newest_first(self, work_tree: str = "") -> Iterator[CheckpointRecord]:
        """The records of a work tree, or of all."""
        for number in reversed(self.numbers()):
            record = self.read(number)
            if record is not None and work_tree in ("", record.work_tree):
                yield record

    def last(self, work_tree: str) -> CheckpointRecord | None:
        """The newest of a work tree."""
        return next(self.newest_first(work_tree), None)

    def find(self, typed: str, work_tree: str = "") -> CheckpointRecord:
        """The newest that may be meant; raises NoSuchCheckpointError."""
        for record in self.newest_first(work_tree):
            if record.is_called(typed):
                return record
        raise NoSuchCheckpointError(typed)

    def read(self, number: int) -> CheckpointRecord | None:
        """One of them; None if it cannot be read."""
        try:
            with open(self._path(number), "rb") as file:
                return msgspec.json.decode(file.read(), type=CheckpointRecord)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None

    def write(self, record: CheckpointRecord, *, durable: bool = True) -> None:
        """Keep a record, whole or not at all."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        fresh = f"{self._path(record.number)}.new"
        with open(fresh, "wb") as file:
            file.write(msgspec.json.encode(record))
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(fresh, self._path(record.number))
        if durable:
            _sync_folder(self._folder)

    def forget(self, number: int) -> None:
        """Remove one."""
        os.unlink(self._path(number))

    def _path(self, number: int) -> str:
        return os.path.join(self._folder, f"c{number}.json")


def _sync_folder(folder: str) -> None:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
