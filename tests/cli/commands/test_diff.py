"""`handrail diff`: what has changed since a checkpoint, for people and for programs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import HandrailShell
from tests.cli.fake_terminal import FakeTerminal

from handrail.checkpoint import (
    CheckpointInfo,
    CheckpointStore,
    CheckpointTrigger,
    checkpoint_folder,
)
from handrail.checkpoint.comparison import ChangedFile, ChangeKind
from handrail.cli import main
from handrail.cli.commands.diff import painted
from handrail.cli.output.changed_file_lines import numbers
from handrail.cli.output.terminal import TerminalOutput

pytestmark = pytest.mark.slow


class DiffProject:
    """A repository with two checkpoints, the older one before a prompt, and changes since."""

    def __init__(self, shell: HandrailShell) -> None:
        self.shell = shell
        self.path = shell.project
        environ = {**shell.environ, "PATH": os.environ["PATH"]}
        folder = checkpoint_folder(str(shell.state), str(self.path))
        self.checkpoints = CheckpointStore(folder, str(self.path), environ=environ)
        self.write("cart.py", b"total = 0\n" * 9)
        self.write("src/logo.png", b"\0\1\2")
        self.checkpoints.save(CheckpointInfo(CheckpointTrigger.PROMPT, "prompt: fix the cart"))
        self.write("cart.py", b"total = 0\n" * 8 + b"total = 1\n")
        self.checkpoints.save(CheckpointInfo(CheckpointTrigger.AFTER_ACTION, "after step 1"))
        self.write("src/logo.png", b"\0\1\3")
        self.write("src/new.py", b"x = 1\ny = 2\n")

    def write(self, path: str, content: bytes) -> None:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def json(self, *args: str) -> dict[str, tuple[object, ...]]:
        """By path, what became of it, and how many lines."""
        told = self.shell.run("diff", "--json", *args).json
        return {
            each["path"]: (each["became"], each["added"], each["deleted"], each["binary"])
            for each in told["files"]
        }


@pytest.fixture
def project(shell: HandrailShell) -> DiffProject:
    return DiffProject(shell)


SINCE_PROMPT: dict[str, tuple[object, ...]] = {
    "cart.py": ("changed", 1, 1, False),
    "src/logo.png": ("changed", 0, 0, True),
    "src/new.py": ("new", 2, 0, False),
}


def test_by_default_it_is_since_the_last_prompt(project: DiffProject) -> None:
    assert project.json() == SINCE_PROMPT


def test_files_are_compared_as_the_project_saves_them(project: DiffProject) -> None:
    project.write(".gitignore", b"*.log\n")
    project.write("keep.log", b"x\n")
    assert "keep.log" not in project.json("c2")
    project.write("handrail.yaml", b"checkpoints: {include: [keep.log]}\n")
    assert "keep.log" in project.json("c2")


def test_a_checkpoint_may_be_named(project: DiffProject) -> None:
    assert list(project.json("c2")) == ["src/logo.png", "src/new.py"]
    assert project.json("c1") == SINCE_PROMPT


def test_two_checkpoints_are_compared_with_each_other(project: DiffProject) -> None:
    assert project.json("c1", "c2") == {"cart.py": ("changed", 1, 1, False)}


def test_paths_are_seen_from_where_one_is(
    project: DiffProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(project.json("src")) == ["src/logo.png", "src/new.py"]
    monkeypatch.chdir(project.path / "src")
    assert list(project.json("c1", "../cart.py", "new.py")) == ["cart.py", "src/new.py"]
    assert list(project.json(".")) == ["src/logo.png", "src/new.py"]


def test_a_file_may_be_called_like_a_checkpoint(project: DiffProject) -> None:
    project.write("c1", b"x\n")
    assert list(project.json("./c1")) == ["c1"]


def test_files_that_moved_are_told_as_such(project: DiffProject) -> None:
    (project.path / "cart.py").rename(project.path / "basket.py")
    [each] = project.shell.run("diff", "c2", "--json", "cart.py", "basket.py").json["files"]
    assert (each["became"], each["before"], each["path"]) == ("renamed", "cart.py", "basket.py")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("c99",), "there is no checkpoint 'c99'; see handrail checkpoints"),
        (("befor-refactor",), "no checkpoint and no file is called 'befor-refactor'"),
        (("c1", "c2", "c3"), "no checkpoint and no file is called 'c3'"),
        (("/etc/passwd",), "is outside of"),
    ],
)
def test_what_cannot_be_compared_is_said(
    project: DiffProject, args: tuple[str, ...], says: str
) -> None:
    ran = project.shell.run("diff", *args)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


def test_the_list_says_how_many_lines(project: DiffProject) -> None:
    assert project.shell.run("diff", "--stat").out.splitlines() == [
        " Since c1 (prompt: fix the cart), 0 s ago: 3 files",
        "",
        "   changed  cart.py       +1 -1",
        "   changed  src/logo.png  binary",
        "   new      src/new.py    +2",
        "",
    ]


def test_where_nothing_has_changed_that_is_said(project: DiffProject) -> None:
    project.checkpoints.save(CheckpointInfo(name="here"))
    out = project.shell.run("diff", "here", "--stat").out
    assert out == " Since c3 (here), 0 s ago: nothing changed\n"
    assert project.shell.run("diff", "here").out == ""


def test_a_patch_takes_it_back(project: DiffProject) -> None:
    patch = project.shell.spawn("diff", "c1", "cart.py", "src/new.py").stdout
    git = ["git", "apply", "-R"]
    subprocess.run(git, input=patch, cwd=project.path, check=True)
    assert (project.path / "cart.py").read_bytes() == b"total = 0\n" * 9
    assert not (project.path / "src/new.py").exists()


def test_the_repository_of_the_user_is_not_touched(project: DiffProject) -> None:
    def state() -> dict[Path, bytes]:
        found = (project.path / ".git").rglob("*")
        return {path: path.read_bytes() for path in found if path.is_file()}

    subprocess.run(["git", "init", "-q"], cwd=project.path, check=True)
    before = state()
    assert project.shell.run("diff").code == 0
    assert state() == before


def test_on_a_terminal_it_goes_through_the_pager(
    project: DiffProject, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    paged = tmp_path / "paged"
    monkeypatch.setenv("PAGER", f"tee {paged}")
    monkeypatch.setattr(sys, "stdout", FakeTerminal())
    assert main(["diff", "--no-color"]) == 0
    assert "\n+total = 1\n" in paged.read_text()


@pytest.mark.parametrize("pager", ["cat", "", "/no/such/program"])
def test_without_a_pager_it_is_printed(
    project: DiffProject, monkeypatch: pytest.MonkeyPatch, pager: str
) -> None:
    monkeypatch.setenv("PAGER", pager)
    monkeypatch.setattr(sys, "stdout", out := FakeTerminal())
    assert main(["diff"]) == 0
    assert "\x1b[32m+total = 1\x1b[0m\n" in out.getvalue()


def test_what_a_terminal_would_act_on_is_shown() -> None:
    [line] = painted(TerminalOutput(colour=False), b"+a\x1b[2J\tb\r\n")
    assert line == "+a\\x1b[2J   b\\x0d"


def test_numbers_of_lines_stand_below_each_other() -> None:
    screen = TerminalOutput(colour=False)
    changed = ChangedFile("x", ChangeKind.CHANGED, added=1200, deleted=3)
    assert numbers(screen, changed, 6) == "+1,200     -3"
