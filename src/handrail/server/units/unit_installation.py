"""Write, remove, start and stop the units of a service manager."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

import msgspec

from handrail.hosts.settings_file import (
    FileChange,
    FileChangePlan,
    checksum,
    missing_folders,
    read,
    remove_folders,
)
from handrail.model.decodable import decodable
from handrail.model.state_folder import state_folder
from handrail.server.home import SERVE, Home
from handrail.server.units.service_manager import MANAGERS, ServiceManager, run_manager_command
from handrail.server.units.unit_texts import GuardedService
from handrail.store.private_files import replace_file


class UnitError(Exception):
    """The service manager did not take the units."""


@decodable
class UnitRecord(msgspec.Struct, frozen=True):
    """The units that are installed."""

    manager: str
    name: str
    files: tuple[FileChange, ...]


class UnitPlan(msgspec.Struct, frozen=True):
    """What an installation of units changes, or a removal."""

    record: UnitRecord
    files: tuple[FileChangePlan, ...]

    @property
    def changes(self) -> bool:
        """Return whether any file changes."""
        return any(each.changes for each in self.files)


def installed_units(home: Home) -> UnitRecord | None:
    """Return the units of this state folder; an unreadable record counts as none."""
    try:
        return msgspec.json.decode(read(home.units) or b"null", type=UnitRecord | None)
    except (ValueError, OSError):
        return None


def plan_units(
    home: Home, manager: ServiceManager, environ: Mapping[str, str], port: int | str
) -> UnitPlan:
    """Plan the units of a manager for this state folder."""
    name = _name(home, environ)
    service = GuardedService(name, home.socket, port, SERVE, _environment(home, environ))
    known = installed_units(home)
    originals = {each.path: each for each in known.files} if known else {}
    folder = manager.unit_folder(environ)
    changes, plans = [], []
    for file, after in manager.texts(service).items():
        path = os.path.join(folder, file)
        plan = FileChangePlan(path, read(path), after)
        was = originals.get(path)
        made = was.made if was else missing_folders(path)
        changes.append(
            FileChange(path, was.original if was else plan.before, checksum(after), made)
        )
        plans.append(plan)
    return UnitPlan(UnitRecord(manager.name, name, tuple(changes)), tuple(plans))


def _environment(home: Home, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that are the same in every session, so that units stay the same."""
    needed = home.environment(environ).items()
    return {
        name: value
        for name, value in needed
        if not name.startswith("XDG_") or name.endswith("_HOME")
    }


def _name(home: Home, environ: Mapping[str, str]) -> str:
    """Return the name of the units: a state folder other than the usual one has its own."""
    usual = state_folder({key: environ[key] for key in environ if key != "HANDRAIL_HOME"})
    if home.path == usual:
        return "handrail"
    return f"handrail-{hashlib.sha256(os.fsencode(home.path)).hexdigest()[:12]}"


@contextmanager
def installing_units(plan: UnitPlan, home: Home, environ: Mapping[str, str]) -> Iterator[None]:
    """Write the files and load them; undo both if the block fails. Raises UnitError.

    The record comes first: whoever starts a guardian from now on starts the units.
    """
    home.prepare()
    earlier = installed_units(home)
    _save(home, plan.record)
    try:
        for each in plan.files:
            each.carry_out()
        _load(plan.record, environ)
        yield
    except BaseException:
        now = (FileChangePlan(each.path, read(each.path), each.before) for each in plan.files)
        remove_units(UnitPlan(plan.record, tuple(now)), home, environ)
        if earlier is not None:
            _save(home, earlier)
            with suppress(UnitError):
                _load(earlier, environ)
        raise


def _save(home: Home, record: UnitRecord | None) -> None:
    """Save the record; never delete it, because a daemon would put it back."""
    replace_file(home.units, msgspec.json.encode(record), 0o600)


def _load(record: UnitRecord, environ: Mapping[str, str]) -> None:
    manager = MANAGERS[record.manager]
    for command in manager.load:
        if says := run_manager_command(command, environ, record.name):
            raise UnitError(f"{manager.name} did not take the units: {says}")


def plan_unit_removal(home: Home) -> UnitPlan | None:
    """Plan the removal of the units; None if there are none."""
    record = installed_units(home)
    if record is None:
        return None
    files = [FileChangePlan(each.path, read(each.path), each.original) for each in record.files]
    return UnitPlan(record, tuple(files))


def remove_units(plan: UnitPlan, home: Home, environ: Mapping[str, str]) -> None:
    """Stop and remove the units. The record goes first, so that no hook starts them again."""
    record = plan.record
    _save(home, None)
    try:
        _withdraw(plan, MANAGERS[record.manager], environ)
    except BaseException:
        _save(home, record)
        raise


def _withdraw(plan: UnitPlan, manager: ServiceManager, environ: Mapping[str, str]) -> None:
    for command in (manager.stop, *manager.unload):
        run_manager_command(command, environ, plan.record.name)
    folder = os.path.dirname(plan.files[0].path)
    for link in manager.links:
        path = os.path.join(folder, link.format(name=plan.record.name))
        with suppress(OSError):  # as a rule the manager has removed both
            os.unlink(path)
            os.rmdir(os.path.dirname(path))
    for each, change in zip(plan.files, plan.record.files, strict=True):
        each.carry_out()
        if each.after is None:
            remove_folders(change.made)
    for command in manager.forget:
        run_manager_command(command, environ, plan.record.name)


def start_units(home: Home, environ: Mapping[str, str]) -> bool:
    """Let the service manager start the guardian; return whether it did."""
    record = installed_units(home)
    if record is None or (manager := MANAGERS.get(record.manager)) is None:
        return False
    file = record.files[0].path
    return any(
        run_manager_command(command, environ, record.name, file) == "" for command in manager.start
    )


def stop_units(home: Home, environ: Mapping[str, str]) -> None:
    """Let the service manager stop the guardian and close the sockets, if it has units."""
    record = installed_units(home)
    if record is not None and (manager := MANAGERS.get(record.manager)) is not None:
        run_manager_command(manager.stop, environ, record.name)


def damaged_unit(record: UnitRecord) -> str:
    """Return the path of a unit file that is missing or changed, or ""."""
    for each in record.files:
        data = read(each.path)
        if data is None or checksum(data) != each.after:
            return each.path
    return ""


def are_active(record: UnitRecord, environ: Mapping[str, str]) -> bool:
    """Return whether the service manager holds the sockets."""
    manager = MANAGERS.get(record.manager)
    return (
        manager is not None and run_manager_command(manager.is_active, environ, record.name) == ""
    )
