"""Gives a conflict back to an agent: the branch is merged into the workspace, markers and all."""

import os
import shlex
from collections.abc import Mapping, Sequence

from handrail.checkpoint.git.user_repository import repository_directories
from handrail.fleet.merges.merge_scratch import unmerged_files
from handrail.fleet.workspaces.repository_git import failure, open_worktree
from handrail.fleet.workspaces.workspace_errors import UnknownCommitError
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspace_work import commit_work

_HEADS = "refs/heads/"
_MAX_NAMED = 50
_MARKERS = "^(<<<<<<<|>>>>>>>)( |$)"
_HOW = (
    "Look at both sides of each conflict and keep the purpose of both. Edit the files until no "
    "conflict marker is left, run the tests, then `git add` the files and conclude the merge "
    "with `git commit --no-edit`."
)


def begin_resolution(
    workspace: Workspace, target: str, environ: Mapping[str, str] = os.environ
) -> tuple[str, ...]:
    """Merge the target branch into a workspace; return the files with conflict markers.

    Nobody else may work in the workspace meanwhile. Its uncommitted work is committed first.
    Empty: git has merged everything now, and the merge is committed.
    """
    git = open_worktree(workspace.path, environ)
    commit = git.commit_of(f"{_HEADS}{target}")
    if not commit:
        raise UnknownCommitError(target)
    own = repository_directories(workspace.path).own
    if os.path.exists(os.path.join(own, "MERGE_HEAD")) and (files := unmerged_files(git)):
        return files  # begun before, by somebody who was killed
    commit_work(workspace, f"Work on task {workspace.task} before merging {target}", environ)
    options = ("--no-edit", "--no-verify", "--no-stat", "--quiet")
    message = f"Merge {target} into task {workspace.task}"
    reply = git.call("merge", *options, "-m", message, commit)
    files = unmerged_files(git)
    if reply.code != 0 and not files:
        raise failure("merge", reply)
    return files


def resolution_prompt(task: str, target: str, files: Sequence[str]) -> str:
    """Return the prompt for an agent that resolves the conflict in the task's workspace."""
    named = [f"- {file}" for file in files[:_MAX_NAMED]]
    if len(files) > _MAX_NAMED:
        named.append(f"- and {len(files) - _MAX_NAMED} more; `git status` lists them")
    lines = (
        f"Your work on task {task} conflicts with changes that are on the branch {target} now.",
        f"`git merge {target}` was started in this folder and stopped at these files:",
        "",
        *named,
        "",
        _HOW,
        "Do not abort the merge, and do not drop the changes of the other side.",
    )
    return "\n".join(lines)


def files_in_conflict(
    workspace: Workspace, environ: Mapping[str, str] = os.environ
) -> tuple[str, ...]:
    """Return the files of a workspace whose conflict nobody has resolved yet."""
    return unmerged_files(open_worktree(workspace.path, environ))


def verify_resolution(verify: str, files: Sequence[str]) -> str:
    """Return a command that also fails while there are conflict markers in these files.

    It names their lines. A file that is gone was resolved by its deletion.
    """
    if not files:
        return verify
    named = shlex.join(files)
    check = f"! grep -HnsE {shlex.quote(_MARKERS)} -- {named} | grep ."
    return f"{check} || exit 1; {verify}" if verify else check
