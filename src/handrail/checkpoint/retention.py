"""Which checkpoints are kept, and how little room they take."""

import msgspec

from handrail.checkpoint.git import Git
from handrail.checkpoint.records import Records
from handrail.config.checkpoints import Checkpoints as Settings


class Tidied(msgspec.Struct, frozen=True):
    """What tidying up has done."""

    forgotten: tuple[str, ...] = ()
    bytes: int = 0
    """How much room the checkpoints of the project take now."""


def tidy(git: Git, records: Records, settings: Settings, now: float) -> Tidied:
    """Forget what is too old or too much, and pack the rest."""
    raise NotImplementedError
