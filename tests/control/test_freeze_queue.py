"""One after the other: what was overtaken while it waited loses its turn."""

from handrail.control.freeze_queue import FreezeQueue
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAsked

RUN = "run-1"


def asked(request: str) -> ControlAsked:
    return ControlAsked(1.0, request, ControlCommand.FREEZE, Standing.FREEZING)


def test_the_first_begins_and_the_others_wait() -> None:
    turns = FreezeQueue()
    assert turns.enter(RUN, asked("a"), {"a"})
    assert not turns.enter(RUN, asked("b"), {"a", "b"})
    assert turns.enter("run-2", asked("c"), {"c"})


def test_the_next_begins_when_the_first_has_come_back() -> None:
    turns = FreezeQueue()
    turns.enter(RUN, asked("a"), {"a"})
    turns.enter(RUN, asked("b"), {"b"})
    assert turns.leave(RUN, "b") is None
    assert turns.leave(RUN, "a") == asked("a")
    assert turns.first(RUN, {"b"}) == asked("b")


def test_whoever_is_overtaken_loses_the_turn_unless_it_is_under_way() -> None:
    turns = FreezeQueue()
    for request in "abcd":
        turns.enter(RUN, asked(request), {request})
    assert turns.leave(RUN, "a") == asked("a")
    assert turns.first(RUN, {"c", "d"}) == asked("d")


def test_a_line_does_not_grow_when_the_first_never_comes_back() -> None:
    turns = FreezeQueue()
    turns.enter(RUN, asked("first"), {"first"})
    for number in range(1000):
        turns.enter(RUN, asked(str(number)), {str(number)})
    turns.leave(RUN, "first")
    assert turns.first(RUN, set(map(str, range(1000)))) == asked("999")


def test_where_nothing_is_left_nobody_waits() -> None:
    turns = FreezeQueue()
    turns.enter(RUN, asked("a"), {"a"})
    turns.clear(RUN)
    assert turns.leave(RUN, "a") is None
    assert turns.enter(RUN, asked("b"), {"b"})
