"""Stalls in the loop of a task."""

from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.recovery.stall import IdleCounter

IDLE = (False, False)


def _after(counter: IdleCounter, *iterations: tuple[bool, bool]) -> IdleCounter:
    for committed, changed in iterations:
        counter = counter.after_iteration(committed=committed, changed_files=changed)
    return counter


def test_five_iterations_without_a_commit_or_a_change_are_a_stall() -> None:
    assert not _after(IdleCounter(), *[IDLE] * 4).is_stalled()
    assert _after(IdleCounter(), *[IDLE] * 5).is_stalled()


def test_a_commit_or_a_changed_file_ends_a_stall() -> None:
    stalled = IdleCounter(9)
    assert not stalled.after_iteration(committed=True, changed_files=False).is_stalled()
    assert not stalled.after_iteration(committed=False, changed_files=True).is_stalled()


def test_a_limit_of_one_acts_at_once_and_zero_switches_it_off() -> None:
    assert IdleCounter(1).is_stalled(1)
    assert not IdleCounter(99).is_stalled(0)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40))
def test_the_counter_is_the_length_of_the_last_row(iterations: list[tuple[bool, bool]]) -> None:
    moved = [committed or changed for committed, changed in reversed(iterations)]
    idle = moved.index(True) if True in moved else len(moved)
    assert _after(IdleCounter(), *iterations) == IdleCounter(idle)
