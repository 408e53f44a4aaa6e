"""Events go in without their secrets, and come out as they went in."""

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.supervise.strategies import events

from handrail.model import Action, Decision, Effect, Kind, Outcome, Review, Verdict
from handrail.model.event import (
    ActionEnded,
    ActionReviewed,
    Event,
    PromptGiven,
    RunStarted,
)
from handrail.model.ordinal import Severity, Undo
from handrail.model.review import Rationality, Risk, RuleHit
from handrail.redact import Redactor
from handrail.store.decoding import decode
from handrail.store.errors import ClosedError, DamagedError
from handrail.store.journal import Journal
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, Receipt, StoredEntry

TOPIC = "run:r"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
NOTHING_KNOWN = Redactor()


def journal() -> Journal:
    return Journal(MemoryStore())


def written(event: Event, redactor: Redactor = NOTHING_KNOWN) -> Event:
    """The event as it is read back."""
    log = journal()
    returned = log.append(TOPIC, event, redactor).event
    ((_, read),) = log.read(TOPIC)
    assert returned == read
    return read


class SeenEntries(MemoryStore):
    """Keeps what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[NewEntry] = []

    def append(self, entries: Sequence[NewEntry]) -> Receipt:
        self.given += entries
        return super().append(entries)


def test_only_the_end_of_a_call_may_be_written_a_moment_later() -> None:
    store = SeenEntries()
    log = Journal(store)
    log.append(TOPIC, ActionEnded(1.0, 1, Outcome(True)), NOTHING_KNOWN)
    log.append(TOPIC, PromptGiven(2.0, "Go on."), NOTHING_KNOWN)
    assert [entry.can_wait for entry in store.given] == [True, False]


def prompt(text: str) -> str:
    event = written(PromptGiven(1.0, text))
    assert isinstance(event, PromptGiven)
    return event.text


def reviewed(action: Action) -> ActionReviewed:
    effect = Effect(Kind.DELETE, TOKEN, Severity.CRITICAL, Undo.IMPOSSIBLE)
    review = Review(
        Decision.BLOCK,
        Risk(1.0, Severity.CRITICAL),
        Rationality(0.6, 0.6, 0.6, 1.0, 1.0),
        effects=(effect,),
        rules=(RuleHit("no-tokens", Decision.BLOCK, f"It holds {TOKEN}."),),
        reasons=(f"It deletes {TOKEN}.", "It is late."),
    )
    verdict = Verdict(Decision.MODIFY, "Why.", updated_input={"command": f"echo {TOKEN}"})
    return ActionReviewed(1.0, 1, "0123456789abcdef", action, review, verdict, command="f" * 16)


# --- in and out --------------------------------------------------------------------------------


@given(events)
def test_what_append_returns_is_what_is_read_later(event: Event) -> None:
    written(event)


@given(events)
def test_an_event_without_secrets_and_long_texts_is_written_as_it_is(event: Event) -> None:
    assert written(event) == event


def test_events_are_read_in_order_however_many() -> None:
    count = 1_234
    log = journal()
    for number in range(count):
        log.append(TOPIC, PromptGiven(float(number), "go on"), NOTHING_KNOWN)
    assert [event.at for _, event in log.read(TOPIC)] == list(range(count))
    assert [stored.seq for stored, _ in log.read(TOPIC, 1_000)] == list(range(1_001, count + 1))
    assert list(log.read(TOPIC, count)) == []
    assert list(log.read("run:other")) == []


def test_observers_are_told_what_is_written() -> None:
    seen: list[Event] = []
    log = Journal(MemoryStore(), [seen.append])
    returned = log.append(TOPIC, PromptGiven(1.0, TOKEN), NOTHING_KNOWN).event
    assert seen == [returned]
    assert TOKEN not in str(seen)


def test_a_store_that_fails_says_so_with_the_receipt() -> None:
    store = MemoryStore()
    store.close()
    receipt = Journal(store).append(TOPIC, PromptGiven(1.0, "x"), NOTHING_KNOWN).receipt
    assert isinstance(receipt.exception(), ClosedError)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff", b'{"event":"run_ended"}', b'{"event":"unheard of","at":1}', b"[" * 9999],
)
def test_what_is_no_event_is_a_damaged_log_that_says_where(body: bytes) -> None:
    with pytest.raises(DamagedError, match="entry 7 of run:r: "):
        decode(StoredEntry(7, TOPIC, 1, 0.0, body))


def test_what_stands_before_a_damaged_entry_can_be_read() -> None:
    log = journal()
    log.append(TOPIC, PromptGiven(1.0, "x"), NOTHING_KNOWN)
    log.store.append([NewEntry(TOPIC, b"broken")])
    reading = log.read(TOPIC)
    assert next(reading)[1] == PromptGiven(1.0, "x")
    with pytest.raises(DamagedError):
        next(reading)


# --- secrets -----------------------------------------------------------------------------------


def test_no_text_of_an_event_keeps_a_secret() -> None:
    action = Action("Bash", {"command": f"curl -H 'X: {TOKEN}'", TOKEN: [{"a": TOKEN}]}, "/p",
                    {"GH_TOKEN": TOKEN}, "c1")  # fmt: skip
    event = written(reviewed(action))
    assert TOKEN not in str(event)
    assert "[redacted: GitHub token]" in str(event)


def test_everything_else_of_an_event_with_a_secret_stays() -> None:
    action = Action("Bash", {"command": f"echo {TOKEN}", "timeout": 5}, "/p", {}, "c1")
    event = written(reviewed(action))
    assert isinstance(event, ActionReviewed)
    assert event.action.input["timeout"] == 5
    assert event.review.reasons[1] == "It is late."
    assert (event.name, event.command, event.action.id) == ("0123456789abcdef", "f" * 16, "c1")
    assert event.review.effects[0].undo is Undo.IMPOSSIBLE


def test_known_values_do_not_touch_what_things_are_found_by() -> None:
    """Whoever writes a .env file could otherwise damage the log, or the folder of a run."""
    action = Action("Bash", {"command": "ls"}, "/home/me/shop", {}, "toolu_01")
    event = reviewed(action)
    words = ["action_reviewed", "block", "critical", "impossible", "delete", "Bash", "toolu_01",
             "/home/me/shop", "0123456789abcdef", "f" * 16, "no-tokens", "claude"]  # fmt: skip
    clean = written(event, Redactor(words))
    assert isinstance(clean, ActionReviewed)
    assert clean.action == action
    assert (clean.name, clean.command) == (event.name, event.command)
    assert clean.review.rules[0].rule == "no-tokens"
    assert clean.review.effects[0].kind is Kind.DELETE
    began = RunStarted(1.0, "claude", "/home/me/shop", "startup")
    assert written(began, Redactor(words)) == began


def test_known_values_are_taken_out_of_texts() -> None:
    event = written(PromptGiven(1.0, "say hunter2hunter2"), Redactor(["hunter2hunter2"]))
    assert "hunter2" not in str(event)


@given(st.lists(st.text("ab /-_1", min_size=4, max_size=8), max_size=4), events)
def test_any_known_values_leave_an_event_that_can_be_read(words: list[str], event: Event) -> None:
    assert type(written(event, Redactor(words))) is type(event)


# --- long, deep and odd ------------------------------------------------------------------------


def test_of_a_long_text_both_ends_are_kept() -> None:
    text = prompt("begin " + "x" * 1_000_000 + " end")
    assert text.startswith("begin xxx")
    assert text.endswith("xxx end")
    assert "\n… the middle is left out …\n" in text
    assert len(text) < 20_000


def test_a_text_that_is_not_long_is_kept_whole() -> None:
    assert prompt("x" * 16_384) == "x" * 16_384


@pytest.mark.parametrize("end", [8_192, 32_768, 65_536])
@pytest.mark.parametrize("shift", range(0, 48, 5))
def test_a_secret_that_a_cut_goes_through_is_not_kept_in_part(end: int, shift: int) -> None:
    before = "x" * (end - shift - 1) + " "
    for text in (before + TOKEN + " " + "y" * 200_000, "y" * 200_000 + " " + TOKEN + before[::-1]):
        kept = prompt(text)
        assert TOKEN[4:12] not in kept
        assert TOKEN[-8:] not in kept


def test_long_texts_anywhere_are_cut() -> None:
    action = Action("Write", {"content": "x" * 100_000, "edits": [{"new": "y" * 100_000}]})
    event = written(reviewed(action))
    assert len(msgspec.json.encode(event)) < 40_000
    output = written(ActionEnded(1.0, 1, Outcome(True, output="z" * 10_000_000)))
    assert len(msgspec.json.encode(output)) < 20_000


def test_what_is_nested_too_deep_is_left_out() -> None:
    deep: dict[str, object] = {"end": "x"}
    for _ in range(500):
        deep = {"in": deep}
    event = written(reviewed(Action("Tool", {"top": 1, "deep": deep})))
    assert isinstance(event, ActionReviewed)
    assert event.action.input["top"] == 1
    assert "nested too deep" in str(event.action.input)


@pytest.mark.parametrize(
    "value",
    [
        "half \ud800 a character",
        {"\udfff": 1},
        {1: {2: "three"}},
        (1, (2, [3])),
        {"a set"},
        b"bytes",
        object,
        2**100,
        float("nan"),
        float("inf"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_value_that_json_does_not_have_can_be_written(value: object) -> None:
    written(reviewed(Action("Tool", {"value": value})))


@pytest.mark.parametrize("field", ["tool", "cwd", "id"])
def test_half_a_character_in_a_name_can_be_written(field: str) -> None:
    written(reviewed(msgspec.structs.replace(Action("Tool", {}), **{field: "a\ud800b"})))


def test_secrets_of_texts_in_subclasses_are_found() -> None:
    class Text(str):
        __slots__ = ()

    class Input(dict[str, object]):
        pass

    assert TOKEN not in prompt(Text(f"say {TOKEN}"))
    assert TOKEN not in str(written(reviewed(Action("Tool", Input(command=Text(TOKEN))))))
