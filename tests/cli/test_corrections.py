"""What was found in a run and done about it, as lines of a timeline."""

from collections.abc import Iterator

import pytest

from handrail.cli.history.joined_events import EventJoiner
from handrail.cli.history.timeline_lines import entry_lines
from handrail.cli.output.terminal import TerminalOutput
from handrail.model.checkpoint import Checkpoint
from handrail.model.event import (
    CheckpointTaken,
    Event,
    FeedbackGiven,
    FindingMade,
    IncidentResolved,
    Intervened,
    InterventionJudged,
    ModelAsked,
    RolledBack,
    RunStarted,
    StopConfirmed,
)
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, Intervention
from handrail.model.ordinal import Severity
from handrail.store.decoding import decode
from handrail.words.interventions import limits_in_words, steps_in_words

from .conftest import HandrailShell
from .logbook import NOON, Logbook, memory_logbook, open_logbook, utc

RUN = "3f2a0000"
LOOP = Finding(
    "loop",
    Severity.MEDIUM,
    0.6,
    (1, 2, 3),
    says="The same call failed 3 times: pytest -q (steps 1, 2, 3)",
)


@pytest.fixture(autouse=True)
def _utc() -> Iterator[None]:
    with utc():
        yield


def shown(*events: Event) -> list[str]:
    """The lines of a timeline after its first, which says where the run works."""
    joiner = EventJoiner()
    for event in (RunStarted(NOON, "claude", "/w/shop"), *events):
        joiner.add(RUN, event)
    _, *entries = joiner.rest()
    return [line for entry in entries for line in entry_lines(TerminalOutput(colour=False), entry)]


def done(means: str, guidance: str = "", **given: object) -> Intervened:
    made = Intervention("i1", means, LOOP, 3, 0.3, 0, guidance, **given)  # type: ignore[arg-type]
    return Intervened(NOON, made)


def test_a_finding_says_kind_severity_and_what_was_seen() -> None:
    assert shown(FindingMade(NOON, 3, LOOP)) == [
        " 12:00:00  ◆ loop, medium: The same call failed 3 times: pytest -q"
    ]


def test_a_finding_in_a_sub_agent_names_it() -> None:
    (line,) = shown(FindingMade(NOON, 3, LOOP, "a0ff"))
    assert line.startswith(" 12:00:00  ◆ sub-agent A, loop, medium: ")


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (done("soft_correction", "Read the error."), "↳ guidance sent: Read the error."),
        (
            done("context_reinforcement", "It failed.\n\nThe request: fix it"),
            "↳ task said again: The request: fix it",
        ),
        (
            done("resource_throttling", "Slower.", allowance=Allowance(6, command_seconds=30)),
            "↳ slowed down: 6 calls a minute, 30 seconds for one command",
        ),
        (
            done("checkpoint_rollback", "Plan.", limits="There is no checkpoint."),
            "↳ recovery plan sent, no rollback: There is no checkpoint.",
        ),
        (done("my_own_means", "Call Ann."), "↳ my own means: Call Ann."),
        (
            RolledBack(NOON, "c9", problem="the disk is full"),
            "✗ NOT rolled back: the disk is full",
        ),
        (
            StopConfirmed(NOON, "x", says="no process of the run is left"),
            "■ stopped: no process of the run is left",
        ),
        (
            StopConfirmed(NOON, "x", ("7 sleep",), says="none is left"),
            "■ stopped: 1 process ended, none is left",
        ),
        (StopConfirmed(NOON, "x", left=("7 sleep",)), "✗ STILL RUNNING: 7 sleep"),
        (
            IncidentResolved(NOON, "x", "resume_with_limits", "try again"),
            "· you decided: resume with limits: try again",
        ),
        (
            ModelAsked(NOON, 3, "goal", "drifts", says="It tidies up."),
            "· second opinion on the goal: drifts: It tidies up.",
        ),
        (
            FeedbackGiven(NOON, 3, right=True, finding="goal_drift"),
            "· you said: the finding goal drift was right",
        ),
    ],
)
def test_each_event_is_said_in_a_line(event: Event, line: str) -> None:
    assert shown(event) == [f" 12:00:00  {line}"]


def test_a_stop_says_why_and_how_to_see_more() -> None:
    assert shown(done("emergency_stop", "Stop.", incident="2026-11-15-1200-shop-3f2a")) == [
        " 12:00:00  ■ STOPPED: The same call failed 3 times: pytest -q",
        "             → handrail incident show 2026-11-15-1200-shop-3f2a",
    ]


def test_a_rollback_says_to_when_and_which_files() -> None:
    saved = Checkpoint("c1", RUN, 4, "c1f00", NOON - 60, "before a prompt")
    files = tuple(f"/w/shop/{name}.py" for name in "abcde")
    assert shown(
        CheckpointTaken(NOON - 60, saved),
        done("checkpoint_rollback", "Back.", checkpoint="c1"),
        RolledBack(NOON, "c1", "i1", files),
        RolledBack(NOON, "c1", "i1"),
    ) == [
        " 11:59:00  ▪ files saved as c1 (before a prompt)",
        " 12:00:00  ↳ rolling back to 11:59:00, after step 4",
        " 12:00:00  ↶ rolled back to 11:59:00, after step 4 (a.py, b.py, c.py and 2 more)",
        " 12:00:00  ↶ rolled back to 11:59:00, after step 4 (no file had changed)",
    ]


def test_whether_it_helped_is_said_of_what_was_really_done() -> None:
    judged = InterventionJudged(
        NOON, "i1", 6, worked=False, says="X did not help: seen again.", means="checkpoint_rollback"
    )
    _, line = shown(done("checkpoint_rollback", "Plan.", limits="None."), judged)
    assert line == " 12:00:00  · the recovery plan did not help: seen again"
    worked = InterventionJudged(
        NOON, "i1", 9, worked=True, says="X helped: gone.", means="soft_correction"
    )
    assert shown(worked) == [" 12:00:00  ✓ the guidance helped: gone"]


def test_a_run_that_goes_wrong_is_told_from_the_first_sign_to_the_end() -> None:
    book = memory_logbook()
    shop = book.start(RUN)
    shop.fail(2)
    shop.finish()
    assert told(book)[-5:] == [
        " 12:00:42  ◆ loop, low: The same call failed in the same way 2 times: pytest -q",
        " 12:00:42  ↳ guidance sent: The same call (`pytest -q`) was made 2 times, and",
        "             each time it ended with `ImportError: no module named cart` (step …",
        " 12:01:22  ○ session ended · 2 actions · 2 ran · 2 failed · 1 finding · 1",
        "             intervention · 1 min",
    ]


def told(book: Logbook) -> list[str]:
    joiner = EventJoiner()
    for stored in book.store.read_all():
        joiner.add(RUN, decode(stored))
    return [
        line for entry in joiner.rest() for line in entry_lines(TerminalOutput(colour=False), entry)
    ]


@pytest.mark.parametrize(
    ("steps", "words"),
    [((), ""), ((4,), "4"), ((1, 2, 3), "1-3"), ((9, 1, 2, 5, 5), "1-2, 5, 9")],
)
def test_steps_in_a_row_are_written_as_a_span(steps: tuple[int, ...], words: str) -> None:
    assert steps_in_words(steps) == words


def test_only_limits_that_there_are_are_named() -> None:
    allowance = Allowance(1, 20, 0, 512, 5000, 2)
    assert limits_in_words(allowance) == (
        "1 call a minute, 20 file changes, 512 MB of memory, 5,000 tokens, 2 calls at a time"
    )
    assert limits_in_words(None) == ""


# handrail log --findings


@pytest.fixture
def stuck(shell: HandrailShell) -> HandrailShell:
    with open_logbook(shell) as book:
        shop = book.start(RUN, "fix it")
        shop.do("ls")
        shop.fail(3)
    return shell


def test_findings_are_shown_with_the_actions_they_are_about(stuck: HandrailShell) -> None:
    ran = stuck.run("log", "--findings")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[1:3] == [
        " 12:00:43  ◆ loop, low: The same call failed in the same way 2 times: pytest -q",
        "             2-3  Bash pytest -q",
    ]
    assert lines[3].startswith(" 12:00:43  ↳ guidance sent: ")
    assert not any(" ls " in line for line in lines)


def test_findings_as_json_are_the_events(stuck: HandrailShell) -> None:
    events = [line["event"] for line in stuck.run("log", "--findings", "--json").lines]
    assert set(events) == {"finding_made", "intervened"}


def test_findings_can_be_searched_in(stuck: HandrailShell) -> None:
    lines = stuck.run("log", "--findings", "--grep", "ImportError", "--json").lines
    assert {line["event"] for line in lines} == {"finding_made", "intervened"}
    assert stuck.run("log", "--findings", "--grep", "stall", "--json").out == ""


def test_findings_are_no_actions(stuck: HandrailShell) -> None:
    ran = stuck.run("log", "--findings", "--tool", "Bash")
    assert ran.code == 2
    assert "--findings shows no actions" in ran.err
