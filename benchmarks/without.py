"""What a person without checkpoints would do, with git and a shell."""

import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

from benchmarks.trees import Repository

_NOTHING = "No local changes"


class Without:
    """Ways to keep the files of a repository, and to get them back."""

    def __init__(self, repository: Repository, scratch: Path) -> None:
        self._repository = repository
        self._scratch = scratch
        self._git = repository.path / ".git"
        self._objects = scratch / "objects"
        self._objects.mkdir(exist_ok=True)

    def stash_and_back(self) -> None:
        """Both ways, because what is stashed is gone until it is popped."""
        if self.stash():
            self.pop()

    def stash(self) -> bool:
        return _NOTHING not in self._repository.git("stash", "push", "-u")

    def pop(self) -> None:
        self._repository.git("stash", "pop", "-q")

    def commit_aside(self) -> None:
        """A commit beside the branch: a copy of the index, and objects where no others see them."""
        aside = {
            "GIT_INDEX_FILE": str(shutil.copy2(self._git / "index", self._scratch / "index")),
            "GIT_OBJECT_DIRECTORY": str(self._objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(self._git / "objects"),
        }
        self._repository.git("add", "-A", **aside)
        tree = self._repository.git("write-tree", **aside)
        self._repository.git("commit-tree", "-p", "HEAD", "-m", "aside", tree, **aside)

    def commit(self) -> None:
        """Everything, so that further changes are the only ones."""
        self._repository.git("add", "-A")
        self._repository.git("commit", "-q", "--allow-empty", "-m", "more")

    def check_out(self) -> None:
        """Nothing that is new is removed by it."""
        self._repository.git("checkout", "-q", "HEAD", "--", ".")

    def add_everything(self) -> None:
        """Into the empty index of a git directory of its own."""
        own, tree = str(fresh(self._scratch, "own")), str(self._repository.path)
        self._repository.git("init", "-q", "--bare", own)
        self._repository.git("add", "-A", GIT_DIR=own, GIT_WORK_TREE=tree)

    def copy(self) -> None:
        really = ["--reflink=never"] if sys.platform == "linux" else []
        target = str(fresh(self._scratch, "copy"))
        subprocess.run(["cp", "-a", *really, str(self._repository.path), target], check=True)


def fresh(folder: Path, kind: str) -> Path:
    """A name that is free.

    Nothing is deleted before the end: after many deletions ext4 makes new files slowly, for
    minutes.
    """
    return next(path for n in count() if not (path := folder / f"{kind}-{n}").exists())
