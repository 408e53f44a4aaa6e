"""Tell whether a person means the checkpoint of a fleet, or of the files of a folder alone."""

import os

from handrail.checkpoint import CheckpointStore, CheckpointTrigger
from handrail.fleet.engine.engine import FleetError
from handrail.fleet.engine.state_loading import topic_of
from handrail.fleet.rollback.checkpoint_data import FleetCheckpoint
from handrail.fleet.rollback.checkpoint_files import FleetCheckpointFiles
from handrail.fleet.rollback.errors import CheckpointNotFoundError
from handrail.fleet.rollback.journal import RollbackJournal
from handrail.fleet.workspaces.repository import FleetRepository, find_repository
from handrail.server.fleet.places import fleet_folder
from handrail.store.port import Store


def fleet_at(store: Store, folder: str) -> FleetRepository | None:
    """Return the fleet of a main work tree, if it has any tasks; starts no daemon."""
    try:
        repository = find_repository(folder)
    except FleetError:
        return None
    if repository.top != os.path.realpath(folder):
        return None  # a workspace, or another worktree: its files are a project of their own
    return repository if store.read(topic_of(repository.fleet), 0, 1) else None


def find_fleet_checkpoint(home: str, fleet: str, typed: str) -> FleetCheckpoint | None:
    """Return a fleet's checkpoint with a name or label; None: it has none.

    Raises FleetCheckpointError.
    """
    try:
        return FleetCheckpointFiles(os.path.join(fleet_folder(home, fleet), "checkpoints")).find(
            typed
        )
    except CheckpointNotFoundError:
        return None


def meant_fleet_checkpoint(
    home: str, fleet: str, checkpoints: CheckpointStore, typed: str
) -> FleetCheckpoint | None:
    """Return the fleet's checkpoint, unless a newer one of the files alone has the same name.

    Raises FleetCheckpointError.
    """
    of_files = next((each for each in checkpoints.newest_first() if each.is_called(typed)), None)
    if of_files is not None and of_files.name != typed:
        # An id: of the main tree's files in a checkpoint of the fleet, it means all of that.
        typed = of_files.name
    found = find_fleet_checkpoint(home, fleet, typed) if typed else None
    if found is None or found.name == typed or of_files is None:
        return found
    return None if of_files.created_at > found.created_at else found


def redo_means_fleet(home: str, fleet: str, checkpoints: CheckpointStore) -> bool:
    """Return whether the last thing that went back in a folder is its fleet."""
    last = RollbackJournal(fleet_folder(home, fleet)).last()
    if last is None:
        return False
    restored = next(
        (e for e in checkpoints.newest_first() if e.moment is CheckpointTrigger.RESTORED), None
    )
    return restored is None or restored.created_at.timestamp() <= last.at
