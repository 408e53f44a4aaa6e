"""The folder with the checkpoints of one fleet: a file for each."""

import os
from collections.abc import Iterator
from contextlib import suppress

from handrail.fleet.rollback.checkpoint_data import (
    FleetCheckpoint,
    decode_checkpoint,
    encode_checkpoint,
)
from handrail.fleet.rollback.errors import CheckpointDamagedError, CheckpointNotFoundError
from handrail.store.private_files import make_folder, replace_file

_ENDING = ".json"


class FleetCheckpointFiles:
    """Reads and writes checkpoints; a file is there as a whole or not at all."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def names(self) -> list[str]:
        """Return the names of all checkpoints, damaged ones too."""
        try:
            files = os.listdir(self.folder)
        except FileNotFoundError:
            return []
        return [name.removesuffix(_ENDING) for name in files if _is_record(name)]

    def newest_first(self) -> list[FleetCheckpoint]:
        """Return the checkpoints that can be read."""
        found = list(self._readable())
        return sorted(found, key=lambda each: (each.created_at, each.name), reverse=True)

    def find(self, typed: str) -> FleetCheckpoint:
        """Return the newest one with a name or label.

        Raises CheckpointNotFoundError, CheckpointDamagedError.
        """
        if typed in self.names():
            return self.read(typed)
        for each in self.newest_first():
            if each.is_called(typed):
                return each
        raise CheckpointNotFoundError(typed)

    def read(self, name: str) -> FleetCheckpoint:
        """Read one; raises CheckpointNotFoundError, CheckpointDamagedError."""
        try:
            with open(self._path(name), "rb") as file:
                return decode_checkpoint(name, file.read())
        except FileNotFoundError:
            raise CheckpointNotFoundError(name) from None
        except OSError as error:
            raise CheckpointDamagedError(name, str(error)) from None

    def write(self, checkpoint: FleetCheckpoint) -> None:
        """Write one, durably."""
        make_folder(self.folder)
        replace_file(self._path(checkpoint.name), encode_checkpoint(checkpoint), 0o600)

    def forget(self, name: str) -> None:
        """Remove one."""
        with suppress(FileNotFoundError):
            os.unlink(self._path(name))

    def _readable(self) -> Iterator[FleetCheckpoint]:
        for name in self.names():
            with suppress(CheckpointDamagedError, CheckpointNotFoundError):
                yield self.read(name)

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, f"{name}{_ENDING}")


def _is_record(file: str) -> bool:
    return file.endswith(_ENDING) and not file.startswith(".")
