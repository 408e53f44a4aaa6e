"""What `handrail run tasks.yaml` shows: lines in a log, a display on a terminal, or JSON."""

import io
import json
import sys

import pytest

from handrail.cli.fleet.fleet_display import FleetDisplay
from handrail.cli.output.terminal import TerminalOutput
from handrail.config.fleet import Fleet
from handrail.fleet.engine import events
from handrail.fleet.engine.events import AttemptOutcome, AttemptResult, Lease, TaskAudited
from handrail.fleet.engine.fleet_state import FleetState
from handrail.fleet.tasks.task import Task


class TextTerminal(io.StringIO):
    """A terminal that keeps what was written to it."""

    def isatty(self) -> bool:
        return True


SUMMARY = "1 working, 1 ready"


def fleet_at_work() -> FleetState:
    state = FleetState()
    for name in ("api", "docs"):
        state.apply(events.TaskSubmitted(1.0, Task(id=name, prompt=f"Write the {name}.")))
    state.apply(events.TaskClaimed(2.0, "api", Lease(owner="w", attempt=1, slot=1)))
    return state


def display(*, as_json: bool = False) -> FleetDisplay:
    screen = TerminalOutput(colour=False, width=80)
    return FleetDisplay(screen, Fleet(), slots=2, as_json=as_json, clock=lambda: 10.0)


def test_a_log_gets_a_line_for_each_change_and_none_for_a_second_look(
    capsys: pytest.CaptureFixture[str],
) -> None:
    state, shown = fleet_at_work(), display()
    shown.show(state)
    shown.show(state)
    done = AttemptResult(outcome=AttemptOutcome.DONE)
    state.apply(events.AttemptFinished(3.0, "api", 1, done))
    shown.end(state)
    lines = [line.split(" ", 2)[-1] for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "api: active, slot 1"
    assert lines[1] == "api: done"
    assert lines[2] == "1 of 2 tasks done, $0.00"
    assert lines[-1].endswith("ready, 1 done")


def test_a_terminal_is_drawn_again_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = TextTerminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    state, shown = fleet_at_work(), display()
    shown.show(state)
    first = terminal.getvalue()
    assert "0/2 done" in first
    assert "\x1b" not in first
    shown.show(state)
    assert terminal.getvalue() == first, "nothing has changed"
    state.apply(TaskAudited(3.0, "api", 1, "stall", "no commit in 5 iterations", iteration=5))
    shown.show(state)
    again = terminal.getvalue().removeprefix(first)
    assert again.startswith("\x1b[3F\x1b[J"), "over the three lines that were there"
    assert "no commit in 5 iterations" in again
    shown.say("Ending the agents")
    assert terminal.getvalue().removeprefix(first + again).startswith("\x1b[3F\x1b[J Ending")
    shown.end(state)
    assert terminal.getvalue().endswith(f"free\n {SUMMARY}\n"), "below the display"


def test_json_has_a_line_for_each_change_and_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    state, shown = fleet_at_work(), display(as_json=True)
    shown.show(state)
    shown.show(state)
    shown.say("to a person")
    shown.end(state)
    out, err = capsys.readouterr()
    assert [json.loads(line) for line in out.splitlines()] == [
        {"task": "api", "state": "working", "why": "in slot 1"},
        {"task": "docs", "state": "ready", "why": ""},
        {"tasks": {"api": "active", "docs": "pending"}},
    ]
    assert err == " to a person\n"


def test_texts_of_agents_cannot_write_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    state, shown = fleet_at_work(), display()
    state.apply(events.TaskBlocked(3.0, "docs", "look \x1b[31m\nhere"))
    shown.show(state)
    assert "\x1b" not in capsys.readouterr().out
