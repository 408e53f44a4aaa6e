"""The records of a project's checkpoints: one small JSON file each."""

import os
import re
from collections.abc import Iterator

import msgspec

from handrail.checkpoint.errors import NoSuchCheckpointError
from handrail.checkpoint.files import read_json, replace_file
from handrail.checkpoint.record import CheckpointRecord

_FILE = re.compile(r"c(\d{1,9})\.json")


class CheckpointRecords:
    """A folder of records; a damaged record is passed over."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def numbers(self) -> list[int]:
        """The numbers of all records, the newest last."""
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        return sorted(int(found[1]) for name in names if (found := _FILE.fullmatch(name)))

    def newest_first(self, work_tree: str = "") -> Iterator[CheckpointRecord]:
        """The records of one work tree, or of all work trees."""
        for number in reversed(self.numbers()):
            record = self.read(number)
            if record is not None and work_tree in ("", record.work_tree):
                yield record

    def last(self, work_tree: str) -> CheckpointRecord | None:
        """The newest record of a work tree."""
        return next(self.newest_first(work_tree), None)

    def find(self, typed: str, work_tree: str = "") -> CheckpointRecord:
        """The newest record that has this id, name or commit; raises NoSuchCheckpointError."""
        for record in self.newest_first(work_tree):
            if record.is_called(typed):
                return record
        raise NoSuchCheckpointError(typed)

    def read(self, number: int) -> CheckpointRecord | None:
        """The record with a number; None if it cannot be read."""
        return read_json(self._path(number), CheckpointRecord)

    def write(self, record: CheckpointRecord, *, durable: bool = True) -> None:
        """Write a record, whole or not at all."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        replace_file(self._path(record.number), msgspec.json.encode(record), durable=durable)

    def forget(self, number: int) -> None:
        """Remove the record with a number."""
        os.unlink(self._path(number))

    def _path(self, number: int) -> str:
        return os.path.join(self._folder, f"c{number}.json")
