"""A checkpoint before an action: how much it is needed, what is saved, what came of it."""

from collections.abc import Awaitable, Callable
from enum import IntEnum
from typing import Protocol

import msgspec

from handrail.config.checkpoints import Checkpoints
from handrail.review.judgment.checkpoint_cover import CheckpointCover
from handrail.supervise.state.run_state import RunState


class CheckpointUrgency(IntEnum):
    """How much an action needs a checkpoint of what is there."""

    QUIET = 1
    """It changes something: only one that is just being taken has to be waited for."""
    CODE = 2
    """It runs code of which nobody knows what it does to the files."""
    CHANGE = 3
    """It deletes or rewrites files without the tools that are made for it."""
    MUST = 4
    """It is let through only because a checkpoint can undo it."""


class CheckpointRequest(msgspec.Struct, frozen=True):
    """What is to be saved before an action runs, and how much that matters."""

    run: str
    cwd: str
    step: int
    """The last step before it."""
    need: CheckpointUrgency
    why: str = ""
    targets: tuple[str, ...] = ()
    """Globs of what it deletes: whether a checkpoint holds that decides about it."""


class CheckpointResult(msgspec.Struct, frozen=True):
    """What came of it."""

    checkpoint: str = ""
    """Empty: there is none, or nobody waited for it any longer."""
    kept: CheckpointCover | None = None
    problem: str = ""


Save = Callable[[], Awaitable[CheckpointResult]]
"""Saves the files before an action, or waits until they are saved; for the event loop."""


class CheckpointPlanner(Protocol):
    """Who takes checkpoints. Asked in the thread of the supervisor."""

    def plan(
        self, request: CheckpointRequest, state: RunState, settings: Checkpoints
    ) -> Save | None:
        """How the files are saved before an action; None: there is nothing to wait for."""
