"""A silent daemon is ended only if it will not come back."""

import os
import sys
import threading

import pytest

from handrail.server.guardian.pulse import SilentThread, ThreadSample, sample
from handrail.server.guardian.watch import pause_before


def watched(states: str, share: float, seconds: float = 11.0) -> str:
    """What is thought of a thread after some seconds, by what each look showed."""
    thread = SilentThread()
    step = seconds / (len(states) - 1)
    for number, state in enumerate(states):
        at = 100 + number * step
        thread.add(ThreadSample(at, state, share * number * step))
    return thread.problem()


def test_one_that_sleeps_for_ever_is_ended() -> None:
    assert watched("S" * 12, 0.0) == "it waits for something that does not come"


def test_one_that_spins_is_ended() -> None:
    assert watched("R" * 12, 1.0) == "it computes without end"


@pytest.mark.parametrize(
    ("states", "share"),
    [
        ("R" * 12, 0.0),  # it wants to run, and others do
        ("R" * 12, 0.5),
        ("S" * 12, 0.05),  # it does something
        ("SSSSSSSDSSSS", 0.0),  # it waits for a disk
        ("SSSSSSSRSSSS", 0.0),
    ],
)
def test_a_busy_machine_is_no_reason(states: str, share: float) -> None:
    assert watched(states, share) == ""


def test_one_look_after_a_long_pause_of_the_guardian_is_no_reason() -> None:
    assert watched("SS", 0.0, seconds=600) == ""
    assert watched("S" * 12, 0.0, seconds=9) == ""


def test_an_answer_begins_it_anew() -> None:
    thread = SilentThread()
    for number in range(12):
        thread.add(ThreadSample(float(number), "S", 0.0))
    assert thread.problem()
    thread.clear()
    assert thread.problem() == ""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_thread_is_looked_at() -> None:
    seen = sample(os.getpid(), threading.get_native_id(), 1.0)
    assert seen is not None
    assert (seen.at, seen.state) == (1.0, "R")
    assert sample(os.getpid(), 0, 1.0) is None


def test_the_pauses_between_starts_that_fail_grow() -> None:
    assert [pause_before(number) for number in range(8)] == [0, 1, 2, 4, 8, 16, 30, 30]
