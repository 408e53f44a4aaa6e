"""A checkpoint before an action: its urgency, its content, its result."""

from collections.abc import Awaitable, Callable
from enum import IntEnum
from typing import Protocol

import msgspec

from handrail.config.checkpoints import Checkpoints
from handrail.config.trash import Trash
from handrail.review.judgment.checkpoint_cover import CheckpointCover
from handrail.review.overwrites import PossibleOverwrites
from handrail.supervise.state.run_state import RunState


class CheckpointUrgency(IntEnum):
    """How urgently an action needs a checkpoint."""

    QUIET = 1
    """It changes something: wait only for a checkpoint that is just being taken."""
    CODE = 2
    """It runs code with unknown effects on the files."""
    CHANGE = 3
    """It deletes or rewrites files without the tools for that."""
    MUST = 4
    """It may run only because a checkpoint can undo it."""


class CopyRequest(msgspec.Struct, frozen=True):
    """The files to copy before an action overwrites them, unless a checkpoint covers them."""

    action: str
    """The id of the action."""
    overwrites: PossibleOverwrites
    settings: Trash
    began: float = 0.0
    """When the run began; 0: that is not known."""

    @property
    def has_unseen(self) -> bool:
        """Whether only a look at the disk shows which files it overwrites."""
        wanted = self.overwrites
        return bool(wanted.commits) or any(each.glob for each in wanted.files)


class CheckpointRequest(msgspec.Struct, frozen=True):
    """The files to save before an action, and how urgent that is."""

    run: str
    cwd: str
    step: int
    """The last step before it."""
    need: CheckpointUrgency
    describe: Callable[[], str] = str
    """Returns the reason in a line, without secrets; few requests end in a checkpoint."""
    targets: tuple[str, ...] = ()
    """Globs of the files that it deletes: it may run only if a checkpoint has them."""
    copies: CopyRequest | None = None


class CheckpointResult(msgspec.Struct, frozen=True):
    """The result of a request."""

    checkpoint: str = ""
    """Empty if there is no checkpoint, or nobody waited for it any longer."""
    kept: CheckpointCover | None = None
    problem: str = ""


Save = Callable[[], Awaitable[CheckpointResult]]
"""Save the files before an action, or wait until they are saved; for the event loop."""


class CheckpointPlanner(Protocol):
    """Takes checkpoints. Called in the thread of the supervisor."""

    def plan(
        self, request: CheckpointRequest, state: RunState, settings: Checkpoints
    ) -> Save | None:
        """Return how to save the files before an action; None: there is nothing to wait for."""
