"""How completely a fleet was recovered after damage: its state, agents, tasks and so on."""

import msgspec

from handrail.control.timestamp import format_timestamp
from handrail.fleet.engine.events import Completeness, RecoveredKind
from handrail.fleet.engine.state_loading import LoadedFleet, StateSource
from handrail.fleet.reports.figures import count
from handrail.model.decodable import decodable


@decodable
class FleetRecovery(msgspec.Struct, frozen=True):
    """How a fleet was recovered."""

    source: StateSource
    problems: tuple[str, ...]
    """Why the better sources were not used."""
    kinds: tuple[RecoveredKind, ...]


def recovery_after(loaded: LoadedFleet) -> FleetRecovery | None:
    """Return how a fleet was recovered; None: nothing was damaged."""
    if loaded.is_whole and not loaded.problems:
        return None
    kinds = (_replayed if loaded.is_whole else _KINDS.get(loaded.source, _from_files))(loaded)
    return FleetRecovery(loaded.source, loaded.problems, kinds)


def _replayed(loaded: LoadedFleet) -> tuple[RecoveredKind, ...]:
    """Nothing is lost: the snapshot was damaged, or events that a backup knows."""
    return (
        RecoveredKind("state", "complete", f"{count(loaded.state.seq, 'event')} read again"),
        RecoveredKind("agents", "complete", f"{len(loaded.state.active()):,} at work"),
        RecoveredKind("tasks", "complete", f"{len(loaded.state.tasks):,}"),
        RecoveredKind("workspaces", "complete", f"{_workspaces(loaded):,}"),
        RecoveredKind("conversation", "complete", f"{count(_runs(loaded), 'run')} known"),
    )


def _from_backup(loaded: LoadedFleet) -> tuple[RecoveredKind, ...]:
    """Everything is as it was at the backup; whatever came later is lost."""
    when = f"as of {format_timestamp(loaded.state.changed)}"
    return (
        RecoveredKind("state", "partly", f"{when}; later events are lost"),
        RecoveredKind("agents", "lost", "their tasks are pending again"),
        RecoveredKind("tasks", "partly", f"{len(loaded.state.tasks):,}, {when}"),
        RecoveredKind("workspaces", "partly", f"{_workspaces(loaded):,}, {when}"),
        RecoveredKind("conversation", "partly", f"{count(_runs(loaded), 'run')} known, {when}"),
    )


def _from_files(loaded: LoadedFleet) -> tuple[RecoveredKind, ...]:
    """Only what stands in files is left: attempts, costs and results are lost."""
    tasks, workspaces = len(loaded.state.tasks), _workspaces(loaded)
    return (
        RecoveredKind("state", "lost", "attempts, results and costs are not known"),
        RecoveredKind("agents", "lost", "nobody knows who was at work"),
        RecoveredKind(
            "tasks", _found(tasks), f"{tasks:,} from the list of tasks; they wait for you"
        ),
        RecoveredKind("workspaces", _found(workspaces), f"{workspaces:,} found on the disk"),
        RecoveredKind("conversation", "lost", "the runs of earlier attempts are not known"),
    )


_KINDS = {StateSource.BACKUP: _from_backup, StateSource.REBUILT: _from_files}


def _found(number: int) -> Completeness:
    return "partly" if number else "lost"


def _workspaces(loaded: LoadedFleet) -> int:
    return sum(each.workspace is not None for each in loaded.state.tasks.values())


def _runs(loaded: LoadedFleet) -> int:
    return sum(bool(each.run) for each in loaded.state.tasks.values())
