"""`handrail watch` in a real terminal, over a real log, without a daemon."""

import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.sample_log import SHOP, SampleLog, sample_log
from tests.tui.tmux import Tmux, tmux

pytestmark = pytest.mark.slow

_COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[0-9;]*m")


@pytest.fixture
def window() -> Iterator[Tmux]:
    with tempfile.TemporaryDirectory() as folder, tmux(Path(folder)) as window:
        yield window


@pytest.fixture
def live(tmp_path: Path) -> Iterator[SampleLog]:
    with sample_log(tmp_path, time.time()) as book:
        yield book


def _watch(window: Tmux, home: Path, size: tuple[int, int] = (80, 24), **more: str) -> None:
    command = f"TERM=screen '{sys.executable}' -m handrail watch; echo it ended with $?; cat"
    environ = {"HANDRAIL_HOME": str(home), "COLUMNS": "70", "LINES": "21", **more}
    window.start(command, size, environ)


def test_it_works_in_a_terminal(live: SampleLog, tmp_path: Path, window: Tmux) -> None:
    _watch(window, tmp_path)
    shown = window.wait_for("▲ docs-91bc")
    assert len(shown.splitlines()) == 24
    assert "! The daemon is not running" in shown
    window.keys("j")
    window.wait_for("● shop-3f2a · working")
    window.wait_for("grep -rn cart src")
    live.end(SHOP)
    live.do(SHOP, "Bash", "echo now")
    window.wait_for("echo now")
    window.keys("x", "q", "y", "K")  # at once: none may be lost, or taken for a command
    window.wait_for("reason (may be empty): qyK")
    window.keys("Escape")
    window.wait_for("nothing was sent")
    window.resize(60, 20)
    window.wait_for("x stop ? help")
    window.resize(200, 50)
    assert len(window.wait_for("K cancel q quit").splitlines()) == 50
    window.keys("q")
    window.wait_for("it ended with 0")
    assert not (tmp_path / "daemon.lock").exists(), "nobody has asked for a daemon"


def test_what_is_pasted_is_never_a_command(live: SampleLog, tmp_path: Path, window: Tmux) -> None:
    _watch(window, tmp_path)
    window.wait_for("▲ docs-91bc")
    window.keys("j")
    window.paste("x\ny\nK\ny\nq\n")
    window.keys("p")
    window.wait_for("pause shop-3f2a")
    window.paste("two\nlines")
    window.wait_for("reason (may be empty): two lines")


def test_without_colours_nothing_is_coloured(live: SampleLog, tmp_path: Path, window: Tmux) -> None:
    _watch(window, tmp_path, NO_COLOR="1")
    window.wait_for("▲ docs-91bc")
    assert not _COLOUR.search(window.screen("-e"))


def test_with_colours_there_are_colours(live: SampleLog, tmp_path: Path, window: Tmux) -> None:
    _watch(window, tmp_path)
    window.wait_for("▲ docs-91bc")
    assert _COLOUR.search(window.screen("-e"))


def test_what_an_agent_writes_does_not_reach_the_terminal(
    live: SampleLog, tmp_path: Path, window: Tmux
) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\x1b[1;1H[red]OWNED[/red] \u202e 日本語 e\u0301\u0301\u0301"
    live.end(SHOP)
    live.ask(SHOP, "Bash", f"echo {evil}")
    _watch(window, tmp_path, (200, 50))
    window.wait_for("▲ docs-91bc")
    window.keys("j")
    shown = window.wait_for("OWNED")
    assert r"\x1b]0;owned\x07\x1b[2J\x1b[1;1H[red]OWNED" in shown
    assert shown.startswith(" handrail  5 runs")
    assert all(line.endswith(("│", "╮", "╯")) for line in shown.splitlines() if line[0] in "│╭╰")


def test_a_log_that_comes_later_is_shown(tmp_path: Path, window: Tmux) -> None:
    _watch(window, tmp_path)
    window.wait_for("No runs yet")
    with sample_log(tmp_path, time.time()):
        window.wait_for("▲ docs-91bc")
