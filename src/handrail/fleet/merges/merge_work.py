"""The steps of one merge: made in a scratch worktree, verified there, put on its branch."""

import os
from collections.abc import Mapping
from contextlib import suppress

import msgspec

from handrail.checkpoint.files import replace_file
from handrail.drive.verify import SECONDS as VERIFY_SECONDS
from handrail.drive.verify import Verification, verify
from handrail.fleet.merges.merge_outcome import (
    FastForwarded,
    MergeConflict,
    Merged,
    MergeOutcome,
    MergeWaiting,
    NothingToMerge,
    VerifyFailed,
)
from handrail.fleet.merges.merge_scratch import (
    ConflictFound,
    kept_scratch,
    look_command,
    usual_scratch,
)
from handrail.fleet.merges.target_branch import HEADS, BranchMove, TargetBranch
from handrail.fleet.workspaces.repository_git import RepositoryGit
from handrail.fleet.workspaces.thread_step import in_thread
from handrail.fleet.workspaces.workspace_environment import MERGE_SLOT, workspace_environment
from handrail.fleet.workspaces.workspace_errors import UnknownCommitError
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspace_setup import run_setup
from handrail.fleet.workspaces.worktrees import remove_folder
from handrail.store.private_files import make_folder

WAITING = "refs/handrail/merges/"
"""A ref for each merge that is made and could not be put on its branch."""
_DECODER: msgspec.json.Decoder[FastForwarded | Merged] = msgspec.json.Decoder(
    FastForwarded | Merged
)


class MergeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The work of one task, and where it goes."""

    task: str
    commit: str
    """The commit that the task's result names; nothing later is merged."""
    target: str
    """The branch that it is merged into."""
    message: str = ""
    """For a merge commit."""
    verify: str = ""
    """The command that must succeed on the merged tree."""
    verify_seconds: float = VERIFY_SECONDS
    setup: tuple[str, ...] = ()
    """The commands that run before it, as in every workspace."""
    keep_conflict: bool = False
    """Leave the worktree with the conflict markers."""


class MergePlan(msgspec.Struct, frozen=True):
    """A merge that is made and not yet on its branch."""

    before: str
    commit: str
    is_merge: bool


class MergeRecords:
    """A file for the last merge of each task, so that it can be told again, and taken back."""

    def __init__(self, root: str) -> None:
        self._folder = os.path.join(root, ".merge", "done")

    def read(self, task: str) -> FastForwarded | Merged | None:
        """Return the last merge of a task; it may not have come to its end."""
        try:
            with open(self._file(task), "rb") as file:
                return _DECODER.decode(file.read())
        except (OSError, ValueError):
            return None

    def write(self, done: FastForwarded | Merged) -> None:
        """Keep the merge of a task."""
        make_folder(self._folder)
        replace_file(self._file(done.task), msgspec.json.encode(done), durable=True)

    def forget(self, task: str) -> None:
        """Remove the file of a task."""
        with suppress(FileNotFoundError):
            os.unlink(self._file(task))

    def _file(self, task: str) -> str:
        return os.path.join(self._folder, f"{task}.json")


class MergeWork:
    """The steps of one merge that call git; each blocks. The caller holds the lock of merges."""

    def __init__(
        self,
        git: RepositoryGit,
        target: TargetBranch,
        records: MergeRecords,
        trees: str,
        request: MergeRequest,
        environ: Mapping[str, str],
        lock: int,
    ) -> None:
        """`trees`: the folder for worktrees."""
        self._git = git
        self._target = target
        self._request = request
        usual = usual_scratch(git, trees, environ, lock)
        kept = kept_scratch(git, trees, environ, lock, request.task)
        self._scratches = (usual, kept)
        self._scratch = kept if request.keep_conflict else usual
        self._temporary = os.path.join(trees, ".merging", "tmp")
        self._done = records
        self._is_kept = False

    def clear_leftovers(self) -> None:
        """Clear away what a killed merge has left, and an earlier conflict of this task."""
        self._target.recover()
        for scratch in self._scratches:
            scratch.clear()

    def plan(self) -> MergePlan | MergeOutcome:
        """Make the merge in the scratch worktree, at the commit that the branch is at now."""
        request, git = self._request, self._git
        ref = f"{HEADS}{request.target}"
        before = git.refs(ref).get(ref, "")
        if not before:
            raise UnknownCommitError(request.target)
        commit = git.commit_of(request.commit)
        if not commit:
            raise UnknownCommitError(request.commit)
        if git.is_ancestor(commit, before):
            self._forget_waiting()
            if done := self._earlier(before):
                return done
            return NothingToMerge(task=request.task, target=request.target, commit=before)
        if git.is_ancestor(before, commit):
            if request.verify:
                self._scratch.check_out(commit)
            return MergePlan(before, commit, is_merge=False)
        self._scratch.check_out(before)
        try:
            message = request.message or f"Merge task {request.task}"
            return MergePlan(before, self._scratch.merge(commit, message), is_merge=True)
        except ConflictFound as conflict:
            self._is_kept = request.keep_conflict
            return MergeConflict(
                task=request.task,
                target=request.target,
                files=conflict.files,
                look=look_command(self._git.folder, request.target, commit, conflict.files),
                scratch=self._scratch.path if self._is_kept else "",
            )

    async def verify(self) -> tuple[VerifyFailed | None, Verification | None]:
        """Run the setup commands and the verify command on the merged tree."""
        request, path = self._request, self._scratch.path
        if not request.verify:
            return None, None
        environment = await in_thread(self._environment)
        if failed := await run_setup(request.setup, path, environment):
            command, result = failed
            return VerifyFailed(
                task=request.task, target=request.target, command=command, verification=result
            ), None
        result = await verify(
            request.verify, path, seconds=request.verify_seconds, environ=environment
        )
        if not result.ok:
            return VerifyFailed(
                task=request.task,
                target=request.target,
                command=request.verify,
                verification=result,
            ), None
        return None, result

    def publish(self, plan: MergePlan, verification: Verification | None) -> MergeOutcome:
        """Put the merge on its branch, or leave it as a ref; raises BranchMovedError."""
        request = self._request
        move = BranchMove(
            branch=request.target,
            before=plan.before,
            after=plan.commit,
            why=f"handrail: merge task {request.task}",
        )
        done = (Merged if plan.is_merge else FastForwarded)(
            task=request.task,
            target=request.target,
            before=plan.before,
            commit=plan.commit,
            verification=verification,
        )
        # First: whoever is killed after the branch has moved finds here what was done.
        self._done.write(done)
        if why := self._target.move(move):
            self._done.forget(request.task)
            return self.leave(plan, why)
        self._forget_waiting()
        return done

    def leave(self, plan: MergePlan, why: str) -> MergeWaiting:
        """Keep the merge as a ref."""
        request = self._request
        ref = f"{WAITING}{request.task}"
        self._git.change_refs((f"update {ref} {plan.commit}",), f"handrail: {why}")
        return MergeWaiting(
            task=request.task, target=request.target, ref=ref, commit=plan.commit, why=why
        )

    def clean(self) -> None:
        """Remove the scratch worktree, unless a person wants to look at a conflict in it."""
        if not self._is_kept:
            self._scratch.clear()
        remove_folder(self._temporary)

    def _environment(self) -> dict[str, str]:
        make_folder(self._temporary)
        scratch = Workspace(
            name="merge",
            task=self._request.task,
            attempt=0,
            path=self._scratch.path,
            branch="",
            base="",
            temporary=self._temporary,
        )
        return workspace_environment(MERGE_SLOT, scratch)

    def _earlier(self, now: str) -> FastForwarded | Merged | None:
        """Return the merge that an earlier call has made, if the branch still holds it."""
        done = self._done.read(self._request.task)
        if done is None or done.target != self._request.target:
            return None
        held = self._git.commit_of(done.commit) and self._git.is_ancestor(done.commit, now)
        return msgspec.structs.replace(done, again=True) if held else None

    def _forget_waiting(self) -> None:
        ref = f"{WAITING}{self._request.task}"
        if commit := self._git.refs(ref).get(ref, ""):
            self._git.change_refs((f"delete {ref} {commit}",), "handrail: merged")
