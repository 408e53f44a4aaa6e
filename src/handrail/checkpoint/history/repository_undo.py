"""Joins checkpoints and the user's repository: from a restore's target to the way back of git."""

import hashlib
import os
from collections.abc import Sequence
from datetime import datetime

import msgspec

from handrail.checkpoint.errors import NothingToUndoError
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.git.user_git import user_git
from handrail.checkpoint.history.git_plan import GitUndoPlan, changed_parts
from handrail.checkpoint.history.git_undo import GitChangedError, GitUndo
from handrail.checkpoint.history.repository_state import RepositoryState
from handrail.checkpoint.history.state_files import RepositoryStates
from handrail.checkpoint.record import CheckpointRecord
from handrail.checkpoint.restore.conflicts import CheckpointInterval, interval_text
from handrail.checkpoint.restore.target import RestoreTarget

_UNKNOWN = "no checkpoint from before it recorded the repository"
_LIST = "`git reflog` shows what was there"


class GitUndoStep(msgspec.Struct, frozen=True):
    """A planned way back of a repository."""

    plan: GitUndoPlan
    before: RepositoryState

    @property
    def digest(self) -> str:
        """Another plan has another one."""
        data = msgspec.json.encode(self.plan)
        return hashlib.sha1(data, usedforsecurity=False).hexdigest()


class RepositoryUndo:
    """Plans and carries out the way back of the repository of one work tree."""

    def __init__(self, private: Git, records: Sequence[CheckpointRecord], at: datetime) -> None:
        """`private`: Handrail's own git; `records`: of the work tree, the newest first."""
        self._records = records
        self._at = at
        self._states = RepositoryStates(os.path.dirname(private.directory))
        git = user_git(private.work_tree, private.deadline.left, private.environ)
        self._undo = GitUndo(git, private.directory)

    def now(self) -> str:
        """The name of the state of now; empty: there is no repository."""
        return self._states.keep(self._undo.state())

    def plan(self, way: RestoreTarget, by: Sequence[str] | None) -> GitUndoStep:
        """Plan the way back; raises NothingToUndoError, GitError."""
        before, now = self._states.read(way.target.repository), self._undo.state()
        after = self._states.read(way.base.repository) if way.base else now
        if before is None or after is None or now is None:
            raise NothingToUndoError(_UNKNOWN, _LIST)
        plan = self._undo.plan(before, after, now, self._others(way, now, by))
        return GitUndoStep(plan, before)

    def carry_out(self, step: GitUndoStep, expects: str, key: str) -> str:
        """Carry out a plan that a person saw; gives the name of the state afterwards."""
        if step.digest != expects:
            raise GitChangedError
        self._undo.apply(step.plan, step.before, key)
        return self.now()

    def _others(
        self, way: RestoreTarget, now: RepositoryState, by: Sequence[str] | None
    ) -> dict[str, str]:
        """By part of the repository, who else has changed it within the undone part."""
        found: dict[str, str] = {}
        older, last = self._states.read(way.target.repository), way.target
        until = way.base.number if way.base else None
        for record in reversed(self._records):
            if record.number <= way.target.number or (until is not None and record.number > until):
                continue
            newer = self._states.read(record.repository)
            interval = CheckpointInterval(last.tree, record.tree, record.number, record, record.by)
            self._note(found, interval, older, newer, way.run)
            older, last = newer, record
        if way.base is None:
            since = tuple(by) if by is not None else None
            interval = CheckpointInterval(last.tree, "", last.number + 1, by=since)
            self._note(found, interval, older, now, way.run)
        return found

    def _note(
        self,
        found: dict[str, str],
        interval: CheckpointInterval,
        older: RepositoryState | None,
        newer: RepositoryState | None,
        run: str,
    ) -> None:
        if older is None or newer is None or not interval.is_of_others(run):
            return
        for name in changed_parts(older, newer):
            found[name] = interval_text(interval, self._at)
