"""Events become entries, and an action is one entry with its end."""

from typing import get_args

import msgspec
import pytest

from handrail.model.action import Outcome
from handrail.model.checkpoint import Checkpoint
from handrail.model.control import ControlCommand, Standing
from handrail.model.desktop import CheckOutcome, DesktopCheck, ScreenStatus
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionHeld,
    ActionReviewed,
    AgentEnded,
    CheckpointTaken,
    ControlAnswered,
    DesktopChecked,
    Event,
    RunEnded,
    RunStarted,
    UsageMeasured,
)
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.store.memory import MemoryStore
from handrail.store.port import StoredEntry
from handrail.supervise.log.topics import topic_of
from handrail.tui.panes.timeline import entry_lines
from handrail.tui.text import plain
from handrail.views.log_view import TimelineEntry
from handrail.views.timeline import MAX_ENTRIES, UNSHOWN, Timeline
from handrail.words.action_status import action_status
from handrail.words.event_sentences import event_sentence
from handrail.words.run_facts import RunFacts
from tests.tui.hostile import filled
from tests.tui.sample_log import CHANGED, NOON, STOPPED, SampleLog

RUN = "r"


class Told:
    """A timeline that is told events."""

    def __init__(self) -> None:
        self.book = SampleLog(MemoryStore(clock=lambda: NOON), NOON)
        self._timeline = Timeline(RUN)

    @property
    def timeline(self) -> Timeline:
        new = self.book.store.read(topic_of(RUN), self._timeline.seq)
        self._timeline.add(new)
        return self._timeline

    @property
    def only(self) -> TimelineEntry:
        [entry] = self.timeline.entries
        return entry

    @property
    def status(self) -> str:
        entry = self.only
        assert isinstance(entry.event, ActionReviewed)
        mark, _, words = action_status(entry.event, entry.end, waits=not entry.over)
        return f"{mark} {words}".rstrip()


@pytest.fixture
def told() -> Told:
    return Told()


def test_an_action_runs_until_its_end_is_told(told: Told) -> None:
    told.book.ask(RUN, "Bash", "make")
    assert told.status == "… running"
    told.book.end(RUN, Outcome(True, duration_ms=2100))
    assert told.status == "✓ 2.1 s"


@pytest.mark.parametrize(
    ("verdict", "end", "status"),
    [
        (None, Outcome(False, 2), "– exit 2"),
        (None, Outcome(False), "– failed"),
        (STOPPED, None, "✗ stopped"),
        (STOPPED, Outcome(True), "✗ ran all the same"),
        (CHANGED, None, "… changed"),
        (CHANGED, Outcome(True), "~ changed"),
        (Verdict(Decision.WARN, "take care"), Outcome(False, 1), "! warned, exit 1"),
    ],
)
def test_the_status_says_what_became_of_an_action(
    told: Told, verdict: Verdict | None, end: Outcome | None, status: str
) -> None:
    told.book.ask(RUN, "Bash", "make", verdict)
    if end is not None:
        told.book.end(RUN, end)
    assert told.status == status


@pytest.mark.parametrize(
    ("then", "words"),
    [
        (RunEnded(NOON), "no outcome"),
        (RunStarted(NOON, "claude", "/shop", "resume"), "no outcome"),
        (RunStarted(NOON, "claude", "/shop", "compact"), "running"),
    ],
)
def test_an_action_of_a_session_that_is_over_runs_no_more(
    told: Told, then: Event, words: str
) -> None:
    told.book.ask(RUN, "Bash", "make")
    told.book.write(RUN, then)
    first = told.timeline.entries[0]
    assert isinstance(first.event, ActionReviewed)
    assert action_status(first.event, first.end, waits=not first.over).words == words


def test_an_action_that_a_person_refused_says_so(told: Told) -> None:
    told.book.ask(RUN, "Bash", "npm publish", STOPPED, asked=True)
    assert told.status == "▲ a person was asked"
    told.book.note(RUN, lambda at: ActionDropped(at, 1, "not today"))
    assert told.status == "✗ refused by a person"
    assert "↳ not today" in plain(entry_lines(told.only, 60)[1])


def test_an_action_that_is_held_is_one_entry_until_it_is_let_go(told: Told) -> None:
    told.book.note(RUN, lambda at: ActionHeld(at, "t1", "Bash make"))
    assert "‖ held before: Bash make" in plain(entry_lines(told.only, 60)[0])
    told.book.note(RUN, lambda at: ActionHeld(at, "t1", "", released="its agent is gone"))
    line = plain(entry_lines(told.only, 60)[0])
    assert "waits no longer (its agent is gone): Bash make" in line


def test_of_processes_that_stand_still_the_programs_are_named() -> None:
    stopped = ("stands still: 14347 /usr/local/bin/claude -p x", "stands still: 14350 bash -c y")
    event = ControlAnswered(1.0, "q", ControlCommand.FREEZE, Standing.FROZEN, True, "", stopped)
    assert event_sentence(event, RunFacts()).text == "freeze confirmed: stands still: claude, bash"


def test_an_end_without_a_beginning_is_an_entry(told: Told) -> None:
    told.book.note(RUN, lambda at: ActionEnded(at, 7, Outcome(True)))
    assert "step 7 succeeded" in plain(entry_lines(told.only, 60)[0])


def test_sub_agents_go_by_letters(told: Told) -> None:
    told.book.ask(RUN, "Bash", "make")
    event = told.only.event
    assert isinstance(event, ActionReviewed)
    for agent in ("x", "y", "x"):
        other = msgspec.structs.replace(event, agent=agent, step=2)
        told.book.write(RUN, other)
    assert [entry.agent for entry in told.timeline.entries] == ["", "A", "B", "A"]


def test_a_long_timeline_forgets_its_beginning(told: Told) -> None:
    timeline = Timeline(RUN)
    body = b'{"event":"prompt_given","at":1.0,"text":"go on"}'
    timeline.add(StoredEntry(seq, "run:r", seq, 1.0, body) for seq in range(1, MAX_ENTRIES + 500))
    assert len(timeline.entries) == MAX_ENTRIES
    assert timeline.cut


def test_an_event_that_cannot_be_read_does_not_hide_others() -> None:
    timeline = Timeline(RUN)
    timeline.add(
        [StoredEntry(1, "run:r", 1, NOON, b"\xff"), StoredEntry(2, "run:r", 2, NOON, b"{}")]
    )
    assert len(timeline.entries) == 2
    assert "✗ FAULT of Handrail (log)" in plain(entry_lines(timeline.entries[0], 60)[0])


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
def test_every_event_is_shown_whatever_it_says(kind: type[Event]) -> None:
    event = filled(kind)
    if isinstance(event, UNSHOWN):
        return
    sentence = None if isinstance(event, ActionReviewed) else event_sentence(event, RunFacts())
    for width in (20, 46, 120):
        for line in entry_lines(TimelineEntry(1, event, sentence, "/home/ada"), width):
            assert plain(line).isprintable()


def test_what_is_shown_elsewhere_is_no_entry(told: Told) -> None:
    told.book.note(RUN, lambda at: UsageMeasured(at, 5))
    told.book.note(RUN, lambda at: AgentEnded(at, "x"))
    assert told.timeline.entries == ()


def _save(told: Told, name: str, why: str, step: int) -> None:
    taken = Checkpoint(name, RUN, step, "f00d", NOON, why)
    told.book.note(RUN, lambda at: CheckpointTaken(at, taken))


def test_a_checkpoint_is_folded_into_the_action_it_was_taken_for(told: Told) -> None:
    _save(told, "c1", "before rm -rf build", 0)
    told.book.ask(RUN, "Bash", "rm -rf build")
    assert [saved.id for saved in told.only.saved] == ["c1"]
    assert plain(entry_lines(told.only, 80)[0]).endswith("▪")


def test_a_checkpoint_that_is_late_is_folded_into_its_action_too(told: Told) -> None:
    told.book.ask(RUN, "Bash", "rm -rf build")
    _save(told, "c1", "before rm -rf build", 0)
    assert [saved.id for saved in told.only.saved] == ["c1"]


def test_checkpoints_after_each_other_are_one_line(told: Told) -> None:
    for name in ("c1", "c2", "c3"):
        _save(told, name, "the agent has stopped", 1)
    assert told.only.said is not None
    assert told.only.said.text == "files saved as c3 (the agent has stopped); 2 more before"
    assert [saved.id for saved in told.only.saved] == ["c1", "c2"]
    told.book.ask(RUN, "Bash", "ls")
    assert len(told.timeline.entries) == 2


SEEN = DesktopCheck(ScreenStatus.DIALOG, CheckOutcome.RECOVERED, 0.97, "Save changes?")


def test_a_look_becomes_what_it_saw(told: Told) -> None:
    step = told.book.ask(RUN, "DesktopLook", "cart.py")
    assert told.status == "… running"
    look = told.only.seq
    told.book.write(RUN, DesktopChecked(NOON, step, SEEN))
    told.book.end(RUN, Outcome(True))
    assert told.only.seq == look, "whoever shows the row changes it"
    assert isinstance(told.only.event, DesktopChecked)
    assert told.only.said is not None
    assert "Save changes?" in told.only.said.text
    assert told.only.over


def test_the_inputs_of_a_recovery_stay_below_their_look(told: Told) -> None:
    look = told.book.ask(RUN, "DesktopLook", "cart.py")
    told.book.ask(RUN, "DesktopInput", "press Escape")
    told.book.write(RUN, DesktopChecked(NOON, look, SEEN))
    kinds = [type(entry.event) for entry in told.timeline.entries]
    assert kinds == [DesktopChecked, ActionReviewed]


def test_a_check_of_an_unknown_look_is_an_entry_of_its_own(told: Told) -> None:
    told.book.ask(RUN, "Bash", "make")
    told.book.write(RUN, DesktopChecked(NOON, 1, SEEN))
    kinds = [type(entry.event) for entry in told.timeline.entries]
    assert kinds == [ActionReviewed, DesktopChecked]
