"""`handrail pause`, `resume`, `stop` …: a request, and what comes of it, from a real daemon."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.cli.conftest import HandrailShell
from tests.cli.fake_terminal import FakeTerminal
from tests.cli.logbook import Logbook, RunLog, memory_logbook
from tests.cli.supervised_sessions import (
    DOCS,
    SHOP,
    SupervisedSessions,
    meanwhile,
    supervised,
    wait_for,
)
from tests.cli.test_main import imported, on_a_terminal

from handrail.cli import main
from handrail.cli.history.runs import KnownRun, KnownRuns
from handrail.cli.output.terminal import TerminalOutput
from handrail.cli.requests.progress_line import RequestFacts, lines_of
from handrail.cli.requests.sending import SentRequest, choose_all, choose_one
from handrail.control.client import make_request
from handrail.control.message import Result
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAnswered, LoopBegun
from handrail.server.launcher import stop_daemon

pytestmark = pytest.mark.slow

DAY = 24 * 60 * 60
DONE = " requested → acknowledged → confirmed"


@pytest.fixture
def world(shell: HandrailShell) -> Iterator[SupervisedSessions]:
    with supervised(shell) as world:
        world.begin()
        yield world


# One run


def test_a_pause_is_requested_acknowledged_and_confirmed(world: SupervisedSessions) -> None:
    ran = world.run("pause", "shop", "--reason", "lunch")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f" pause{DONE}: no action is under way (no action\n   yet)\n"
    assert world.row().state == "paused"
    assert world.row().facts.hand.reason == "lunch"


def test_what_is_not_confirmed_in_time_stays_asked_for(world: SupervisedSessions) -> None:
    world.before("sleep 100")
    ran = world.run("pause", SHOP, "--wait", "0.1")
    assert ran.code == 3
    assert ran.out == (
        " pause requested → acknowledged → not confirmed after 0.1 s\n"
        "   The request stays open; it waits for the end of sleep 100. See handrail\n"
        "   status.\n"
    )
    world.after("sleep 100")
    world.until("paused")


def test_with_wait_it_is_waited_for_and_said_what_is_held(world: SupervisedSessions) -> None:
    world.before("make", "t1")
    asked = meanwhile(lambda: world.shell.spawn("pause", SHOP, "--wait"))
    world.until("pausing")
    held = meanwhile(lambda: world.before("pytest -q", "t2"))
    wait_for(lambda: world.row().facts.hand.held, "nothing is held")
    world.after("make", "t1")
    ran = asked.result()
    assert ran.returncode == 0
    assert ran.stdout.decode() == f" pause{DONE} (held before: Bash: pytest -q)\n"
    assert world.run("resume", SHOP).out == f" resume{DONE}\n"
    held.result()


def test_what_cannot_be_done_is_refused_with_what_to_do_instead(world: SupervisedSessions) -> None:
    world.run("pause", SHOP)
    ran = world.run("pause", SHOP)
    assert ran.code == 1
    assert ran.out == (
        " pause requested → acknowledged → refused: The run is paused: it does not take\n"
        "   pause now\n"
        "   → handrail resume shop-3f2a lets it continue\n"
    )


def test_a_run_that_has_ended_is_refused(world: SupervisedSessions) -> None:
    world.tell("SessionEnd", reason="other")
    ran = world.run("pause", SHOP)
    assert ran.code == 1
    assert ran.out.splitlines()[-1] == "   → handrail status lists the active runs"
    assert f"Run {world.row().run.name} is not active" in ran.out


def test_which_run_of_a_project_was_meant_is_said(world: SupervisedSessions) -> None:
    # The checkpoint of its start would make the first run the latest one again.
    wait_for(lambda: world.row().facts.course.checkpoints, "nothing was saved")
    world.begin(DOCS)
    ran = world.run("pause", "shop")
    assert ran.code == 0
    assert ran.out.startswith(f" shop-91bc  pause{DONE}")


def test_a_session_of_ones_own_has_another_way_to_another_model(world: SupervisedSessions) -> None:
    ran = world.run("escalate", SHOP)
    assert ran.code == 1
    assert "type this in the session itself: /model opus" in ran.out


def test_what_a_pause_has_nothing_to_do_with_gets_no_advice_about_it(
    world: SupervisedSessions,
) -> None:
    world.run("pause", SHOP)
    ran = world.run("escalate", SHOP)
    assert "type this in the session itself: /model opus" in ran.out
    assert "handrail resume" not in ran.out


def test_a_message_is_confirmed_when_the_agent_was_told(world: SupervisedSessions) -> None:
    asked = meanwhile(lambda: world.shell.spawn("steer", SHOP, "use", "pytest -q", "--wait"))
    wait_for(lambda: world.row().facts.hand.asked, "nothing was asked for")
    assert "use pytest -q" in str(world.before("ls"))
    ran = asked.result()
    assert ran.returncode == 0
    assert ran.stdout.decode() == f" steer{DONE} (The agent was told at step 1)\n"


def test_a_command_that_takes_the_run_up_again_stays_in_one_piece(
    world: SupervisedSessions,
) -> None:
    assert world.run("stop", SHOP, "--wait").code == 0
    ran = world.run("resume", SHOP)
    assert ran.code == 0
    assert ran.out == f" resume{DONE} (The run may go on)\n   → claude --resume {SHOP}\n"


def test_a_daemon_that_does_not_run_is_started(world: SupervisedSessions) -> None:
    stop_daemon(world.home)
    assert world.run("pause", SHOP).code == 0


def test_ctrl_c_leaves_the_request(world: SupervisedSessions) -> None:
    world.before("sleep 100")
    process = subprocess.Popen(
        [sys.executable, "-m", "handrail", "pause", SHOP, "--wait"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=world.shell.project,
        env={**os.environ, **world.shell.environ},
    )
    world.until("pausing")
    # It has got the acknowledgment, or will not: both is told.
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, err) == (130, "")
    assert out.endswith(" The request stays open. See handrail status.\n")
    assert world.row().state == "pausing"


def test_to_pause_is_quick_because_little_is_imported(world: SupervisedSessions) -> None:
    names = imported(["pause", SHOP], world.shell.project)
    assert "handrail.cli.requests.send_and_report" in names
    assert names.isdisjoint({"handrail.detect", "handrail.review", "rich", "asyncio"})


def test_messages_are_json_lines(world: SupervisedSessions) -> None:
    ran = world.run("pause", SHOP, "--json", "--reason", "lunch")
    assert [line["type"] for line in ran.lines] == ["REQUEST", "ACK", "RESULT"]
    assert ran.lines[0]["payload"]["reason"] == "lunch"
    assert {line["request_id"] for line in ran.lines} == {ran.lines[0]["request_id"]}
    refused = world.run("pause", SHOP, "--json")
    assert refused.code == 1
    assert refused.lines[-1]["payload"]["status"] == "failure"


def test_a_terminal_sees_it_grow(world: SupervisedSessions) -> None:
    out = on_a_terminal(world.shell, "pause", SHOP, NO_COLOR="1")
    first, *_ = out.splitlines()
    assert first == " pause requested → …"
    assert "\x1b[1A\x1b[J pause requested → acknowledged → …" in out
    assert f"\x1b[1A\x1b[J pause{DONE}" in out


def test_a_dumb_terminal_sees_it_once(world: SupervisedSessions) -> None:
    out = on_a_terminal(world.shell, "pause", SHOP, TERM="dumb")
    assert out.count("requested") == 1
    assert "\x1b" not in out


# Many runs


def test_all_means_every_run_that_can_be_told_so(world: SupervisedSessions) -> None:
    world.begin(DOCS, "release 2.3")
    world.run("pause", DOCS)
    ran = world.run("pause", "--all")
    assert ran.code == 0
    left_out, told, *_ = ran.out.splitlines()
    assert left_out == " Skipped shop-91bc: it is paused"
    assert told.startswith(f" shop-3f2a  pause{DONE}")


def test_of_several_runs_each_has_its_name_and_the_worst_is_the_exit_code(
    world: SupervisedSessions,
) -> None:
    world.begin(DOCS, "release 2.3")
    world.before("sleep 100", run=DOCS)
    ran = world.run("pause", "--all", "--wait", "0.5")
    assert ran.code == 3
    assert f" shop-3f2a  pause{DONE}" in ran.out
    assert " shop-91bc  pause requested → acknowledged → not confirmed after 0.5 s" in ran.out


def test_nothing_to_do_is_no_error(shell: HandrailShell) -> None:
    with supervised(shell) as world:
        ran = world.run("resume", "--all")
    assert (ran.code, ran.out) == (0, " Nothing to resume: no run is active.\n")


def test_to_stop_several_runs_has_to_be_confirmed(
    world: SupervisedSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.begin(DOCS, "release 2.3")
    ran = world.run("stop", "--all")
    assert ran.code == 2
    assert "this needs a confirmation: handrail stop --all --yes" in ran.err
    out = FakeTerminal()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", FakeTerminal("n\n"))
        patch.setattr(sys, "stdout", out)
        assert main(["stop", "--all"]) == 2
    assert "Stop these 2 runs? [y/N]" in out.getvalue()
    assert {world.row(run).state for run in (SHOP, DOCS)} == {"working"}


def test_to_stop_several_runs_with_yes_is_done_at_once(world: SupervisedSessions) -> None:
    world.begin(DOCS, "release 2.3")
    ran = world.run("stop", "--all", "--yes", "--wait")
    assert ran.code == 0
    assert {world.row(run).state for run in (SHOP, DOCS)} == {"stopped"}


def test_to_cancel_one_run_needs_no_confirmation(world: SupervisedSessions) -> None:
    assert world.run("cancel", SHOP, "--wait").code == 0
    assert world.row().state == "cancelled"


# How it is shown


@pytest.mark.parametrize("width", [40, 60, 80])
@given(says=st.text(max_size=300), several=st.booleans(), ok=st.booleans(), over=st.booleans())
def test_no_line_is_wider_than_the_screen(
    width: int, says: str, several: bool, ok: bool, over: bool
) -> None:
    request = make_request(ControlCommand.PAUSE, "3f2a")
    payload: dict[str, object] = (
        {"status": "success"} if ok else {"status": "failure", "message": says}
    )
    result = Result(
        request_id="r", command="pause", target=request.target, timestamp="", payload=payload
    )
    run = KnownRun("3f2a", "shop-3f2a", "shop", 0.0, 1)
    sent = SentRequest(run, request, acknowledged=True, result=result if over else None, over=over)
    learned = RequestFacts(evidence=says)
    name = "shop-3f2a" if several else ""
    for line in lines_of(TerminalOutput(colour=False, width=width), sent, name, 5.0, learned):
        assert line.isprintable()
        assert "→ handrail " in line or "→ claude " in line or cell_len(line) <= width


# Who is chosen


@pytest.fixture
def book() -> Logbook:
    return memory_logbook()


def chosen(book: Logbook, command: ControlCommand) -> tuple[list[str], dict[str, str]]:
    found = choose_all(KnownRuns(book.store), book.store, command, book.now)
    return [run.id for run in found.runs], {run.id: why for run, why in found.left_out}


def test_a_session_of_which_nothing_was_heard_for_a_day_is_not_chosen(book: Logbook) -> None:
    book.start("3f2a0000")
    held = book.start("91bc0000")
    held.note(ControlAnswered(book.now, "", ControlCommand.PAUSE, Standing.PAUSED))
    book.wait(2 * DAY)
    assert chosen(book, ControlCommand.STOP) == (["91bc0000"], {})


def test_only_what_handrail_drives_is_chosen_for_another_model(book: Logbook) -> None:
    book.start("3f2a0000")
    RunLog(book, "91bc0000", "/w/docs").note(LoopBegun(book.now, "release", 10))
    assert chosen(book, ControlCommand.ESCALATE) == (
        ["91bc0000"],
        {"3f2a0000": "it was not started by handrail run"},
    )


def test_what_stands_so_already_is_left_out(book: Logbook) -> None:
    run = book.start("3f2a0000")
    run.note(ControlAnswered(book.now, "", ControlCommand.STOP, Standing.STOPPED))
    assert chosen(book, ControlCommand.STOP) == ([], {"3f2a0000": "it is stopped"})


def meant(book: Logbook, command: ControlCommand, typed: str) -> tuple[str, int]:
    found = choose_one(KnownRuns(book.store), book.store, command, typed)
    return found.runs[0].id, found.among


@pytest.mark.parametrize("typed", ["shop", "last"])
def test_of_a_project_the_last_run_is_meant_that_can_be_told_so(book: Logbook, typed: str) -> None:
    held = book.start("3f2a0000")
    held.note(ControlAnswered(book.now, "", ControlCommand.PAUSE, Standing.PAUSED))
    book.start("91bc0000")
    book.start("c0de0000").finish()
    assert meant(book, ControlCommand.RESUME, typed) == ("3f2a0000", 3)
    assert meant(book, ControlCommand.PAUSE, typed) == ("91bc0000", 3)
    assert meant(book, ControlCommand.RESUME, "shop-c0de") == ("c0de0000", 1)


def test_where_no_run_of_a_project_can_be_told_so_the_last_is_meant(book: Logbook) -> None:
    book.start("3f2a0000").finish()
    book.start("91bc0000").finish()
    assert meant(book, ControlCommand.PAUSE, "shop") == ("91bc0000", 2)


# What is typed


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["pause"], "pause which run? See handrail status, or use --all"),
        (["pause", "shop", "docs"], "pause: give one RUN at a time, or --all"),
        (["pause", "shop", "--all"], "pause: give a RUN or --all, not both"),
        (["pause", "--wait", "shop"], "Write --wait last: handrail pause RUN --wait"),
        (["pause", "shop", "--wait", "nan"], "SECONDS must be a number"),
        (["steer", "shop"], 'steer needs a text: handrail steer shop "TEXT"'),
        (["redirect", "--all"], 'redirect needs a text: handrail redirect --all "GOAL"'),
        (["redirect", "shop", " "], "redirect needs a text"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_meant_is_one_line(shell: HandrailShell, args: list[str], says: str) -> None:
    ran = shell.run(*args)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert not shell.state.exists()


def test_what_is_no_text_is_one_line(shell: HandrailShell) -> None:
    ran = shell.spawn("steer", "shop", os.fsdecode(b"\xff\xfe"))
    assert ran.returncode == 2
    assert ran.stderr.startswith(b"handrail: cannot read or write this text")
    assert ran.stderr.count(b"\n") == 1


def test_a_run_that_nobody_knows_is_one_line(world: SupervisedSessions) -> None:
    ran = world.run("pause", "nope")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "handrail: there is no run 'nope'; see handrail status --all\n"
