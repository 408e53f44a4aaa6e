"""Whether git would pick up a file, and the line that prevents it."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hosts.git_view import git_view, with_line, without_line


def _git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    _git(folder, "init", "-q")
    return folder


def test_a_file_outside_of_a_repository(tmp_path: Path) -> None:
    assert git_view(str(tmp_path / "a/b/c.json")).state == "outside"


def test_a_file_that_git_ignores(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.local.json\n")
    assert git_view(str(repository / ".claude/settings.local.json")).state == "ignored"


def test_a_file_that_git_has(repository: Path) -> None:
    (repository / "a.json").write_text("{}")
    _git(repository, "add", "a.json")
    assert git_view(str(repository / "a.json")).state == "tracked"


@pytest.mark.parametrize("place", [".", "sub", "odd [name]*"])
def test_the_line_keeps_git_from_picking_the_file_up(repository: Path, place: str) -> None:
    path = repository / place / ".claude/settings.local.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    view = git_view(str(path))
    assert view.state == "visible"
    exclude = Path(view.exclude)
    exclude.parent.mkdir(exist_ok=True)
    before = exclude.read_text() if exclude.exists() else ""
    exclude.write_text(with_line(before, view.line))
    assert git_view(str(path)).state == "ignored"
    assert "settings.local.json" not in _git(repository, "status", "--short", "-uall")


def test_a_linked_worktree_uses_the_list_of_its_repository(repository: Path) -> None:
    _git(repository, "commit", "-q", "--allow-empty", "-m", "begin")
    other = repository.parent / "other"
    _git(repository, "worktree", "add", "-q", str(other))
    view = git_view(str(other / ".claude/settings.local.json"))
    assert view.line == "/.claude/settings.local.json"
    assert Path(view.exclude).resolve() == (repository / ".git/info/exclude").resolve()


lists = st.lists(st.sampled_from(["# why", "*.o", "/a b", ""]), max_size=4).map("\n".join)


@given(lists, st.booleans())
def test_a_line_goes_in_and_out(text: str, ended: bool) -> None:
    text += "\n" * (ended and bool(text))
    longer = with_line(text, "/ours")
    assert longer.endswith("/ours\n")
    assert without_line(longer, "/ours").rstrip("\n") == text.rstrip("\n")
