"""Backups of a fleet's state, each behind its checksum, and the list of its tasks."""

import hashlib
import os
from contextlib import suppress

import msgspec

from handrail.fleet.engine.fleet_state import FleetState
from handrail.fleet.tasks.task import Task
from handrail.model.decodable import decodable
from handrail.store.private_files import make_folder, replace_file

BACKUPS_KEPT = 3
_DIGEST = 16
_BACKUP = "backup-"
_ASIDE = "aside-"
_ENDING = ".json"
_TASKS = "tasks.json"
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(FleetState)


@decodable
class TaskList(msgspec.Struct, frozen=True):
    """What a fleet has to do, without what became of it: the last resort if all else is lost."""

    folder: str = ""
    """The main work tree of the repository."""
    tasks: tuple[Task, ...] = ()


_list_decoder = msgspec.json.Decoder(TaskList)


def write_backup(folder: str, state: FleetState) -> str:
    """Write a backup, check it, and keep the last few; return its path."""
    make_folder(folder)
    path = os.path.join(folder, f"{_BACKUP}{state.seq:012}{_ENDING}")
    replace_file(path, seal(state), 0o600)
    with open(path, "rb") as file:
        unseal(file.read())
    for old in backups_in(folder)[BACKUPS_KEPT:]:
        with suppress(OSError):
            os.unlink(old)
    return path


def backups_in(folder: str) -> list[str]:
    """Return the backups, the newest one first."""
    return _files(folder, _BACKUP)


def last_of_backup(path: str) -> int:
    """Return the number of the last event in a backup, by its name."""
    digits = os.path.basename(path).removeprefix(_BACKUP).removesuffix(_ENDING)
    return int(digits) if digits.isdecimal() else 0


def set_backups_aside(folder: str) -> None:
    """Keep the backups of a lost log under other names: their numbers mean nothing any more."""
    for path in backups_in(folder):
        with suppress(OSError):
            os.replace(path, os.path.join(folder, _ASIDE + os.path.basename(path)))
    for old in _files(folder, _ASIDE)[BACKUPS_KEPT:]:
        with suppress(OSError):
            os.unlink(old)


def write_task_list(folder: str, listed: TaskList) -> None:
    """Write down the tasks of a fleet."""
    make_folder(folder)
    replace_file(os.path.join(folder, _TASKS), _encoder.encode(listed), 0o600)


def read_task_list(folder: str) -> TaskList:
    """Return the tasks of a fleet; none if the list is missing or damaged."""
    if not folder:
        return TaskList()
    try:
        with open(os.path.join(folder, _TASKS), "rb") as file:
            return _list_decoder.decode(file.read())
    except (OSError, ValueError, RecursionError):
        return TaskList()


def seal(state: FleetState) -> bytes:
    """Encode a state behind its checksum."""
    body = _encoder.encode(state)
    return _digest(body) + b"\n" + body


def unseal(data: bytes) -> FleetState:
    """Decode a sealed state; raises ValueError if it is damaged."""
    digest, _, body = data.partition(b"\n")
    if digest != _digest(body):
        raise ValueError("its checksum does not match")
    return _decoder.decode(body)


def _files(folder: str, prefix: str) -> list[str]:
    """Return the files with a prefix, the highest number first."""
    try:
        names = sorted(each for each in os.listdir(folder) if each.startswith(prefix))
    except OSError:
        return []
    return [os.path.join(folder, each) for each in reversed(names)]


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGEST).hexdigest().encode()
