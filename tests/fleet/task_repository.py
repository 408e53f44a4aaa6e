"""A repository of a user, the workspaces of its tasks, and git as the user runs it."""

import os
import subprocess
from pathlib import Path

from handrail.fleet.merges.merging import Merging
from handrail.fleet.workspaces.workspaces import Workspaces

ME = ("-c", "user.name=Me", "-c", "user.email=me@example.invalid")


class TaskRepository:
    """A repository with one commit, and a state folder beside it."""

    def __init__(self, root: Path, name: str = "shop") -> None:
        self.home = root / "home"
        self.tree = self.home / name
        self.tree.mkdir(parents=True)
        self.root = root / "state" / "workspaces" / "shop"
        self.trees = root / "trees"
        self.environ = {"HOME": str(self.home), "PATH": os.environ["PATH"]}
        self.workspaces = self.of(self.tree)
        self.git("init", "-q", "-b", "main")
        self.write("README.md", "# A shop\n")
        self.write("src/till.py", "total = 0\n")
        self.commit("start")

    def of(self, repository: Path) -> Workspaces:
        return Workspaces(str(repository), str(self.root), self.environ, trees=str(self.trees))

    @property
    def merging(self) -> Merging:
        return Merging(str(self.tree), str(self.root), self.environ, trees=str(self.trees))

    def git(self, *args: str, at: Path | str | None = None) -> str:
        """The user's own git; what it prints."""
        ran = subprocess.run(
            ["git", *ME, *args],
            cwd=at or self.tree,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return os.fsdecode(ran.stdout).strip("\n")

    def write(self, path: str, content: str, at: Path | str | None = None) -> Path:
        file = Path(at or self.tree) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return file

    def commit(self, message: str, at: Path | str | None = None) -> str:
        """Commit everything; return the commit."""
        self.git("add", "-A", at=at)
        self.git("commit", "-q", "-m", message, at=at)
        return self.head(at=at)

    def head(self, name: str = "HEAD", at: Path | str | None = None) -> str:
        return self.git("rev-parse", name, at=at)

    def refs(self) -> dict[str, str]:
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def worktrees(self) -> list[str]:
        """The paths of all worktrees but the main one."""
        lines = self.git("worktree", "list", "--porcelain").splitlines()
        return [line.removeprefix("worktree ") for line in lines if line.startswith("worktree ")][
            1:
        ]

    def traces(self) -> set[str]:
        """Everything in the state folder and in the list of worktrees, by name."""
        admin = self.tree / ".git" / "worktrees"
        found = {f"admin {path.name}" for path in admin.iterdir()} if admin.is_dir() else set()
        for folder in (self.root, self.trees):
            files = (path for path in folder.rglob("*") if path.is_file())
            found |= {str(path.relative_to(folder)) for path in files}
        return found
