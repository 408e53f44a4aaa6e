"""From what a person wants undone to the checkpoints that it lies between."""

from collections.abc import Sequence

from handrail.checkpoint.record import Record
from handrail.checkpoint.way import Level, Way


def way_back(records: Sequence[Record], level: Level, *, run: str = "", step: int = 0) -> Way:
    """The way that undoes the last action, iteration or task, or the last restore.

    `records`: of one work tree, the newest first; `run`: whose; empty: the last that worked
    here; `step`: which action. Raises NothingToUndoError.
    """
    raise NotImplementedError
