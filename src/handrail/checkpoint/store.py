"""The checkpoints of a work tree: taken, listed, looked at, gone back to."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import time

from handrail.checkpoint.git.repository import CheckpointRepository
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.record import CheckpointInfo, CheckpointRecord
from handrail.checkpoint.records import CheckpointRecords
from handrail.checkpoint.restore.journal import InterruptedRestore, RestoreJournals
from handrail.checkpoint.restore.restorer import Restorer
from handrail.checkpoint.restore.target import RestorePreview, RestoreResult, RestoreTarget
from handrail.checkpoint.save import coverage
from handrail.checkpoint.save.staging import FOR_STAGING
from handrail.checkpoint.save.writer import CheckpointWriter, SavedCheckpoint
from handrail.checkpoint.tidy import tidying
from handrail.checkpoint.work_tree import check_can_be_saved
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.config.glob import known_folder

SECONDS = 60.0
"""How long anything but saving may take."""


class CheckpointStore:
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
        self._private = CheckpointRepository(folder, environ)
        self._records = CheckpointRecords(os.path.join(folder, "records"))
        self._settings = settings
        self._environ = environ
        self._clock = clock

    def save(
        self,
        about: CheckpointInfo,
        *,
        seconds: float = 0.0,
        is_late: Callable[[], bool] = lambda: False,
    ) -> SavedCheckpoint:
        """Save every file that is not ignored; an unchanged tree is the checkpoint before.

        What is not saved within `seconds` (by default the settings' hard limit) is left out.
        `is_late`: whether files may have been changed since it was asked for.
        """
        limit = seconds or self._settings.hard_seconds
        with self._open(limit / FOR_STAGING) as git:
            saving = CheckpointWriter(git, self._records, about, self._clock(), self._settings)
            return saving.save(is_late=is_late)

    def newest_first(self) -> Iterator[CheckpointRecord]:
        """All there are; waits for nobody."""
        return self._records.newest_first(self.work_tree)

    def find(self, typed: str) -> CheckpointRecord:
        """The checkpoint with this id, name or commit; raises NoSuchCheckpointError."""
        return self._records.find(typed, self.work_tree)

    def uncovered(self, globs: Sequence[str]) -> tuple[str, ...]:
        """Files which these absolute globs may mean that the last checkpoint does not hold.

        The first 50; a folder without any that it holds stands for all that is in it.
        """
        last = self._records.last(self.work_tree)
        if last is None:
            there = coverage.existing(dict.fromkeys(map(known_folder, globs)))
            return tuple(coverage.matching_paths(globs, there))[: coverage.MAX_UNCOVERED]
        with self._open(self._settings.hard_seconds) as git:
            return coverage.uncovered(git, last, globs, self._settings.include)

    def preview(self, way: RestoreTarget, *, by: Sequence[str] | None = None) -> RestorePreview:
        """What a restore would do; nothing is changed.

        `by`: the runs that worked since the last checkpoint, without any a person did; None:
        not known, and nothing since then counts as somebody else's.
        """
        with self._restoring() as restoring:
            return restoring.preview(way, by)

    def restore(
        self,
        way: RestoreTarget,
        *,
        over: bool = False,
        expects: str = "",
        by: Sequence[str] | None = None,
    ) -> RestoreResult:
        """Put back what differs; what is there now is saved first.

        `over`: also files that others have changed since; `expects`: the tree that was seen
        in a preview: what was changed after that is left alone, and ChangedMeanwhileError is
        raised where nothing else is left, or where other files would count; `by`: as above.
        """
        with self._restoring() as restoring:
            return restoring.restore(way, over=over, expects=expects, by=by)

    def interrupted(self) -> InterruptedRestore | None:
        """The last restore that was killed while it changed files, until another is done."""
        journals = RestoreJournals(self._private.folder, self.work_tree)
        if journals.is_quiet:
            return None
        with self._open(SECONDS):  # which clears up after it
            return journals.interrupted()

    def tidy(self) -> tidying.TidyResult:
        """Forget what is too old or too much, and pack the rest; a save hardly waits for it."""
        return tidying.tidy(self._private, self._records, self._settings, self._clock())

    @contextmanager
    def _restoring(self) -> Iterator[Restorer]:
        with self._open(SECONDS) as git:
            yield Restorer(git, self._records, self._settings, self._clock())

    @contextmanager
    def _open(self, seconds: float) -> Iterator[Git]:
        with self._private.open(check_can_be_saved(self.work_tree, self._environ), seconds) as git:
            yield git
