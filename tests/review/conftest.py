"""A real project on the disk, and a reviewer that looks at it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.model import Action, Review
from handrail.review import Reviewer


class ReviewProject:
    """A scratch git repository with a home and a Handrail state folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.state = folder / "state"
        self.path = folder / "project"
        for made in (self.home, self.path / "src", self.path / "notes", self.path / "build"):
            made.mkdir(parents=True)
        (self.path / "src" / "app.py").write_text("print('app')\n")
        (self.path / "notes" / "plan.md").write_text("the plan\n")
        (self.path / "notes" / "b c.md").write_text("blank in its name\n")
        (self.path / "build" / "out.o").write_text("made by a build\n")
        self.run("git init -q -b main && git add src && git commit -qm first")
        self.reviewer = Reviewer(environ=self.environ)

    @property
    def environ(self) -> dict[str, str]:
        names = {"GIT_AUTHOR_NAME": "a", "GIT_COMMITTER_NAME": "a"}
        mails = {"GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_EMAIL": "a@example.org"}
        return {
            "HOME": str(self.home),
            "HANDRAIL_HOME": str(self.state),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "GIT_CONFIG_NOSYSTEM": "1",
            **names,
            **mails,
        }

    def review(self, command: str, *, cwd: str = "") -> Review:
        """What Handrail says to a command in this project."""
        folder = str(self.path / cwd) if cwd else str(self.path)
        return self.reviewer.review(Action("Bash", {"command": command}, folder))

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command for real, in the scratch folder only."""
        assert str(self.path).startswith(str(self.home.parent))
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.path,
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=20,
        )

    def tree(self) -> dict[str, str]:
        """All files of the project but git's own, with their text."""
        return {
            str(file.relative_to(self.path)): file.read_text()
            for file in sorted(self.path.rglob("*"))
            if file.is_file() and ".git" not in file.relative_to(self.path).parts
        }


@pytest.fixture
def project(tmp_path: Path) -> ReviewProject:
    return ReviewProject(tmp_path)


@pytest.fixture(scope="session")
def elsewhere() -> Callable[[str], Review]:
    """Reviews of commands in a project that is not on this machine."""
    reviewer = Reviewer(environ={"HOME": "/home/test"}, see_disk=False)
    return lambda command: reviewer.review(
        Action("Bash", {"command": command}, "/workspace/project", {"HOME": "/home/test"})
    )
