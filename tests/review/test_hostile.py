"""Whatever comes in, a review comes out, and what could not be read is never allowed."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.config import Config
from handrail.model import Action, Decision, Review
from handrail.review import Reviewer
from tests.fuzz.hostile import HIDDEN
from tests.fuzz.review_process import ReviewProcess

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def judge() -> Iterator[ReviewProcess]:
    with ReviewProcess() as judge:
        yield judge


@pytest.mark.parametrize("name", HIDDEN)
def test_nothing_hides_behind_a_limit(name: str, judge: ReviewProcess) -> None:
    judgement = judge.judge(name)
    assert not judgement.fault
    assert judgement.decision in {"modify", "block"}


def review(action: Action, *, see_disk: bool = False) -> Review:
    config = Config(scope=("/work/x/**",))
    return Reviewer(config, environ={"HOME": "/home/test"}, see_disk=see_disk).review(action)


def bash(command: object, cwd: str = "/work/x", **env: str) -> Action:
    return Action("Bash", {"command": command}, cwd, env)


@pytest.mark.parametrize(
    "value",
    [
        None,
        1,
        1.5,
        True,
        b"rm -rf /etc",
        {},
        {"command": "ls"},
        [1],
        ["ls", None],
        [["ls"]],
        ("ls",),
        object,
    ],
)
def test_a_command_that_is_no_text_is_blocked(value: object) -> None:
    assert review(bash(value)).decision is Decision.BLOCK


@pytest.mark.parametrize(
    "given", [{}, {"cmdline": "ls"}, {"description": "x"}, {"Command": "rm -rf /etc"}]
)
def test_a_missing_command_is_blocked(given: dict[str, object]) -> None:
    assert review(Action("Bash", given, "/work/x")).decision is Decision.BLOCK


def test_fields_that_nobody_knows_change_nothing() -> None:
    given: dict[str, object] = {"command": "rm -rf /etc", "x" * 1000: [{}] * 1000, "timeout": -1}
    assert review(Action("Bash", given, "/work/x")).decision is Decision.BLOCK


@pytest.mark.parametrize(
    "tool",
    [
        "",
        " ",
        "Write",
        "Edit",
        "Read",
        "MultiEdit",
        "Delete",
        "WebFetch",
        "Grep",
        "Glob",
        "NotebookEdit",
        "mcp__",
        "mcp__a__delete",
        "__",
        ".",
        "a.b",
        "a" * 100_000,
        "\0",
        "\udc80",
        "é",
        "TodoWrite",
    ],
)
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"file_path": None},
        {"file_path": 7, "content": b"x"},
        {"file_path": "", "content": ""},
        {"file_path": "\0", "content": "\0"},
        {"file_path": "\udc80", "content": "\udc80"},
        {"file_path": "a/" * 100_000, "content": "x" * 1_000_000},
        {"path": ["/etc"], "edits": "none"},
        {"path": "/etc/passwd", "edits": [None, 1, {}, {"new_string": 1}]},
        {"url": "http://["},
        {"url": "http://" + "[" * 10_000},
        {"url": 1},
    ],
)
def test_any_tool_with_any_input_gets_a_review(tool: str, given: dict[str, object]) -> None:
    result = review(Action(tool, given, "/work/x"))
    assert isinstance(result.decision, Decision)
    assert result.alternative or result.rewrite or not result.decision.stops


@pytest.mark.parametrize(
    "cwd", ["", ".", "a/b", "..", "/", "/\0", "\0", "/" + "a/" * 500_000, "\udc80", "~"]
)
@pytest.mark.parametrize("see_disk", [False, True])
def test_any_folder_gets_a_review(cwd: str, see_disk: bool) -> None:
    assert review(bash("rm -rf /etc", cwd), see_disk=see_disk).decision is Decision.BLOCK


def test_a_large_environment_gets_a_review() -> None:
    env = {f"V{number}": "x" * 100 for number in range(10_000)}
    assert review(bash("rm -rf /$V1/../etc", **env)).decision is Decision.BLOCK


@pytest.mark.parametrize(
    "name", ["HOME", "TMPDIR", "XDG_STATE_HOME", "HANDRAIL_HOME", "PATH", "IFS"]
)
@pytest.mark.parametrize("value", ["", "/", "\0", "\udc80", "*", "a" * 100_000, "../.."])
def test_odd_variables_do_not_open_the_system(name: str, value: str) -> None:
    assert review(bash("rm -rf /etc", **{name: value})).decision is Decision.BLOCK


@pytest.mark.parametrize(
    "path",
    ["a*" * 1000, "a*/" * 1000, "[a-" * 1000, "?" * 5000, "**/" * 1000, "(a+)+" * 1000, "a" * 5000],
)
def test_patterns_in_paths_are_no_bombs(path: str) -> None:
    for tool, given in (
        ("Write", {"file_path": path, "content": ""}),
        ("Read", {"file_path": path}),
    ):
        assert isinstance(review(Action(tool, dict(given), "/work/x")), Review)
    assert isinstance(review(bash(f"rm '{path}'")), Review)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A project with everything that a disk can hold against its reader."""
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "up").symlink_to("..")
    (tmp_path / "self").symlink_to(".")
    (tmp_path / "system").symlink_to("/etc")
    (tmp_path / "gone").symlink_to("/no/such/place")
    (tmp_path / "library").symlink_to("/usr/lib")
    for number in range(35):  # the kernel follows 40
        (tmp_path / f"chain{number}").symlink_to(f"chain{number + 1}")
    (tmp_path / "chain35").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe.sh")
    (tmp_path / "binary.sh").write_bytes(b"\0\xff" * 1000)
    (tmp_path / "large.sh").write_bytes(b"#!/bin/sh\n" + b"#\n" * 100_000 + b"rm -rf /etc\n")
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "run.sh").write_text("rm -rf /etc\n")
    closed.chmod(0)
    yield tmp_path
    closed.chmod(0o700)


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf loop",
        "rm -rf loop/x",
        "rm -rf a/b/c",
        "rm -rf self/self/self/self/x",
        "rm -rf gone/x",
        "cat pipe.sh",
        "sh pipe.sh",
        "./pipe.sh",
        "sh binary.sh",
        "sh large.sh",
        "sh closed/run.sh",
        "rm -rf closed/x",
        "rm -rf closed/*",
        "ls closed",
        "rm -rf 'a\0b'",
        "sh loop",
        "rm -rf $'\\xff'",
    ],
)
def test_an_odd_disk_gets_a_review(command: str, project: Path) -> None:
    config = Config(scope=(str(project),))
    reviewer = Reviewer(config, environ={"HOME": str(project / "nobody")})
    assert isinstance(reviewer.review(bash(command, str(project))), Review)


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf system/",
        "rm -rf system/ssh",
        "rm -rf chain0/x",
        "rm -rf self/self/system/x",
        "rm -rf library/../../etc",
    ],
)
def test_links_do_not_lead_out_of_the_scope_unseen(command: str, project: Path) -> None:
    config = Config(scope=(str(project),))
    reviewer = Reviewer(config, environ={"HOME": str(project / "nobody")})
    assert reviewer.review(bash(command, str(project))).decision.stops
