"""The checkpoints of a work tree: taken, listed, looked at, gone back to."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import time

from handrail.checkpoint import coverage, tidying
from handrail.checkpoint.git import Git
from handrail.checkpoint.journal import Interrupted, Journals
from handrail.checkpoint.private import Private
from handrail.checkpoint.record import About, Record
from handrail.checkpoint.records import Records
from handrail.checkpoint.restoring import Restoring
from handrail.checkpoint.saving import Saved, Saving
from handrail.checkpoint.staging import FOR_STAGING
from handrail.checkpoint.way import Preview, Restored, Way
from handrail.checkpoint.work_tree import check_work_tree
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.config.glob import known_folder

SECONDS = 60.0
"""How long anything but saving may take."""


class Checkpoints:
    """Of one work tree, in the private folder of its project.

    One process at a time; the repository of the user is not touched by any of it.
    """

    def __init__(
        self,
        folder: str,
        work_tree: str,
        settings: Settings = Settings(),  # noqa: B008 - it is frozen
        environ: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time,
    ) -> None:
        self.work_tree = os.path.realpath(work_tree)
        self._private = Private(folder, environ)
        self._records = Records(os.path.join(folder, "records"))
        self._settings = settings
        self._environ = environ
        self._clock = clock

    def save(
        self, about: About, *, seconds: float = 0.0, is_late: Callable[[], bool] = lambda: False
    ) -> Saved:
        """Save every file that is not ignored; an unchanged tree is the checkpoint before.

        What is not saved within `seconds` (by default the settings' hard limit) is left out.
        `is_late`: whether files may have been changed since it was asked for.
        """
        limit = seconds or self._settings.hard_seconds
        with self._open(limit / FOR_STAGING) as git:
            saving = Saving(git, self._records, about, self._clock(), self._settings)
            return saving.save(is_late=is_late)

    def newest_first(self) -> Iterator[Record]:
        """All there are; waits for nobody."""
        return self._records.newest_first(self.work_tree)

    def find(self, typed: str) -> Record:
        """The checkpoint with this id, name or commit; raises NoSuchCheckpointError."""
        return self._records.find(typed, self.work_tree)

    def uncovered(self, globs: Sequence[str]) -> tuple[str, ...]:
        """Files which these absolute globs may mean that the last checkpoint does not hold.

        The first 50; a folder without any that it holds stands for all that is in it.
        """
        last = self._records.last(self.work_tree)
        if last is None:
            there = coverage.existing(dict.fromkeys(map(known_folder, globs)))
            return tuple(coverage.meant(globs, there))[: coverage.MAX_UNCOVERED]
        with self._open(self._settings.hard_seconds) as git:
            return coverage.uncovered(git, last, globs, self._settings.include)

    def preview(self, way: Way, *, by: Sequence[str] | None = None) -> Preview:
        """What a restore would do; nothing is changed.

        `by`: the runs that worked since the last checkpoint, without any a person did; None:
        not known, and nothing since then counts as somebody else's.
        """
        with self._restoring() as restoring:
            return restoring.preview(way, by)

    def restore(
        self, way: Way, *, over: bool = False, expects: str = "", by: Sequence[str] | None = None
    ) -> Restored:
        """Put back what differs; what is there now is saved first.

        `over`: also files that others have changed since; `expects`: the tree that was seen
        in a preview: what was changed after that is left alone, and ChangedMeanwhileError is
        raised where nothing else is left, or where other files would count; `by`: as above.
        """
        with self._restoring() as restoring:
            return restoring.restore(way, over=over, expects=expects, by=by)

    def interrupted(self) -> Interrupted | None:
        """The last restore that was killed while it changed files, until another is done."""
        journals = Journals(self._private.folder, self.work_tree)
        if journals.is_quiet:
            return None
        with self._open(SECONDS):  # which clears up after it
            return journals.interrupted()

    def tidy(self) -> tidying.Tidied:
        """Forget what is too old or too much, and pack the rest; a save hardly waits for it."""
        return tidying.tidy(self._private, self._records, self._settings, self._clock())

    @contextmanager
    def _restoring(self) -> Iterator[Restoring]:
        with self._open(SECONDS) as git:
            yield Restoring(git, self._records, self._settings, self._clock())

    @contextmanager
    def _open(self, seconds: float) -> Iterator[Git]:
        with self._private.open(check_work_tree(self.work_tree, self._environ), seconds) as git:
            yield git
