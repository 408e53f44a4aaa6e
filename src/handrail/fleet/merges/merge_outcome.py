"""What came of a merge, or of taking one back."""

import msgspec

from handrail.drive.verify import Verification
from handrail.fleet.workspaces.workspace_work import CommitLine


class _TargetMoved(msgspec.Struct, frozen=True, kw_only=True):
    """A branch that has moved."""

    task: str
    target: str
    """The short name of the branch."""
    before: str
    """Its commit before."""
    commit: str
    """Its commit now."""
    verification: Verification | None = None
    """The outcome of the verify command on the merged tree, if there is one."""
    again: bool = False
    """Whether an earlier call has done it, perhaps one that was killed before it could say so."""


class FastForwarded(_TargetMoved, frozen=True, tag="fast_forwarded"):
    """The target branch is at the task's commit now."""


class Merged(_TargetMoved, frozen=True, tag="merged"):
    """The target branch is at a merge commit now."""


class MergeWaiting(msgspec.Struct, frozen=True, kw_only=True, tag="waiting"):
    """The merge is made and verified, and the target branch could not be moved."""

    task: str
    target: str
    ref: str
    """The ref that holds the merge."""
    commit: str
    why: str


class MergeConflict(msgspec.Struct, frozen=True, kw_only=True, tag="conflict"):
    """Git could not merge some files; nothing has changed."""

    task: str
    target: str
    files: tuple[str, ...]
    look: str
    """The command that shows what the task has changed in these files."""
    scratch: str = ""
    """The worktree with the conflict markers, if it was to be kept."""


class VerifyFailed(msgspec.Struct, frozen=True, kw_only=True, tag="verify_failed"):
    """The merged tree does not pass; nothing has changed."""

    task: str
    target: str
    command: str
    verification: Verification


class NothingToMerge(msgspec.Struct, frozen=True, kw_only=True, tag="nothing_to_merge"):
    """The target branch holds the task's commit already."""

    task: str
    target: str
    commit: str


MergeOutcome = FastForwarded | Merged | MergeWaiting | MergeConflict | VerifyFailed | NothingToMerge


class TakenBack(msgspec.Struct, frozen=True, kw_only=True, tag="taken_back"):
    """The target branch is where it was before the merge."""

    task: str
    target: str
    commit: str
    """Its commit now."""
    ref: str
    """The ref that holds the merge, so that it can be made again."""


class NotTakenBack(msgspec.Struct, frozen=True, kw_only=True, tag="not_taken_back"):
    """The merge stays."""

    task: str
    target: str
    why: str
    since: tuple[CommitLine, ...] = ()
    """Commits that came after it, the latest first."""


TakeBackOutcome = TakenBack | NotTakenBack
