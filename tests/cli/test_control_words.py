"""What people asked of a run, and how its loop went, is a line each in `handrail log`."""

import re
from collections.abc import Iterator

import pytest

from handrail.cli.history.event_filter import EventFilter
from handrail.cli.history.joined_events import EventJoiner
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import (
    ActionHeld,
    ControlAnswered,
    ControlAsked,
    Event,
    IterationBegun,
    LoopBegun,
    LoopEnded,
    PromptGiven,
    UsageMeasured,
    Verified,
)
from handrail.words.event_sentences import SENTENCES, event_sentence
from handrail.words.run_facts import RunFacts

from .logbook import NOON, utc


@pytest.fixture(autouse=True)
def _utc() -> Iterator[None]:
    with utc():
        yield


def asked(command: ControlCommand, *, reason: str = "", text: str = "") -> ControlAsked:
    return ControlAsked(NOON, "r1", command, Standing.PAUSING, "ann", reason, text)


def answered(command: ControlCommand, *, ok: bool = True, says: str = "", **more: object) -> Event:
    return ControlAnswered(NOON, "r1", command, Standing.PAUSED, ok, says, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (asked(ControlCommand.PAUSE), "☞ ann asked for pause"),
        (asked(ControlCommand.PAUSE, reason="lunch"), "☞ ann asked for pause (lunch)"),
        (asked(ControlCommand.STEER, text="use pytest"), "☞ ann told the agent: use pytest"),
        (asked(ControlCommand.REDIRECT, text="ship it"), "☞ ann gave it another goal: ship it"),
        (asked(ControlCommand.ESCALATE, text="opus"), "☞ ann asked for another model: opus"),
        (
            answered(
                ControlCommand.PAUSE, says="Loop paused at iteration 1", evidence=("no action",)
            ),
            "✓ pause confirmed: no action",
        ),
        (
            answered(ControlCommand.RESUME, says="Loop resumed at iteration 1"),
            "✓ resume confirmed",
        ),
        (
            answered(ControlCommand.STEER, says="The agent was told"),
            "✓ steer confirmed: The agent was told",
        ),
        (
            answered(
                ControlCommand.STOP,
                evidence=("checkpoint c3", "ended: 12 /usr/bin/claude -p", "ended: 13 bash -c ls"),
            ),
            "✓ stop confirmed: checkpoint c3; ended: claude, bash",
        ),
        (
            answered(
                ControlCommand.FREEZE, evidence=tuple(f"stands still: {n} sh" for n in range(6))
            ),
            "✓ freeze confirmed: stands still: sh, sh, sh, sh and 2 more",
        ),
        (answered(ControlCommand.ESCALATE, model="opus"), "✓ escalate confirmed: opus"),
        (
            answered(ControlCommand.STOP, ok=False, says="2 processes are left"),
            "✗ stop NOT done: 2 processes are left",
        ),
        (ActionHeld(NOON, "t1", "Bash pytest -q"), "‖ held before: Bash pytest -q"),
        (
            ActionHeld(NOON, "t1", "", released="its agent is gone"),
            "‖ what was held waits no longer: its agent is gone",
        ),
        (
            LoopBegun(NOON, "fix it", 10, model="haiku", verify="make test"),
            "▸ driven by Handrail, at most 10 iterations · haiku · verified by: make test",
        ),
        (IterationBegun(NOON, 2), "▸ iteration 2"),
        (Verified(NOON, 1, "make", True, "exit code 0", 1234.0), "✓ verified: make (1.2 s)"),
        (
            Verified(NOON, 1, "make", False, "exit code 1\nE one\nE two\n"),
            "– not verified: make: exit code 1, E two",
        ),
        (
            UsageMeasured(NOON, 12_300, 0.42, 75.0, 410.2),
            "· used so far · 12,300 tokens · $0.42 · 1 min · 410 MB at most",
        ),
        (LoopEnded(NOON, "done", "COMPLETE", "It passed"), "✓ done. It passed"),
        (
            LoopEnded(NOON, "done", "MAX_ITERATIONS", "10 of 10 iterations used"),
            "! NOT done: no iterations left. 10 of 10 iterations used",
        ),
        (LoopEnded(NOON, "abort", "ERROR", "no"), "✗ NOT done: the agent failed. no"),
        (LoopEnded(NOON, "abort", "NEW", ""), "○ NEW"),
    ],
)
def test_each_event_is_a_sentence(event: Event, line: str) -> None:
    sentence = event_sentence(event, RunFacts())
    assert f"{sentence.mark} {sentence.text}" == line


def test_a_command_stands_apart_so_that_it_can_be_copied() -> None:
    event = answered(ControlCommand.RESUME, ok=False, says="Nobody there: handrail run --resume x")
    sentence = event_sentence(event, RunFacts())
    assert sentence.text == "resume NOT done: Nobody there"
    assert sentence.hint == "handrail run --resume x"


def test_what_was_measured_and_has_not_changed_is_not_said_again() -> None:
    joiner = EventJoiner()
    for tokens in (100, 100, 200):
        joiner.add("3f2a", UsageMeasured(NOON, tokens))
    assert [entry.event.tokens for entry in joiner.rest()] == [100, 200]  # type: ignore[union-attr]


def test_of_a_prompt_of_handrails_own_only_the_beginning_is_shown() -> None:
    event = PromptGiven(NOON, "fix it\n\nNobody is there to answer questions.")
    assert "Nobody" in event_sentence(event, RunFacts()).text
    assert event_sentence(event, RunFacts(driven=True)).text == "fix it"


@pytest.mark.parametrize(
    ("pattern", "event"),
    [
        ("lunch", asked(ControlCommand.PAUSE, reason="lunch")),
        ("use pytest", asked(ControlCommand.STEER, text="use pytest")),
        ("no action", answered(ControlCommand.PAUSE, evidence=("no action",))),
        ("E one", Verified(NOON, 1, "make", False, "exit code 1\nE one")),
        ("fix it", LoopBegun(NOON, "fix it", 3)),
    ],
)
def test_what_people_asked_for_can_be_searched(pattern: str, event: Event) -> None:
    assert EventFilter(pattern=re.compile(pattern)).wants("3f2a", event)
    assert not EventFilter(pattern=re.compile("nothing of it")).wants("3f2a", event)


def test_every_event_of_a_driven_run_is_shown_by_log() -> None:
    """So that nothing is left out when one is added."""
    from typing import get_args

    from handrail.model.event import ActionReviewed

    assert {*get_args(Event)} == {*SENTENCES, ActionReviewed}
