"""Stalls and rows of errors in the loop of a task."""

from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.recovery.stall import LoopCounters

IDLE = ("iteration", False, False)


def _after(counters: LoopCounters, *turns: tuple[str, bool, bool]) -> LoopCounters:
    for kind, one, other in turns:
        if kind == "iteration":
            counters = counters.after_iteration(committed=one, changed_files=other)
        else:
            counters = counters.after_error(outside=one)
    return counters


def test_five_iterations_without_a_commit_or_a_change_are_a_stall() -> None:
    assert not _after(LoopCounters(), *[IDLE] * 4).is_stalled()
    assert _after(LoopCounters(), *[IDLE] * 5).is_stalled()


def test_a_commit_or_a_changed_file_ends_a_stall() -> None:
    stalled = LoopCounters(idle=9)
    assert not stalled.after_iteration(committed=True, changed_files=False).is_stalled()
    assert not stalled.after_iteration(committed=False, changed_files=True).is_stalled()


def test_three_errors_in_a_row_pause() -> None:
    error = ("error", False, False)
    assert not _after(LoopCounters(), error, error).must_pause()
    assert _after(LoopCounters(), error, error, error).must_pause()
    assert not _after(LoopCounters(), error, error, IDLE, error).must_pause()


def test_a_rate_limit_is_no_error_and_ends_no_row() -> None:
    counters = LoopCounters(errors=2, idle=3)
    assert counters.after_error(outside=True) == counters


def test_both_start_anew_when_asked() -> None:
    counters = LoopCounters(errors=3, idle=5)
    assert counters.without_stall() == LoopCounters(errors=3)
    assert counters.without_errors() == LoopCounters(idle=5)


def test_a_limit_of_one_acts_at_once() -> None:
    assert LoopCounters(idle=1).is_stalled(1)
    assert LoopCounters(errors=1).must_pause(1)


def test_zero_switches_each_off() -> None:
    counters = LoopCounters(errors=99, idle=99)
    assert not counters.is_stalled(0)
    assert not counters.must_pause(0)


TURNS = st.lists(
    st.tuples(st.sampled_from(["iteration", "error"]), st.booleans(), st.booleans()), max_size=40
)


@given(TURNS)
def test_the_counters_are_the_length_of_the_last_row(turns: list[tuple[str, bool, bool]]) -> None:
    counters = _after(LoopCounters(), *turns)
    iterations = [one or other for kind, one, other in turns if kind == "iteration"]
    idle = next((n for n, moved in enumerate(reversed(iterations)) if moved), len(iterations))
    counted = [kind for kind, one, _ in turns if kind == "iteration" or not one]
    errors = next(
        (n for n, kind in enumerate(reversed(counted)) if kind == "iteration"), len(counted)
    )
    assert counters == LoopCounters(idle=idle, errors=errors)


@given(TURNS, st.integers(1, 9))
def test_a_stall_needs_as_many_iterations_as_are_allowed(
    turns: list[tuple[str, bool, bool]], most: int
) -> None:
    iterations = sum(kind == "iteration" for kind, _, _ in turns)
    if iterations < most:
        assert not _after(LoopCounters(), *turns).is_stalled(most)
