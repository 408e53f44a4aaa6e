"""The state of a run is a fold of its events: any events, from any point on."""

import typing
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handrail.config.detection import Detection
from handrail.model import Action, Decision, Effect, Outcome, Review, Rewrite, Verdict
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    AgentStarted,
    Compacted,
    Event,
    IterationEnded,
    PromptGiven,
    RunEnded,
    RunStarted,
)
from handrail.supervise.state.watched_state import WatchedState, fold
from tests.supervise.strategies import ended, events, reviewed

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[1] / "data"
LOG = DATA / "events-1.jsonl"
STATE = DATA / "state-1.json"

_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def copied(state: WatchedState) -> WatchedState:
    """The state as it comes back from the disk."""
    return msgspec.json.decode(msgspec.json.encode(state), type=WatchedState)


# --- properties --------------------------------------------------------------------------------


@given(st.lists(events))
@example([ActionEnded(0.0, 1, Outcome(True))])
@example([ActionDropped(-1.0, 9), ActionEnded(-2.0, 9, Outcome(False))])
@example([reviewed(2), reviewed(1), reviewed(1), ended(1), ended(1)])
def test_any_events_in_any_order_give_a_state(happened: list[Event]) -> None:
    state = fold("r", happened)
    assert state.seq == len(happened)


@given(st.lists(events), st.data())
def test_a_snapshot_at_any_point_and_the_events_since_give_the_same_state(
    happened: list[Event], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(happened)))
    state = copied(fold("r", happened[:at]))
    for event in happened[at:]:
        state.apply(event)
    assert state == fold("r", happened)


@given(st.lists(events))
def test_a_state_comes_back_from_json_as_it_was(happened: list[Event]) -> None:
    state = fold("r", happened)
    assert copied(state) == state


@given(st.lists(events))
def test_events_that_were_written_and_read_give_the_same_state(happened: list[Event]) -> None:
    read = [_decoder.decode(msgspec.json.encode(event)) for event in happened]
    assert fold("r", read) == fold("r", happened)


@given(st.lists(events))
def test_the_number_of_the_last_step_never_goes_back(happened: list[Event]) -> None:
    state = WatchedState("r")
    for event in happened:
        before = state.step
        state.apply(event)
        assert state.step >= before


@given(st.lists(events))
def test_no_more_file_changes_are_given_back_than_were_counted(happened: list[Event]) -> None:
    assert fold("r", happened).history.file_operations >= 0


@given(st.lists(events))
def test_an_event_is_not_changed_by_being_taken_in(happened: list[Event]) -> None:
    before = [msgspec.json.encode(event) for event in happened]
    fold("r", happened)
    assert [msgspec.json.encode(event) for event in happened] == before


# --- the golden log ----------------------------------------------------------------------------


def test_the_golden_log_gives_the_golden_state() -> None:
    happened = [_decoder.decode(line) for line in LOG.read_bytes().splitlines()]
    assert fold("golden", happened) == msgspec.json.decode(STATE.read_bytes(), type=WatchedState)


def test_the_golden_log_has_every_kind_of_event() -> None:
    seen = {type(_decoder.decode(line)) for line in LOG.read_bytes().splitlines()}
    assert seen == set(typing.get_args(Event))


def test_every_field_of_everything_that_is_written_is_set_in_the_golden_log() -> None:
    """A field that is renamed would otherwise be lost without anybody noticing."""
    written: dict[type[msgspec.Struct], set[str]] = {}
    for line in LOG.read_bytes().splitlines():
        note_fields(_decoder.decode(line), msgspec.json.decode(line), written)
    assert {Effect, Review, Verdict, Outcome, Rewrite} <= set(written)
    for kind, fields in written.items():
        assert fields - {"event"} == set(kind.__struct_encode_fields__), kind


def note_fields(value: object, raw: object, written: dict[type[msgspec.Struct], set[str]]) -> None:
    """Which fields of each struct are written out."""
    if isinstance(value, msgspec.Struct) and isinstance(raw, dict):
        written.setdefault(type(value), set()).update(raw)
        for field, below in raw.items():
            note_fields(getattr(value, field, None), below, written)
    elif isinstance(value, tuple) and isinstance(raw, list):
        for item, below in zip(value, raw, strict=True):
            note_fields(item, below, written)


def test_a_state_of_another_fold_is_not_read() -> None:
    body = msgspec.json.encode(WatchedState("r")).replace(b'"fold":7', b'"fold":0')
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(body, type=WatchedState)


# --- what the events mean ----------------------------------------------------------------------


def test_decisions_and_outcomes_are_counted() -> None:
    state = fold(
        "r",
        [
            reviewed(1),
            ended(1),
            reviewed(2, decision=Decision.WARN),
            ended(2, ok=False),
            reviewed(3, decision=Decision.BLOCK),
        ],
    )
    usage = state.usage
    assert usage.decided == {"allow": 1, "warn": 1, "block": 1}
    assert (usage.ran, usage.failed, usage.tool_ms, usage.review_ms) == (2, 1, 4.0, 3.0)
    assert [item.step for item in state.open] == [3]


def test_a_later_prompt_is_joined_to_the_first_one() -> None:
    state = fold("r", [PromptGiven(1.0, "fix the cart"), PromptGiven(2.0, "go on")])
    assert state.history.goal == "fix the cart\ngo on"
    assert state.prompts == 2


def test_the_same_prompt_twice_is_one_goal() -> None:
    state = fold("r", [PromptGiven(1.0, "fix it"), PromptGiven(2.0, "fix it")])
    assert state.history.goal == "fix it"


def test_a_run_keeps_the_folder_that_it_began_in() -> None:
    state = fold("r", [RunStarted(1.0, "claude", "/p"), RunStarted(2.0, "claude", "")])
    assert state.cwd == "/p"


def test_a_run_that_began_nowhere_belongs_to_the_folder_of_its_first_action() -> None:
    began = RunStarted(1.0, "claude", "")
    state = fold("r", [began, reviewed(1, cwd="/p"), reviewed(2, cwd="/q")])
    assert state.cwd == "/p"


@pytest.mark.parametrize(
    ("source", "phase"),
    [("", "working"), ("compact", "working"), ("startup", "waiting"), ("resume", "waiting")],
)
def test_a_session_that_starts_waits_for_a_prompt(source: str, phase: str) -> None:
    assert fold("r", [RunStarted(1.0, "claude", "/p", source)]).phase == phase


def test_a_run_waits_when_its_agent_stops_and_no_other_works() -> None:
    alone = fold("r", [reviewed(1), IterationEnded(2.0)])
    helped = fold("r", [AgentStarted(1.0, "a1", "Explore"), IterationEnded(2.0)])
    assert (alone.phase, helped.phase) == ("waiting", "working")


def test_an_ended_run_has_nothing_open() -> None:
    state = fold("r", [AgentStarted(1.0, "a1"), reviewed(1), RunEnded(2.0)])
    assert (state.phase, state.open, state.agents) == ("ended", [], {})


def test_compactions_are_counted_and_the_run_goes_on() -> None:
    state = fold("r", [reviewed(1), Compacted(2.0, "auto")])
    assert (state.compactions, state.phase) == (1, "working")


def test_after_a_compaction_reading_again_tells_something_new() -> None:
    def look(step: int) -> list[Event]:
        action = Action("Read", {"file_path": f"/p/{step % 7}"})
        return [msgspec.structs.replace(reviewed(step), action=action), ended(step)]

    first = [event for step in range(7) for event in look(step)]
    again = [event for step in range(7, 14) for event in look(step)]
    assert fold("r", [*first, *again]).course.watch.findings(Detection())
    compacted = fold("r", [*first, Compacted(7.0, "auto"), *again])
    assert compacted.course.watch.findings(Detection()) == []


def test_what_refused_actions_were_after_is_kept_of_the_last_ones_only() -> None:
    refused = [reviewed(step, decision=Decision.BLOCK) for step in range(1, 31)]
    state = fold("r", [reviewed(0), *refused])
    known = [action.step for action in state.open if action.intent is not None]
    assert known == [0, *range(23, 31)]
    assert len(state.open) == 31


def test_only_the_calls_of_the_last_minute_are_kept() -> None:
    calls = [msgspec.structs.replace(reviewed(step), at=step * 30.0) for step in range(10)]
    assert fold("r", calls).course.calls == [210.0, 240.0, 270.0]


def test_a_refusal_is_remembered_at_once_and_a_question_when_it_was_answered() -> None:
    refused = reviewed(1, decision=Decision.BLOCK)
    asked = reviewed(1, decision=Decision.BLOCK, asked=True)
    assert fold("r", [refused]).history.refusals("n") == 1
    assert fold("r", [asked]).history.refusals("n") == 0
    assert fold("r", [asked, ActionDropped(2.0, 1)]).history.refusals("n") == 1
    assert fold("r", [asked, ended(1)]).history.refusals("n") == 0


def test_file_changes_count_as_soon_as_they_are_let_through() -> None:
    parallel = [reviewed(1, writes=2), reviewed(2, writes=1)]
    assert fold("r", parallel).history.file_operations == 3
    assert fold("r", [*parallel, ended(1), ended(2)]).history.file_operations == 3


@pytest.mark.parametrize("end", [ended(1, ok=False), ActionDropped(2.0, 1)])
def test_file_changes_that_did_not_happen_do_not_count(end: Event) -> None:
    assert fold("r", [reviewed(1, writes=2), end]).history.file_operations == 0


def test_refused_file_changes_do_not_count_unless_a_person_lets_them_happen() -> None:
    asked = reviewed(1, decision=Decision.BLOCK, asked=True, writes=2)
    assert fold("r", [asked]).history.file_operations == 0
    assert fold("r", [asked, ended(1)]).history.file_operations == 2


def test_only_what_worked_has_created_files() -> None:
    made, failed = ended(1, created=("/p/a",)), ended(2, ok=False, created=("/p/b",))
    state = fold("r", [reviewed(1), made, reviewed(2), failed])
    assert state.history.created == {"/p/a"}


def test_so_many_open_actions_are_kept_and_no_more() -> None:
    state = fold("r", [reviewed(step, call=f"c{step}") for step in range(1, 1001)])
    assert len(state.open) == 256
    assert state.find_open("c1000") is not None
    assert state.find_open("c1") is None


def test_an_ended_action_is_found_by_its_id_first() -> None:
    state = fold("r", [reviewed(1, call="a"), reviewed(2, call="b")])
    found = state.find_ended("a", "n", "")
    assert found is not None
    assert found.step == 1


def test_an_ended_action_without_an_id_is_found_by_what_it_is() -> None:
    state = fold("r", [reviewed(1, name="n1", call="a"), reviewed(2, name="n2", command="c2")])
    by_name, by_command = state.find_ended("", "n1", ""), state.find_ended("", "other", "c2")
    assert by_name is not None
    assert by_name.step == 1
    assert by_command is not None
    assert by_command.step == 2


def test_an_id_that_nobody_knows_is_not_taken_for_another_id() -> None:
    state = fold("r", [reviewed(1, call="a", command="c1")])
    assert state.find_ended("z", "n", "c1") is None
    assert state.find_ended("", "other", "") is None
