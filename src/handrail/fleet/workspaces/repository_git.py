"""Runs git in a user's repository, with the user's settings and without anybody's hooks."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence

import msgspec

from handrail.checkpoint.git.runner import end_process
from handrail.fleet.workspaces.git_settings import as_variables, read_settings, safe_settings
from handrail.fleet.workspaces.workspace_errors import (
    NoRepositoryError,
    WorkspaceGitError,
    WorkspaceKilledError,
    WorkspaceStorageError,
    WorkspaceTimeoutError,
)

SECONDS = 600.0
"""For each git process: one may write all files of a huge repository."""
_MAX_SAID = 1_000
_NO_REPOSITORY = "not a git repository"
_KEPT_VARIABLES = frozenset(
    {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}
    | {f"GIT_{role}_{what}" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
)
"""Variables of git that pass; others could point to another repository."""
_OWN_VARIABLES = {
    "GIT_EDITOR": "true",
    "GIT_MERGE_AUTOEDIT": "no",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_OF_DISK = re.compile(
    "no space left|disk quota|file too large|read-only file system|permission denied"
    "|unable to (write|create)"
    "|insufficient permission|write error|died of signal 25",
    re.IGNORECASE,
)


class GitReply(msgspec.Struct, frozen=True):
    """The end of a git process."""

    code: int
    out: bytes
    err: bytes

    @property
    def says(self) -> str:
        """The end of its error output."""
        return os.fsdecode(self.err).strip()[-_MAX_SAID:] or f"ended with {self.code}"


class RepositoryGit:
    """Git in one folder: a repository of a user, or one worktree of it."""

    def __init__(
        self,
        folder: str,
        environ: Mapping[str, str],
        held: Sequence[int] = (),
        *,
        seconds: float = SECONDS,
    ) -> None:
        """`held`: open locks, which stay locked until every process of git has ended.

        `seconds`: for each process.
        """
        self.folder = folder
        self.common = ""
        """The git directory that all worktrees share; known for a repository."""
        self._seconds = seconds
        self._held = tuple(held)
        self._program = shutil.which("git", path=environ.get("PATH"))
        passed = {
            name: value
            for name, value in environ.items()
            if not name.startswith("GIT_") or name in _KEPT_VARIABLES
        }
        self._environ = {**passed, **_OWN_VARIABLES}

    def set_variables(self, variables: Mapping[str, str]) -> None:
        """Add environment variables for all later processes."""
        self._environ |= variables

    def override(self) -> None:
        """Read the settings, and let no program run that only the repository names."""
        self._environ |= as_variables({})
        listed = self.run("config", "--list", "--show-scope", "-z")
        self._environ |= as_variables(safe_settings(read_settings(listed)))

    def call(self, *arguments: str, given: bytes = b"") -> GitReply:
        """Run git to its end, whatever its exit code.

        Raises WorkspaceGitError if there is no git, or if it was killed or too slow: then nobody
        knows the answer.
        """
        if self._program is None:
            raise WorkspaceGitError(arguments[0], "git is not installed")
        try:
            process = subprocess.Popen(
                [self._program, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.folder,
                env=self._environ,
                pass_fds=self._held,
                start_new_session=True,
            )
        except OSError as error:
            raise WorkspaceGitError(arguments[0], str(error)) from None
        try:
            out, err = process.communicate(given, timeout=self._seconds)
        except subprocess.TimeoutExpired:
            raise WorkspaceTimeoutError(arguments[0], self._seconds) from None
        finally:
            end_process(process)
        reply = GitReply(process.returncode, out, err)
        if reply.code < 0:
            raise failure(arguments[0], reply)
        return reply

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """Run git and return its output; raises WorkspaceGitError."""
        reply = self.call(*arguments, given=given)
        if reply.code != 0:
            raise failure(arguments[0], reply)
        return reply.out

    def text(self, *arguments: str) -> str:
        """Run git and return its output as one line of text."""
        return os.fsdecode(self.run(*arguments)).strip("\n")

    def commit_of(self, name: str) -> str:
        """Return the commit that a branch, tag or commit names, or ""."""
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        reply = self.call(*asked)
        return os.fsdecode(reply.out).strip() if reply.code == 0 else ""

    def refs(self, *patterns: str) -> dict[str, str]:
        """Return the commits of all refs that match, by their full names."""
        asked = ("for-each-ref", "--format=%(objectname) %(refname)", *patterns)
        lines = os.fsdecode(self.run(*asked)).splitlines()
        return {ref: commit for commit, _, ref in (line.partition(" ") for line in lines)}

    def change_refs(self, lines: Sequence[str], why: str) -> None:
        """Change refs in one transaction: all, or none; raises WorkspaceGitError."""
        given = "".join(f"{line}\n" for line in ("start", *lines, "commit"))
        self.run("update-ref", "-m", why, "--stdin", given=os.fsencode(given))

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Return whether a commit is in the history of another."""
        reply = self.call("merge-base", "--is-ancestor", older, newer)
        if reply.code not in (0, 1):
            raise failure("merge-base", reply)
        return reply.code == 0


def failure(command: str, reply: GitReply) -> WorkspaceGitError:
    """Return the error for a git process that failed."""
    full = reply.code == -signal.SIGXFSZ or _OF_DISK.search(reply.says)
    if reply.code < 0 and not full:
        return WorkspaceKilledError(command, -reply.code)
    return (WorkspaceStorageError if full else WorkspaceGitError)(command, reply.says)


def open_repository(
    folder: str, environ: Mapping[str, str], *, held: Sequence[int] = ()
) -> RepositoryGit:
    """Return git in the repository around a folder; raises NoRepositoryError."""
    if not os.path.isdir(folder):
        raise NoRepositoryError(folder, "there is no such folder")
    git = RepositoryGit(folder, environ, held)
    reply = git.call("rev-parse", "--path-format=absolute", "--git-common-dir")
    if reply.code != 0 and _NO_REPOSITORY not in reply.says:
        raise failure("rev-parse", reply)
    if reply.code != 0:
        raise NoRepositoryError(folder, reply.says)
    git.common = os.fsdecode(reply.out).removesuffix("\n")
    git.override()
    return git


def open_worktree(
    path: str, environ: Mapping[str, str], *, held: Sequence[int] = ()
) -> RepositoryGit:
    """Return git in one worktree, and never in a repository around it."""
    git = RepositoryGit(path, environ, held)
    git.set_variables({"GIT_DIR": os.path.join(path, ".git"), "GIT_WORK_TREE": path})
    git.override()
    return git
