"""A scratch project with checkpoints of its own."""

import os
import subprocess
from pathlib import Path

import pytest

from handrail.checkpoint import (
    CheckpointInfo,
    CheckpointRecord,
    CheckpointStore,
    RestorePreview,
    RestoreResult,
    RestoreTarget,
    SavedCheckpoint,
    UndoLevel,
)
from handrail.checkpoint.save import fast_save
from handrail.config.checkpoints import Checkpoints as Settings


class CheckpointProject:
    """A work tree, and its checkpoints beside it."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.tree = self.home / "shop"
        self.tree.mkdir(parents=True)
        self.folder = root / "state" / "checkpoints" / "shop"
        self.environ = {"HOME": str(self.home), "PATH": os.environ["PATH"]}
        self.checkpoints = self.of(self.tree)

    def of(self, tree: Path, settings: Settings = Settings()) -> CheckpointStore:  # noqa: B008
        """The checkpoints of a work tree of the project."""
        return CheckpointStore(str(self.folder), str(tree), settings, self.environ)

    def save(self, why: str = "a test") -> SavedCheckpoint:
        return self.checkpoints.save(CheckpointInfo(why=why))

    def restore(self, to: CheckpointRecord) -> RestoreResult:
        """Everything since then, whoever has changed it."""
        return self.checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, to), over=True)

    def look(self, to: CheckpointRecord) -> RestorePreview:
        return self.checkpoints.preview(RestoreTarget(UndoLevel.CHECKPOINT, to))

    def write(self, path: str, content: str | bytes = "") -> Path:
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def content(self) -> dict[str, bytes | str]:
        """Every file and link of the work tree, without the user's repository."""
        found: dict[str, bytes | str] = {}
        for path in sorted(self.tree.rglob("*")):
            name = str(path.relative_to(self.tree))
            if name.split("/", maxsplit=1)[0] == ".git":
                continue
            if path.is_symlink():
                found[name] = f"-> {os.readlink(path)}"
            elif path.is_file():
                found[name] = path.read_bytes()
        return found

    def held(self, record: CheckpointRecord) -> dict[str, bytes | str]:
        """Every file and link of a checkpoint, as `content` gives those of the work tree."""
        private = self.folder / "git"
        found: dict[str, bytes | str] = {}
        listed = self._run("ls-tree", "-r", "-z", record.git_commit, at=private)
        for entry in filter(None, listed.split(b"\0")):
            head, _, path = entry.partition(b"\t")
            mode, _, blob = head.decode().split()
            data = self._run("cat-file", "blob", blob, at=private)
            is_link = mode == "120000"
            found[os.fsdecode(path)] = f"-> {os.fsdecode(data)}" if is_link else data
        return found

    def git(self, *args: str, at: Path | None = None) -> str:
        """The user's own git."""
        return os.fsdecode(self._run(*args, at=at or self.tree))

    def _run(self, *args: str, at: Path) -> bytes:
        person = ["-c", "user.name=Me", "-c", "user.email=me@example.invalid"]
        ran = subprocess.run(
            ["git", *person, *args], cwd=at, env=self.environ, capture_output=True, check=True
        )
        return ran.stdout

    def repository(self) -> None:
        """Make the work tree a repository of the user."""
        self.write("README.md", "# A shop\n")
        self.git("init", "-q", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "start")


@pytest.fixture
def project(tmp_path: Path) -> CheckpointProject:
    return CheckpointProject(tmp_path)


@pytest.fixture
def by_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few files have changed, git takes them in."""
    monkeypatch.setattr(fast_save, "MOST_FILES", -1)
