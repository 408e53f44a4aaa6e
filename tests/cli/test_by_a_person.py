"""What changes Handrail itself is a person's to run."""

import click
import pytest

from handrail.cli import options
from handrail.hosts.driven_agent import MARK

from .conftest import HandrailShell


@pytest.mark.parametrize(
    "command",
    [
        ("install", "claude", "--yes"),
        ("uninstall", "claude", "--yes"),
        ("serve", "--stop"),
        ("serve", "--restart"),
        ("doctor", "--fix"),
        ("status", "--seen"),
        ("feedback", "last", "1", "wrong"),
        ("incident", "resume", "last", "--option", "abort"),
        ("notify",),
        ("checkpoint",),
        ("undo", "--yes"),
        ("undo", "--dry-run"),
        ("redo", "--yes"),
        ("rollback", "c1", "--yes"),
        ("pause", "last"),
        ("resume", "--all"),
        ("stop", "last"),
        ("cancel", "--all", "--yes"),
        ("freeze", "last"),
        ("interrupt", "last"),
        ("steer", "last", "you may push"),
        ("redirect", "last", "push it"),
        ("escalate", "last"),
        ("run", "push it"),
        ("run", "--resume", "last"),
        ("watch",),
        ("panel",),
        ("panel", "--print"),
        ("panel", "--log-out-all"),
        ("panel", "token"),
    ],
    ids=" ".join,
)
def test_an_agent_may_not_change_handrail(
    shell: HandrailShell, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = shell.run(*command)
    assert (ran.code, ran.out) == (2, "")
    assert "use a terminal of your own" in ran.err
    assert not shell.state.exists()


def test_a_driven_agent_is_known_by_its_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARK, "run")
    with pytest.raises(click.ClickException, match=MARK):
        options.by_a_person()


def test_an_agent_may_look(shell: HandrailShell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    assert shell.run("review", "ls").code == 0
    assert shell.run("checkpoints").code == 0
