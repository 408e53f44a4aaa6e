"""Merges the work of a task into a branch: verified, one at a time, and all or nothing."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from functools import partial

from handrail.fleet.merges.merge_outcome import (
    FastForwarded,
    Merged,
    MergeOutcome,
    NotTakenBack,
    TakeBackOutcome,
    TakenBack,
)
from handrail.fleet.merges.merge_scratch import usual_scratch
from handrail.fleet.merges.merge_work import (
    WAITING,
    MergePlan,
    MergeRecords,
    MergeRequest,
    MergeWork,
)
from handrail.fleet.merges.target_branch import HEADS, BranchMove, BranchMovedError, TargetBranch
from handrail.fleet.tasks.task import is_task_id
from handrail.fleet.workspaces.file_lock import hold_lock, lock_holder
from handrail.fleet.workspaces.repository_git import RepositoryGit, open_repository
from handrail.fleet.workspaces.thread_step import in_thread
from handrail.fleet.workspaces.workspace_errors import WorkspaceBusyError
from handrail.fleet.workspaces.workspace_work import CommitLine, commit_lines

_TRIES = 5
"""Merges are made anew so often while others move the branch."""
_WAIT = 600.0
_POLL = 0.05
_MAX_NAMED = 20


class Merging:
    """Merges for one repository; several processes may ask at once."""

    def __init__(
        self,
        repository: str,
        root: str,
        environ: Mapping[str, str] = os.environ,
        *,
        trees: str = "",
    ) -> None:
        """`root`, `trees`: the folders of its workspaces."""
        self.repository = repository
        self.environ = environ
        self._root = os.path.realpath(root)
        self._trees = os.path.realpath(trees or root)
        self._folder = os.path.join(self._root, ".merge")

    async def merge(self, request: MergeRequest, *, wait: float = _WAIT) -> MergeOutcome:
        """Merge the work of a task; raises WorkspaceError.

        `wait`: seconds until another merge must have ended.
        """
        if not is_task_id(request.task):
            raise ValueError(f"{request.task!r} cannot be the id of a task")
        async with self._locked(wait) as lock:
            work = await in_thread(partial(self._begin, request, lock))
            try:
                return await self._merge(work)
            finally:
                await in_thread(work.clean)

    def take_back(self, done: FastForwarded | Merged, *, wait: float = _WAIT) -> TakeBackOutcome:
        """Move the branch back to before a merge if nothing came after it; raises WorkspaceError.

        The merge stays reachable as a ref.
        """
        with hold_lock(self._lock_path, "taking back a merge", wait=wait) as lock:
            git = open_repository(self.repository, self.environ, held=(lock,))
            target = self._target(git, lock)
            target.recover()
            if stays := _why_it_stays(git, done):
                return stays
            ref = f"{WAITING}{done.task}"
            why = f"handrail: take back the merge of task {done.task}"
            git.change_refs((f"update {ref} {done.commit}",), why)
            back = BranchMove(branch=done.target, before=done.commit, after=done.before, why=why)
            try:
                blocked = target.move(back)
            except BranchMovedError as error:
                blocked = str(error)
            if blocked:
                git.change_refs((f"delete {ref}",), why)
                return NotTakenBack(task=done.task, target=done.target, why=blocked)
            MergeRecords(self._root).forget(done.task)
            return TakenBack(task=done.task, target=done.target, commit=done.before, ref=ref)

    def clear_leftovers(self, *, wait: float = _WAIT) -> None:
        """Clear away what a killed merge has left: at the start of a scheduler, for instance."""
        with hold_lock(self._lock_path, "merging", wait=wait) as lock:
            git = open_repository(self.repository, self.environ, held=(lock,))
            self._target(git, lock).recover()
            usual_scratch(git, self._trees, self.environ, lock).clear()

    def put_again(self, done: FastForwarded | Merged, *, wait: float = _WAIT) -> str:
        """Put a merge that was taken back on its branch again; return why not, or "".

        Raises WorkspaceError.
        """
        with hold_lock(self._lock_path, "merging", wait=wait) as lock:
            git = open_repository(self.repository, self.environ, held=(lock,))
            target = self._target(git, lock)
            target.recover()
            why = f"handrail: merge task {done.task} again"
            move = BranchMove(branch=done.target, before=done.before, after=done.commit, why=why)
            try:
                blocked = target.move(move)
            except BranchMovedError as error:
                return str(error)
            if blocked:
                return blocked
            MergeRecords(self._root).write(done)
            ref = f"{WAITING}{done.task}"
            if git.refs(ref).get(ref) == done.commit:
                git.change_refs((f"delete {ref} {done.commit}",), why)
            return ""

    def holds(self, target: str, commit: str) -> bool:
        """Return whether a branch holds a commit."""
        git = open_repository(self.repository, self.environ)
        ref = f"{HEADS}{target}"
        now = git.refs(ref).get(ref, "")
        return bool(now and git.commit_of(commit)) and git.is_ancestor(commit, now)

    def made(self, task: str) -> FastForwarded | Merged | None:
        """Return the last merge of a task, to take it back; None: none is known."""
        return MergeRecords(self._root).read(task)

    def waiting(self) -> dict[str, str]:
        """Return the merges that wait as refs: for each task its commit."""
        git = open_repository(self.repository, self.environ)
        found = git.refs(WAITING.rstrip("/"))
        return {ref.removeprefix(WAITING): commit for ref, commit in found.items()}

    def default_target(self) -> str:
        """Return the branch that the repository's folder has checked out, or ""."""
        git = open_repository(self.repository, self.environ)
        head = git.call("symbolic-ref", "--quiet", "HEAD")
        return os.fsdecode(head.out).strip().removeprefix(HEADS)

    async def _merge(self, work: MergeWork) -> MergeOutcome:
        for tries_left in reversed(range(_TRIES)):
            plan = await in_thread(work.plan)
            if not isinstance(plan, MergePlan):
                return plan
            failed, verification = await work.verify()
            if failed is not None:
                return failed
            try:
                return await in_thread(partial(work.publish, plan, verification))
            except BranchMovedError as error:
                if not tries_left:
                    return await in_thread(partial(work.leave, plan, str(error)))
                await in_thread(work.clean)
        raise AssertionError("unreachable: the last try returns")

    @asynccontextmanager
    async def _locked(self, wait: float) -> AsyncIterator[int]:
        """Hold the lock of merges; a task that is cancelled while it waits leaves none."""
        clock = asyncio.get_running_loop().time
        until = clock() + wait
        stack = ExitStack()
        try:
            while (lock := await in_thread(partial(self._try_lock, stack))) is None:
                if clock() >= until:
                    holder = await in_thread(partial(lock_holder, self._lock_path))
                    raise WorkspaceBusyError("merging", holder.pid if holder else 0, wait)
                await asyncio.sleep(_POLL)
            yield lock
        finally:
            await in_thread(stack.close)

    def _try_lock(self, stack: ExitStack) -> int | None:
        try:
            return stack.enter_context(hold_lock(self._lock_path, "merging", wait=0.0))
        except WorkspaceBusyError:
            return None

    def _begin(self, request: MergeRequest, lock: int) -> MergeWork:
        git = open_repository(self.repository, self.environ, held=(lock,))
        target = self._target(git, lock)
        records = MergeRecords(self._root)
        work = MergeWork(git, target, records, self._trees, request, self.environ, lock)
        work.clear_leftovers()
        return work

    @property
    def _lock_path(self) -> str:
        return os.path.join(self._folder, "lock")

    def _target(self, git: RepositoryGit, lock: int) -> TargetBranch:
        return TargetBranch(git, self.environ, os.path.join(self._folder, "moving.json"), lock)


def _why_it_stays(git: RepositoryGit, done: FastForwarded | Merged) -> NotTakenBack | None:
    ref = f"{HEADS}{done.target}"
    now = git.refs(ref).get(ref, "")
    if now == done.commit:
        return None
    if not now or not git.is_ancestor(done.commit, now):
        since: tuple[CommitLine, ...] = ()
        why = f"{done.target} does not hold the merge any more"
    else:
        why = f"{done.target} has commits that came after it"
        since = commit_lines(git, f"{done.commit}..{now}", most=_MAX_NAMED)
    return NotTakenBack(task=done.task, target=done.target, why=why, since=since)
