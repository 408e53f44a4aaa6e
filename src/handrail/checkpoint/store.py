"""The facade of checkpoints: save, list, preview, restore, tidy."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from time import time

import msgspec

from handrail.checkpoint.comparison import Comparison
from handrail.checkpoint.git.repository import CheckpointRepository
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.history.repository_state import RepositoryLook
from handrail.checkpoint.history.repository_undo import GitUndoStep, RepositoryUndo
from handrail.checkpoint.record import CheckpointInfo, CheckpointRecord
from handrail.checkpoint.records import CheckpointRecords
from handrail.checkpoint.restore.journal import InterruptedRestore, RestoreJournals
from handrail.checkpoint.restore.restorer import Restorer
from handrail.checkpoint.restore.target import RestorePreview, RestoreResult, RestoreTarget
from handrail.checkpoint.save import coverage
from handrail.checkpoint.save.covered_paths import uncovered_paths
from handrail.checkpoint.save.staging import FOR_STAGING
from handrail.checkpoint.save.writer import CheckpointWriter, SavedCheckpoint
from handrail.checkpoint.tidy import tidying
from handrail.checkpoint.work_tree import check_can_be_saved
from handrail.config.checkpoints import MEGABYTE
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.config.glob import known_folder

SECONDS = 60.0
"""Seconds for everything but saving."""


class CheckpointStore:
    """The checkpoints of one work tree, in the private folder of its project."""

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

    @property
    def max_file_bytes(self) -> int:
        """A larger file is left out."""
        return self._settings.max_file_mb * MEGABYTE

    def save(
        self,
        about: CheckpointInfo,
        *,
        seconds: float = 0.0,
        is_late: Callable[[], bool] = lambda: False,
        look: RepositoryLook | None = None,
    ) -> SavedCheckpoint:
        """Save every file that is not ignored, or reuse the previous checkpoint.

        Files that are not saved within `seconds` (by default the settings' hard limit) are left
        out. `is_late`: whether files may have changed since the request; `look`: how the user's
        repository looked then, if that was noted.
        """
        limit = seconds or self._settings.hard_seconds
        with self._open(limit / FOR_STAGING) as git:
            saving = CheckpointWriter(
                git, self._records, about, self._clock(), self._settings, look
            )
            return saving.save(is_late=is_late)

    def newest_first(self) -> Iterator[CheckpointRecord]:
        """All checkpoints, the newest first; waits for no lock."""
        return self._records.newest_first(self.work_tree)

    def find(self, typed: str) -> CheckpointRecord:
        """The checkpoint with this id, name or commit; raises NoSuchCheckpointError."""
        return self._records.find(typed, self.work_tree)

    def release(self, typed: str) -> None:
        """Take the name from a checkpoint, so that it is kept no longer than unnamed ones.

        Without a lock: nobody else changes a named one, and the work tree may be gone.
        """
        record = self._records.find(typed, self.work_tree)
        self._records.write(msgspec.structs.replace(record, name=""))

    def uncovered(self, globs: Sequence[str]) -> tuple[str, ...]:
        """The first 50 files that match absolute globs and that the last checkpoint does not hold.

        A folder without any saved file stands for all its files.
        """
        last = self._records.last(self.work_tree)
        if last is None:
            there = coverage.existing_paths(dict.fromkeys(map(known_folder, globs)))
            return tuple(coverage.matching_paths(globs, there))[: coverage.MAX_UNCOVERED]
        with self._open(self._settings.hard_seconds) as git:
            return coverage.uncovered_files(git, last, globs, self._settings.include)

    def uncovered_paths(self, paths: Sequence[str], sizes: Sequence[int]) -> set[str]:
        """Of these files in the work tree, those that no checkpoint takes in."""
        last = self._records.last(self.work_tree)
        left_out = last.coverage.left_out if last else ()
        with self._private.look(self.work_tree, self._settings.hard_seconds) as git:
            return uncovered_paths(git, paths, sizes, self._settings, left_out)

    def compare(self, trees: tuple[str, str], paths: Sequence[str] = ()) -> Comparison:
        """Compare two saved trees, or some paths of them."""
        return Comparison(self._private.folder, self.work_tree, trees, paths, self._environ)

    def preview(self, way: RestoreTarget, *, by: Sequence[str] | None = None) -> RestorePreview:
        """Preview a restore; nothing is changed.

        `by`: the runs that worked since the last checkpoint, none: a person did; None: not known,
        so nothing since then counts as somebody else's.
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
        whole: bool = False,
    ) -> RestoreResult:
        """Restore the files; saves the files of now first.

        `over`: also overwrite changes of others; `expects`: the tree of a preview: files that
        changed since are left alone, and FilesChangedError is raised where no other is left or an
        ignore list changed; `by`: as above; `whole`: change nothing if one of them cannot be
        written.
        """
        with self._restoring() as restoring:
            return restoring.restore(way, over=over, expects=expects, by=by, whole=whole)

    def repository_now(self) -> str:
        """The name of the state of the user's repository; empty: there is none."""
        with self._open(SECONDS) as git:
            return self._repository(git).now()

    def plan_git_undo(self, way: RestoreTarget, *, by: Sequence[str] | None = None) -> GitUndoStep:
        """Plan what goes back in the user's repository; nothing is changed. `by`: as above."""
        with self._open(SECONDS) as git:
            return self._repository(git).plan(way, by)

    def undo_git(
        self, way: RestoreTarget, step: GitUndoStep, done: RestoreResult, *, expects: str
    ) -> None:
        """Take the user's repository back, after its files; raises GitNotUndoneError.

        `done`: the restore of the files; `expects`: the digest of the plan that a person saw.
        """
        with self._open(SECONDS) as git:
            repository = self._repository(git)
            try:
                repository.carry_out(step, expects, done.undo.id)
            finally:
                restorer = Restorer(git, self._records, self._settings, self._clock())
                restorer.record_repository(way, done, repository.now())

    def interrupted(self) -> InterruptedRestore | None:
        """The last restore that was killed while it changed files, until another one succeeds."""
        journals = RestoreJournals(self._private.folder, self.work_tree)
        if journals.is_quiet:
            return None
        with self._open(SECONDS):  # which clears up after it
            return journals.interrupted()

    def tidy(self) -> tidying.TidyResult:
        """Remove checkpoints beyond the limits, and pack the rest; a save hardly waits for it."""
        return tidying.tidy(self._private, self._records, self._settings, self._clock())

    def _repository(self, git: Git) -> RepositoryUndo:
        at = datetime.fromtimestamp(self._clock(), UTC)
        return RepositoryUndo(git, list(self.newest_first()), at)

    @contextmanager
    def _restoring(self) -> Iterator[Restorer]:
        with self._open(SECONDS) as git:
            yield Restorer(git, self._records, self._settings, self._clock())

    @contextmanager
    def _open(self, seconds: float) -> Iterator[Git]:
        with self._private.open(check_can_be_saved(self.work_tree, self._environ), seconds) as git:
            yield git
