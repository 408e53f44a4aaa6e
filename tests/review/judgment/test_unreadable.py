"""What cannot be read does not run; the reason says where, the alternative is let through."""

from pathlib import Path

import pytest

from handrail.config import Config
from handrail.model import Action, Decision, Review, Severity
from handrail.review import Reviewer
from handrail.review.judgment.unreadable import problem_of
from handrail.shell import SyntaxFault

HOME = {"HOME": "/home/test"}


def review(command: str, cwd: str = "/w") -> Review:
    reviewer = Reviewer(environ=HOME, see_disk=cwd != "/w")
    return reviewer.review(Action("Bash", {"command": command}, cwd))


@pytest.mark.parametrize(
    ("command", "place", "says"),
    [
        ("ls\necho 'half a word", "line 2, near `echo 'half a word`", "single quote"),
        ("make\nif true; then", "line 2, near `if true; then`", "ends before it is complete"),
        ("ls; )", "line 1, near `ls; )`", "`)` cannot stand here"),
    ],
)
def test_the_reason_says_where(command: str, place: str, says: str) -> None:
    found = review(command)
    assert found.decision is Decision.BLOCK
    assert found.reasons[0].startswith("It cannot be read, so it is not run")
    assert place in found.reasons[0]
    assert says in found.reasons[0]
    assert "one by one" in found.alternative


def test_an_end_without_text_is_told_by_its_line() -> None:
    assert "the end, in line 3" in problem_of(SyntaxFault(3, "", "it ends"))


def test_nobody_overrules_it_as_with_everything_that_is_not_read() -> None:
    assert review("echo 'half a word").risk.severity is Severity.CRITICAL


def test_text_escaped_for_a_web_page_is_told_so() -> None:
    assert "escaped as HTML" in review("cd src &amp;&amp; ls").alternative


def test_what_it_would_do_is_told_too() -> None:
    reasons = " ".join(review("rm -rf /etc\nfi )").reasons)
    assert "deletes /etc" in reasons


@pytest.mark.parametrize(
    "command",
    [
        "cat > notes.md <<< 'text'",
        "python3 <<'E' 2>&1 | tail -5\nprint('(')\nE",
        "x=$(git rev-parse HEAD) 2>/dev/null; echo $x",
        "! { if false; then :; else\nls\nfi\n}",
        "for i in a b; { echo $i; }",
    ],
)
def test_valid_commands_that_the_parser_does_not_know_run(command: str) -> None:
    assert review(command).decision is Decision.ALLOW


def test_a_payload_in_what_the_parser_does_not_know_is_stopped() -> None:
    found = review("! { if false; then :; else\n\\rm -rf ~/docs\nfi\n}")
    assert found.decision is Decision.BLOCK
    assert "/home/test/docs" in found.reasons[0]


def test_a_command_in_what_the_parser_does_not_know_is_rewritten(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("a")
    reviewer = Reviewer(Config(scope=(str(tmp_path),)), environ=HOME)
    text = "cat <<E > f; rm -rf notes\nx\nE"
    found = reviewer.review(Action("Bash", {"command": text}, str(tmp_path), id="t1"))
    assert found.decision is Decision.MODIFY
    assert found.rewrite is not None
    command = str(found.rewrite.input["command"])
    assert command.startswith("cat <<E > f; {")
    assert command.endswith("\nx\nE")
    assert "mv -- notes" in command


@pytest.mark.parametrize("shebang", ["#!/bin/sh", "#!/usr/bin/env bash"])
def test_a_script_that_cannot_be_read_does_not_run(tmp_path: Path, shebang: str) -> None:
    (tmp_path / "run").write_text(f"{shebang}\nls\necho $(ls\n")
    found = review("./run", str(tmp_path))
    assert found.decision is Decision.BLOCK
    assert "line 3" in found.reasons[0]


def test_a_script_for_zsh_may_have_a_syntax_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("#!/usr/bin/env zsh\nfor x (a b) echo ${(U)x}\n")
    assert review("./run", str(tmp_path)).decision is Decision.ALLOW
