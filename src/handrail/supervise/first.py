"""An action that waits until the files are saved: what it waits for, and what came of it."""

from enum import IntEnum
from typing import Protocol

import msgspec

from handrail.config.checkpoints import Checkpoints
from handrail.review.kept import Kept
from handrail.supervise.state import RunState


class Need(IntEnum):
    """How much an action needs a checkpoint of what is there."""

    QUIET = 1
    """It changes something: only one that is just being taken has to be waited for."""
    CODE = 2
    """It runs code of which nobody knows what it does to the files."""
    CHANGE = 3
    """It deletes or rewrites files without the tools that are made for it."""
    MUST = 4
    """It is let through only because a checkpoint can undo it."""


class SaveFirst(msgspec.Struct, frozen=True):
    """An action that waits until the files are saved."""

    run: str
    cwd: str
    step: int
    """The last step before it."""
    action: str
    """The host's id of it."""
    name: str
    """Its fingerprint."""
    need: Need
    why: str = ""
    targets: tuple[str, ...] = ()
    """Globs of what it deletes: whether a checkpoint holds that decides about it."""


class SavedFirst(msgspec.Struct, frozen=True):
    """What came of it."""

    checkpoint: str = ""
    """Empty: there is none, or nobody waited for it any longer."""
    kept: Kept | None = None
    problem: str = ""


class Keeper(Protocol):
    """Who takes checkpoints. Asked in the thread of the supervisor."""

    def wants(self, first: SaveFirst, state: RunState, settings: Checkpoints) -> bool:
        """Whether there is anything to wait for; if so, it is asked for it soon."""
