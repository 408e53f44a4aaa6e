"""What can go wrong with workspaces and merges.

WorkspaceError
├── NoRepositoryError      the folder is in no git repository
├── NoCommitsError         the repository has no commit to start from
├── UnknownCommitError     the repository does not know a branch or commit
├── BranchTakenError       a person has a branch with the name of a task's branch
├── WorkspaceBusyError     another process makes, removes or merges the same
├── UnsavedWorkError       a removal would lose work
├── BrokenWorkspaceError   the folder of a workspace is no worktree any more
├── WorkspaceSetupError    a setup command has failed; the workspace is kept
└── WorkspaceGitError      git did not do its work
    ├── WorkspaceTimeoutError  git was ended because it took too long
    ├── WorkspaceKilledError   somebody else has killed git
    └── WorkspaceStorageError  the disk is full, read-only, or not ours
"""


class WorkspaceError(Exception):
    """A workspace could not be made, used, merged or removed."""


class NoRepositoryError(WorkspaceError, ValueError):
    """The folder is in no git repository."""

    def __init__(self, folder: str, says: str = "") -> None:
        because = f" ({says})" if says else ""
        super().__init__(f"{folder} is in no git repository{because}; run `git init` there first")
        self.folder = folder


class NoCommitsError(WorkspaceError, ValueError):
    """The repository has no commit to start from."""

    def __init__(self, repository: str) -> None:
        super().__init__(f"{repository} has no commit yet, and tasks start from one; commit first")
        self.repository = repository


class UnknownCommitError(WorkspaceError, LookupError):
    """The repository does not know a branch or commit."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the repository has no branch or commit {name!r}")
        self.name = name


class BranchTakenError(WorkspaceError):
    """A person has a branch with the name of a task's branch."""

    def __init__(self, branch: str, where: str = "") -> None:
        place = f", checked out in {where}" if where else ""
        super().__init__(
            f"there is a branch {branch}{place}, and Handrail has not made it; "
            f"rename it with `git branch -m {branch} NAME`, or give the task another id"
        )
        self.branch = branch
        self.where = where


class WorkspaceBusyError(WorkspaceError, TimeoutError):
    """Another process holds the lock."""

    def __init__(self, what: str, pid: int, seconds: float) -> None:
        who = f"process {pid}" if pid else "another process"
        super().__init__(f"{what}: {who} has been at it for {seconds:g} s; try again later")
        self.pid = pid


class UnsavedWorkError(WorkspaceError):
    """A removal would lose work."""

    def __init__(self, path: str, files: int, commits: int) -> None:
        counts = ((files, "uncommitted file"), (commits, "commit"))
        lost = [f"{number} {what}{'' if number == 1 else 's'}" for number, what in counts if number]
        super().__init__(f"{path} holds {' and '.join(lost)} that nothing else holds")
        self.path = path


class BrokenWorkspaceError(WorkspaceError):
    """The folder of a workspace is no worktree any more."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"the workspace {path} cannot be used: {why}")
        self.path = path
        self.why = why


class WorkspaceSetupError(WorkspaceError):
    """A setup command has failed."""

    def __init__(self, command: str, how: str, says: str, path: str) -> None:
        super().__init__(f"setup command `{command}`: {how} (in {path})\n{says}".rstrip())
        self.command = command
        self.how = how
        self.says = says
        """The end of its output."""
        self.path = path


class WorkspaceGitError(WorkspaceError):
    """Git did not do its work."""

    def __init__(self, command: str, says: str) -> None:
        super().__init__(f"git {command}: {says}")
        self.command = command
        self.says = says


class WorkspaceTimeoutError(WorkspaceGitError, TimeoutError):
    """Git was ended because it took too long."""

    def __init__(self, command: str, seconds: float) -> None:
        super().__init__(command, f"not done after {seconds:g} s")


class WorkspaceKilledError(WorkspaceGitError):
    """Somebody else has killed git, so nobody knows what it would have said."""

    def __init__(self, command: str, number: int) -> None:
        super().__init__(command, f"it was killed by signal {number}")
        self.number = number


class WorkspaceStorageError(WorkspaceGitError):
    """The disk is full, read-only, or not ours."""

    def __str__(self) -> str:
        return (
            f"the disk cannot be written ({self.command}: {self.says}); free some space, "
            "or set HANDRAIL_HOME to a folder on another disk"
        )
