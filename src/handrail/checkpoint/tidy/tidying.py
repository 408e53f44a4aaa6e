"""Tidies the checkpoints of a project in the background, while saves go on."""

import os
import sys
from collections.abc import Sequence

import msgspec

from handrail.checkpoint.errors import CheckpointError
from handrail.checkpoint.git import alternates
from handrail.checkpoint.git.repository import CheckpointRepository
from handrail.checkpoint.git.runner import Git, join_lines
from handrail.checkpoint.history.state_files import RepositoryStates
from handrail.checkpoint.record import CheckpointRecord
from handrail.checkpoint.records import CheckpointRecords
from handrail.checkpoint.tidy import disk_space, repack
from handrail.checkpoint.tidy.retention import expired_checkpoints
from handrail.config.checkpoints import MEGABYTE
from handrail.config.checkpoints import Checkpoints as Settings

_REFS = "refs/checkpoints/"
_LOCKED_SECONDS = 10.0
_BESIDE_SECONDS = 900.0
_MAX_WASTE = 0.3
_LITTLE = 10 * MEGABYTE
"""Less than this is not worth packing everything anew."""
_HELPS = 0.1
"""Removing checkpoints must free at least this share."""
_MAX_ROUNDS = 8
"""How often the room is measured anew while there is too little of it; the rest is for later."""


class TidyResult(msgspec.Struct, frozen=True):
    """The result of tidying."""

    forgotten: tuple[str, ...] = ()
    bytes: int = 0
    """How much room the checkpoints of the project take now."""
    problem: str = ""
    """A message for the person."""


def tidy(
    private: CheckpointRepository, records: CheckpointRecords, settings: Settings, now: float
) -> TidyResult:
    """Remove checkpoints beyond the limits, and pack the rest."""
    if not private.is_made:
        return TidyResult()
    work = _TidyPass(private, records, settings, now)
    work.forget()
    problem = ""
    try:
        with private.open_for_packing(_BESIDE_SECONDS, wait=_LOCKED_SECONDS) as git:
            problem = work.make_room(git)
    except CheckpointError as error:
        problem = f"The checkpoints could not be packed: {error}."
    return TidyResult(tuple(work.forgotten), disk_space.used_bytes(private.folder), problem)


class _TidyPass(msgspec.Struct):
    private: CheckpointRepository
    records: CheckpointRecords
    settings: Settings
    now: float
    forgotten: list[str] = []

    def forget(self, used_bytes: int = 0) -> bool:
        """Remove checkpoints that need not be kept; whether there were any."""
        with self.private.open_store(_LOCKED_SECONDS) as git:
            there = list(self.records.newest_first())
            lost = _without_commit(git, there)
            there = [record for record in there if record not in lost]
            gone = {each.work_tree for each in there if not os.path.isdir(each.work_tree)}
            old = expired_checkpoints(there, self.settings, self.now, used_bytes, gone)
            for record in (*lost, *old):
                self.records.forget(record.number)
            self._forget_refs(git)
            self._forget_indexes({each.work_tree for each in there} - gone)
            kept = (each.repository for each in self.records.newest_first())
            RepositoryStates(self.private.folder).forget_others(kept)
        self.forgotten += [record.id for record in (*lost, *old)]
        return bool(old)

    def make_room(self, git: Git) -> str:
        """Pack the store; gives a message for the person."""
        if not self._settle(git):
            return ""  # what is borrowed cannot be told from what is needed
        repack.pack_up(git)
        quota = self.settings.quota_mb * MEGABYTE
        used = disk_space.used_bytes(git.directory)
        if not self.forgotten and used <= quota:
            return ""
        needed = self._fit(git, quota)
        if used - needed > max(_MAX_WASTE * used, _LITTLE) or needed <= quota < used:
            repack.collect(self.private, git, _LOCKED_SECONDS)
        return _too_much(needed, quota) if needed > quota else ""

    def _fit(self, git: Git, quota: int) -> int:
        """Remove more checkpoints while too much room is needed; gives the bytes needed then."""
        roots = self._roots()
        needed = repack.needed_bytes(git, roots)
        if needed <= quota or not self._would_help(git, roots, needed):
            return needed
        for _ in range(_MAX_ROUNDS):
            if not self.forget(needed):
                break
            needed = repack.needed_bytes(git, self._roots())
            if needed <= quota:
                break
        return needed

    def _would_help(self, git: Git, roots: repack.ReachableRoots, needed: int) -> bool:
        """Whether removing old checkpoints frees enough: in a large project the last one may need
        most."""
        there = list(self.records.newest_first())
        old = expired_checkpoints(there, self.settings, self.now, used_bytes=sys.maxsize)
        least = repack.needed_bytes(git, roots.without(record.git_commit for record in old))
        return needed - least > _HELPS * needed

    def _settle(self, git: Git) -> bool:
        """Copy borrowed objects: the user may clean up that store any day."""
        if not alternates.is_borrowing(git):
            return True
        alternates.copy_borrowed(git)
        with self.private.open_store(_LOCKED_SECONDS) as alone:
            return alternates.copy_and_drop(alone)

    def _roots(self) -> repack.ReachableRoots:
        with self.private.open_store(_LOCKED_SECONDS) as alone:
            return repack.find_roots(self.private, alone)

    def _forget_refs(self, git: Git) -> None:
        """Remove refs without a record: of removed or unfinished checkpoints."""
        there = {f"{_REFS}c{number}" for number in self.records.numbers()}
        refs = git.text("for-each-ref", "--format=%(refname)", _REFS).split()
        if extra := [ref for ref in refs if ref not in there]:
            git.run("update-ref", "--stdin", given=join_lines(f"delete {ref}" for ref in extra))

    def _forget_indexes(self, work_trees: set[str]) -> None:
        there = {self.private.index_of(work_tree) for work_tree in work_trees}
        for index in self.private.indexes():
            if index not in there:
                self.private.forget_index(index)


def _without_commit(git: Git, records: Sequence[CheckpointRecord]) -> list[CheckpointRecord]:
    """Records whose commit is lost, by a crash of the machine for example."""
    asked = join_lines(record.git_commit for record in records)
    answers = git.run("cat-file", "--batch-check", given=asked).splitlines()
    lost = [
        record
        for record, answer in zip(records, answers, strict=True)
        if answer.endswith(b" missing")
    ]
    return lost if len(lost) < len(records) else []  # all: then the store is what is lost


def _too_much(needed: int, quota: int) -> str:
    return (
        f"The checkpoints of this project take {-(-needed // MEGABYTE):,} MB and may take "
        f"{quota // MEGABYTE:,} MB: the last of each work tree and named ones are kept all the "
        "same. Raise checkpoints.quota_mb if you have the room."
    )
