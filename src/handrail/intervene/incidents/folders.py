"""Write, read, resolve and remove the folders of incidents."""

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from typing import TypeVar

import msgspec

from handrail.intervene.incidents.record import Incident
from handrail.model.decodable import decodable

T = TypeVar("T")

RECORD = "incident.json"
REPORT = "report.md"
STATE = "state.json"
RESOLVED = "resolved.json"
DAY = 86_400.0
_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
_TEMPORARY = ".new-"


@decodable
class Resolution(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person's decision about an incident."""

    at: float
    option: str
    note: str = ""


@decodable
class StoredIncident(msgspec.Struct, frozen=True):
    """An incident on the disk."""

    record: Incident
    resolution: Resolution | None = None
    """None: it is open."""


class IncidentError(Exception):
    """An incident cannot be written or read."""

    def __init__(self, incident: str, says: str) -> None:
        super().__init__(f"incident {incident}: {says}")
        self.incident = incident
        self.says = says


class NoSuchIncidentError(IncidentError, LookupError):
    """There is no such incident."""

    def __init__(self, incident: str) -> None:
        super().__init__(incident, "there is none with this name")


class IncidentFolders:
    """The incidents of a user, each in its own folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def save(self, record: Incident, report: str, state: object = None) -> str:
        """Write or replace an incident and its report, whole or not at all; return the folder.

        `state`: the state of the run without secrets, where it is known. Raises IncidentError,
        for a full disk for example.
        """
        target = self.path(record.id)
        files = {
            RECORD: msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n",
            REPORT: report.encode("utf-8", "replace"),
        }
        if state is not None:
            files[STATE] = msgspec.json.format(msgspec.json.encode(state), indent=2) + b"\n"
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            os.chmod(self.folder, 0o700)
            if not self._put_new(target, files):
                self._check_same(record)
                for name, data in files.items():
                    _replace(os.path.join(target, name), data)
        except OSError as error:
            raise IncidentError(record.id, f"not written: {error}") from error
        return target

    def path(self, incident: str) -> str:
        """Return the folder of an incident; no name from a log or a person leads elsewhere."""
        if not _ID.fullmatch(incident):
            raise NoSuchIncidentError(incident)
        return os.path.join(self.folder, incident)

    def read(self, incident: str) -> StoredIncident:
        """Return an incident, and its resolution."""
        folder = self.path(incident)
        try:
            record = _read(os.path.join(folder, RECORD), Incident)
        except (FileNotFoundError, NotADirectoryError):
            raise NoSuchIncidentError(incident) from None
        except (OSError, ValueError) as error:
            raise IncidentError(incident, f"{RECORD} cannot be read: {error}") from None
        resolution: Resolution | None = None
        with suppress(OSError, ValueError):
            resolution = _read(os.path.join(folder, RESOLVED), Resolution)
        return StoredIncident(record, resolution)

    def report(self, incident: str) -> str:
        """Return the report of an incident."""
        try:
            with open(os.path.join(self.path(incident), REPORT), encoding="utf-8") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            raise NoSuchIncidentError(incident) from None

    def names(self) -> list[str]:
        """Return the names of all incidents, the newest first."""
        try:
            found = os.listdir(self.folder)
        except FileNotFoundError:
            return []
        return sorted(filter(_ID.fullmatch, found), reverse=True)

    def __iter__(self) -> Iterator[StoredIncident]:
        for name in self.names():
            with suppress(IncidentError):
                yield self.read(name)

    def resolve(self, incident: str, resolution: Resolution) -> None:
        """Write a person's decision."""
        folder = self.path(incident)
        if not os.path.isdir(folder):
            raise NoSuchIncidentError(incident)
        try:
            _replace(os.path.join(folder, RESOLVED), msgspec.json.encode(resolution))
        except OSError as error:
            raise IncidentError(incident, f"not written: {error}") from error

    def remove_old(self, days: int, now: float) -> list[str]:
        """Remove incidents older than so many days; return their names."""
        removed = []
        with suppress(FileNotFoundError):
            for name in os.listdir(self.folder):
                limit = DAY if name.startswith(_TEMPORARY) else days * DAY
                if self._written(name) < now - limit:
                    shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)
                    removed.append(name)
        return sorted(name for name in removed if not name.startswith(_TEMPORARY))

    def _written(self, name: str) -> float:
        try:
            return self.read(name).record.at
        except IncidentError:
            try:
                return os.lstat(os.path.join(self.folder, name)).st_mtime
            except OSError:
                return float("inf")

    def _put_new(self, target: str, files: dict[str, bytes]) -> bool:
        """Move a new folder into place; False if there is one already."""
        if os.path.isdir(target):
            return False
        fresh = os.path.join(self.folder, f"{_TEMPORARY}{secrets.token_hex(6)}")
        os.mkdir(fresh, 0o700)
        try:
            for name, data in files.items():
                _write(os.path.join(fresh, name), data)
            os.rename(fresh, target)
        except OSError:
            shutil.rmtree(fresh, ignore_errors=True)
            if os.path.isdir(target):  # another process was quicker
                return False
            raise
        return True

    def _check_same(self, record: Incident) -> None:
        with suppress(IncidentError):
            there = self.read(record.id).record
            if there.run != record.run:
                raise OSError(f"{record.id} is an incident of run {there.run}")


def _replace(path: str, data: bytes) -> None:
    fresh = f"{path}.{secrets.token_hex(6)}"
    try:
        _write(fresh, data)
        os.replace(fresh, path)
    except OSError:
        with suppress(OSError):
            os.unlink(fresh)
        raise


def _write(path: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _read(path: str, kind: type[T]) -> T:
    with open(path, "rb") as file:
        return msgspec.json.decode(file.read(), type=kind)
