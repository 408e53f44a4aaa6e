"""`handrail run`: what has to be there before an agent is started, and how its end is told."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import CommandResult, HandrailShell
from tests.cli.logbook import Logbook, RunLog, open_logbook
from tests.project_settings import write_confirmed

from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAnswered, ControlAsked, LoopBegun, LoopEnded
from handrail.server.home import Home
from handrail.server.launcher import stop_daemon

pytestmark = pytest.mark.slow

# A Claude Code that answers each prompt with the next of its words, and then with the last one.
CLAUDE = """#!{python}
import json, sys
words = {words!r}
if sys.argv[1:] == ["--version"]:
    sys.exit(print("2.1.325 (Claude Code)"))
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] != "user":
        continue
    word = words.pop(0) if len(words) > 1 else words[0]
    print(json.dumps({{"type": "system", "subtype": "init", "model": "haiku"}}))
    print(json.dumps({{
        "type": "result", "subtype": "success", "is_error": False, "num_turns": 1,
        "result": word, "total_cost_usd": 0.25, "terminal_reason": "completed",
        "modelUsage": {{"haiku": {{"inputTokens": 100, "costUSD": 0.25}}}},
        "model_usage_since_last_result": {{"haiku": {{"inputTokens": 100, "costUSD": 0.25}}}},
    }}), flush=True)
"""


@pytest.fixture
def programs(shell: HandrailShell, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where programs are found."""
    folder = shell.home / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("IS_SANDBOX", "1")
    yield folder
    stop_daemon(Home(str(shell.state)))


def claude(programs: Path, *words: str) -> None:
    """Put a Claude Code there that says so."""
    program = programs / "claude"
    program.write_text(CLAUDE.format(python=sys.executable, words=list(words)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def run(shell: HandrailShell, *args: str) -> CommandResult:
    """In a process of its own, which has its own signals."""
    done = shell.spawn("run", *args)
    return CommandResult(done.returncode, done.stdout.decode(), done.stderr.decode())


# Before it begins


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ([], 'what is the task? For example: handrail run "Fix the failing tests."'),
        (["  "], "what is the task?"),
        (["x", "--max-cost", "0"], "--max-cost 0.0: use a number above 0"),
        (["x", "--max-iterations", "-1"], "--max-iterations -1: use a number above 0"),
        (["x", "--", "--settings", "y"], "--settings cannot be passed on to Claude Code"),
        (["x", "--", "-c"], "-c cannot be passed on to Claude Code: Handrail sets it itself"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_meant_is_one_line(shell: HandrailShell, args: list[str], says: str) -> None:
    ran = shell.run("run", *args)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert ran.err.count("\n") == 1
    assert not shell.state.exists()


def test_as_root_permissions_are_not_bypassed(
    shell: HandrailShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("IS_SANDBOX", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "does not take bypassPermissions as root" in shell.run("run", "x").err


def test_without_claude_nothing_is_started(
    shell: HandrailShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("IS_SANDBOX", "1")
    monkeypatch.setattr("handrail.hosts.claude.program._USUAL", ())
    ran = shell.run("run", "x")
    assert (ran.code, ran.out) == (2, "")
    assert "cannot find Claude Code" in ran.err


def test_where_hooks_would_not_run_nothing_is_started(shell: HandrailShell, programs: Path) -> None:
    claude(programs, "TASK DONE")
    (shell.home / ".claude").mkdir()
    (shell.home / ".claude/settings.json").write_text('{"disableAllHooks": true}')
    ran = run(shell, "x")
    assert (ran.code, ran.out) == (2, "")
    assert "did not start the agent, because it would be unsupervised: " in ran.err
    assert "disableAllHooks is true" in ran.err


def test_where_nothing_can_be_undone_nothing_is_started_without_yes(
    shell: HandrailShell, programs: Path
) -> None:
    claude(programs, "TASK DONE")
    shell.environ["HOME"] = str(shell.project)
    ran = run(shell, "x")
    assert (ran.code, ran.out) == (2, "")
    assert "its work could not be undone: " in ran.err
    assert "your home folder is in it" in ran.err
    assert "--yes" in ran.err
    assert ran.err.count("\n") == 1
    ran = run(shell, "x", "--yes")
    assert ran.code == 0, ran.err
    assert "! the work of this run cannot be undone: " in ran.err


def test_checkpoints_that_are_switched_off_are_said_too(
    shell: HandrailShell, programs: Path
) -> None:
    claude(programs, "TASK DONE")
    write_confirmed(shell.project, "checkpoints: {enabled: false}\n", shell.environ)
    ran = run(shell, "x")
    assert "checkpoints are switched off (checkpoints.enabled)" in ran.err


# How it ends


def test_the_end_says_what_it_took_and_what_to_do_next(
    shell: HandrailShell, programs: Path
) -> None:
    claude(programs, "I looked.", "TASK DONE")
    ran = run(shell, "fix", "the cart", "--verify", "true")
    assert ran.code == 0, ran.err
    name = ran.out.split()[1]
    assert ran.out.splitlines()[-3:] == [
        " DONE · verified: true",
        " 2 iterations · 0 actions · 200 tokens · $0.50",
        f" Next: handrail log {name}   what it did",
    ]
    assert "▸ driven by Handrail, at most 10 iterations · verified by: true" in ran.out


def test_a_limit_is_no_success(shell: HandrailShell, programs: Path) -> None:
    claude(programs, "Hm.")
    ran = run(shell, "think", "--max-cost", "0.4")
    assert ran.code == 1
    assert " NOT DONE · $0.50 of $0.40 used" in ran.out


def test_a_run_whose_output_nobody_reads_is_ended(shell: HandrailShell, programs: Path) -> None:
    claude(programs, "Hm.")
    with subprocess.Popen(
        [sys.executable, "-m", "handrail", "run", "think", "--max-iterations", "100000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=shell.project,
        env={**os.environ, **shell.environ},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 128 + signal.SIGPIPE
    (run,) = shell.run("status", "--json").json["runs"]
    assert run["state"] == "stopped"
    assert run["control"]["reason"] == "nobody reads the output of handrail run"


def test_the_prompt_may_come_from_stdin(shell: HandrailShell, programs: Path) -> None:
    claude(programs, "TASK DONE")
    done = shell.spawn("run", "-", "--json", stdin=b"fix the cart\n")
    assert done.returncode == 0
    assert b'"goal":"fix the cart"' in done.stdout.splitlines()[0]


def test_a_run_that_is_done_can_be_given_something_else(
    shell: HandrailShell, programs: Path
) -> None:
    claude(programs, "TASK DONE")
    first = run(shell, "fix the cart", "--verify", "true", "--max-iterations", "3")
    name = first.out.split()[1]
    again = run(shell, "--resume", name, "now the docs", "--json")
    assert again.code == 0, again.err
    begun = again.lines[0]
    assert (begun["event"], begun["goal"]) == ("loop_begun", "now the docs")
    assert (begun["verify"], begun["max"]) == ("true", 3)
    assert again.lines[-1]["tokens"] == 200


@pytest.mark.parametrize(
    ("limit", "says", "more"),
    [
        (("--max-tokens", "150"), "200 of 150 tokens used", "--max-tokens 350"),
        (("--max-cost", "0.4"), "$0.50 of $0.40 used", "--max-cost 1"),
        (("--max-iterations", "2"), "2 of 2 iterations used", "--max-iterations 4"),
    ],
)
def test_a_resumed_run_keeps_its_limits(
    shell: HandrailShell, programs: Path, limit: tuple[str, str], says: str, more: str
) -> None:
    claude(programs, "Hm.")
    first = run(shell, "think", *limit)
    name = first.out.split()[1]
    assert f" NOT DONE · {says}" in first.out
    assert f"handrail run --resume {name} {more} " in first.out
    again = run(shell, "--resume", name)
    assert again.code == 1
    assert f" NOT DONE · {says}" in again.out, again.out
    higher = run(shell, "--resume", name, *more.split())
    assert "of" in higher.out
    assert f" NOT DONE · {says}" not in higher.out


# What cannot be taken up


@pytest.fixture
def book(shell: HandrailShell, monkeypatch: pytest.MonkeyPatch) -> Iterator[Logbook]:
    monkeypatch.setenv("IS_SANDBOX", "1")
    with open_logbook(shell) as book:
        yield book


def driven(book: Logbook, cwd: str = "") -> RunLog:
    log = RunLog(book, "3f2a0000", cwd or book.folder)
    log.note(LoopBegun(book.now, "fix it", 3, cwd=log.cwd))
    return log


def test_a_session_of_ones_own_is_taken_up_by_claude(shell: HandrailShell, book: Logbook) -> None:
    book.start("3f2a0000")
    ran = shell.run("run", "--resume", "shop")
    assert ran.code == 2
    assert "shop-3f2a was not started by handrail run; use claude --resume 3f2a0000" in ran.err


def test_a_cancelled_run_is_not_taken_up(shell: HandrailShell, book: Logbook) -> None:
    log = driven(book)
    log.note(ControlAsked(book.now, "r1", ControlCommand.CANCEL, Standing.CANCELLING, "ann"))
    log.note(ControlAnswered(book.now, "r1", ControlCommand.CANCEL, Standing.CANCELLED))
    ran = shell.run("run", "--resume", "shop")
    assert ran.code == 2
    assert "shop-3f2a was cancelled by ann, which is final" in ran.err


def test_a_run_whose_folder_is_gone_is_not_taken_up(shell: HandrailShell, book: Logbook) -> None:
    driven(book, "/nowhere/shop").note(LoopEnded(book.now, "done", "STUCK"))
    ran = shell.run("run", "--resume", "shop")
    assert ran.code == 2
    assert "the folder of shop-3f2a is gone: /nowhere/shop" in ran.err
