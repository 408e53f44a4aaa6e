"""What the removal of a workspace would lose."""

import os
from collections.abc import Mapping

import msgspec

from handrail.fleet.workspaces.repository_git import RepositoryGit, open_worktree
from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspace_work import CommitLine, commit_lines, uncommitted_files

_HEADS = "refs/heads/"
CHECKPOINT_REFS = "refs/handrail/checkpoints/"
"""A ref for each checkpoint of the fleet, whose commit holds the branches of then."""
_MAX_COMMITS = 100


class WorkspaceLoss(msgspec.Struct, frozen=True):
    """Work that nothing else holds."""

    files: tuple[str, ...] = ()
    """Uncommitted files, without ignored ones."""
    commits: tuple[CommitLine, ...] = ()
    """Commits that no other branch, tag or waiting merge holds, the latest first."""
    unknown: str = ""
    """Why git cannot tell, or ""."""

    def __bool__(self) -> bool:
        return bool(self.files or self.commits or self.unknown)


def loss_of(
    git: RepositoryGit,
    workspace: Workspace,
    environ: Mapping[str, str],
    *,
    keep_branch: bool = False,
) -> WorkspaceLoss:
    """Return what a removal would lose; `git`: in the repository, not in the workspace."""
    files: tuple[str, ...] = ()
    unknown = ""
    heads = []
    if os.path.isdir(workspace.path):
        try:
            own = open_worktree(workspace.path, environ)
            files = uncommitted_files(own)
            heads = [own.commit_of("HEAD")]
        except WorkspaceError as error:
            if os.listdir(workspace.path):
                unknown = str(error)
    branch = f"{_HEADS}{workspace.branch}"
    if not keep_branch:
        heads.append(git.commit_of(branch))
    return WorkspaceLoss(files, unmerged_commits(git, heads, branch, keep_branch), unknown)


def unmerged_commits(
    git: RepositoryGit, heads: list[str], branch: str, keep_branch: bool = False
) -> tuple[CommitLine, ...]:
    """Return the commits that only these heads hold, and no ref but this branch."""
    known = [head for head in heads if head]
    if not known:
        return ()
    # A checkpoint is tidied up one day: what only it holds is not safe.
    spared = [f"--exclude={CHECKPOINT_REFS}*"]
    if not keep_branch:
        spared.append(f"--exclude={branch}")
    # The HEAD of a workspace does not hold its own commits, nor those of another workspace.
    others = ("--single-worktree", "--not", *spared, "--all")
    return commit_lines(git, *known, *others, most=_MAX_COMMITS)
