"""What can go wrong with the checkpoints of a fleet.

FleetCheckpointError
├── CheckpointNotFoundError   there is no checkpoint with this name
├── CheckpointDamagedError    its record or its files cannot be read any more
├── CommitMissingError        the repository has lost a commit that it needs
├── RollbackBusyError         another rollback is under way
└── NothingToRedoError        no rollback is left to take back
"""

from collections.abc import Sequence

from handrail.fleet.engine.engine import FleetError


class FleetCheckpointError(FleetError):
    """A fleet could not be saved, or not be taken back."""

    code = "CHECKPOINT_FAILED"
    """For programs."""


class CheckpointNotFoundError(FleetCheckpointError, LookupError):
    """There is no such checkpoint."""

    code = "CHECKPOINT_NOT_FOUND"

    def __init__(self, typed: str) -> None:
        super().__init__(f"the fleet has no checkpoint {typed!r}; see handrail checkpoints")
        self.typed = typed


class CheckpointDamagedError(FleetCheckpointError, ValueError):
    """A checkpoint cannot be used any more."""

    code = "CHECKPOINT_DAMAGED"

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"the checkpoint {name} is damaged: {why}; nothing was changed")
        self.name = name
        self.why = why


class CommitMissingError(FleetCheckpointError):
    """The repository does not have a commit that a checkpoint needs."""

    code = "COMMIT_MISSING"

    def __init__(self, name: str, commits: Sequence[str]) -> None:
        listed = ", ".join(each[:12] for each in commits)
        super().__init__(
            f"the repository has lost commits of the checkpoint {name}: {listed}; "
            "nothing was changed"
        )
        self.name = name
        self.commits = tuple(commits)


class RollbackBusyError(FleetCheckpointError):
    """One rollback at a time."""

    code = "ROLLBACK_UNDER_WAY"

    def __init__(self, target: str) -> None:
        super().__init__(f"a rollback to {target} is under way; wait for its end")


class NothingToRedoError(FleetCheckpointError, LookupError):
    """There is no rollback to take back."""

    code = "NOTHING_TO_REDO"

    def __init__(self) -> None:
        super().__init__("the fleet has no rollback that could be taken back")
