"""What is used, and when that is enough."""

import os
import signal
import subprocess
import sys

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.drive.usage import LoopLimits, LoopUsage, ProcessSample, UsageMeter, sample_processes

NONE = LoopLimits(max_iterations=0)


class Clock:
    """Stands until somebody turns it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("limits", "usage", "says"),
    [
        (LoopLimits(max_iterations=3), LoopUsage(iterations=3), "3 of 3 iterations used"),
        (LoopLimits(max_minutes=2), LoopUsage(seconds=150), "2.5 of 2.0 minutes used"),
        (LoopLimits(max_cost_usd=0.5), LoopUsage(cost_usd=0.51), "$0.51 of $0.50 used"),
        (LoopLimits(max_tokens=1_000), LoopUsage(tokens=1_200), "1,200 of 1,000 tokens used"),
        (LoopLimits(max_memory_mb=512), LoopUsage(memory_mb=600), "600 of 512 MB memory used"),
    ],
)
def test_a_limit_that_is_met_is_told(limits: LoopLimits, usage: LoopUsage, says: str) -> None:
    met = limits.met(usage)
    assert met is not None
    assert met.says == says


def test_no_limit_is_met_where_there_is_none() -> None:
    much = LoopUsage(iterations=9**9, tokens=9**9, cost_usd=1e9, seconds=1e9, memory_mb=1e9)
    assert NONE.met(much) is None


def test_a_peak_of_the_past_does_not_count() -> None:
    assert LoopLimits(max_memory_mb=512).met(LoopUsage(peak_mb=600)) is None


def test_money_comes_before_iterations() -> None:
    met = LoopLimits(max_iterations=1, max_cost_usd=1).met(LoopUsage(iterations=1, cost_usd=1))
    assert met is not None
    assert met.limit == "max_cost_usd"


def test_time_counts_only_at_work() -> None:
    clock = Clock()
    meter = UsageMeter(LoopUsage(seconds=5), clock)
    clock.now += 100
    with meter.at_work():
        clock.now += 7
        assert meter.usage.seconds == 12
        clock.now += 1
    clock.now += 100
    assert meter.usage.seconds == 13


def test_time_does_not_count_while_the_agent_is_frozen() -> None:
    clock = Clock()
    meter = UsageMeter(LoopUsage(), clock)
    with meter.at_work():
        clock.now += 1
        meter.hold(held=True)
        clock.now += 100
        meter.hold(held=True)
        clock.now += 100
        meter.hold(held=False)
        clock.now += 2
        meter.hold(held=False)
        clock.now += 4
    assert meter.usage.seconds == 7


def test_time_at_work_counts_when_it_ends_badly() -> None:
    clock = Clock()
    meter = UsageMeter(LoopUsage(), clock)

    def work() -> None:
        with meter.at_work():
            clock.now += 3
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    clock.now += 3
    assert meter.usage.seconds == 3


@given(st.lists(st.tuples(st.integers(-5, 10**6), st.floats(0, 10), st.floats(0, 4096))))
def test_usage_adds_up_and_the_peak_is_kept(turns: list[tuple[int, float, float]]) -> None:
    meter = UsageMeter(LoopUsage(tokens=7))
    before = meter.usage
    for tokens, cost, memory in turns:
        meter.add(tokens=tokens, cost_usd=cost)
        meter.record_memory(memory)
        now = meter.usage
        assert now.tokens >= before.tokens
        assert now.cost_usd >= before.cost_usd
        assert now.peak_mb >= max(before.peak_mb, memory)
        assert now.memory_mb == memory
        before = now
    assert before.tokens == 7 + sum(max(tokens, 0) for tokens, _, _ in turns)


CHILD = "block = b'x' * 40_000_000; print('up', flush=True); input()"
TREE = f"""
import subprocess, sys
block = b"x" * 40_000_000
child = subprocess.Popen([sys.executable, "-c", {CHILD!r}], stdin=-1, stdout=-1)
child.stdout.readline()
print("up", flush=True)
input()
"""


def test_the_memory_of_a_whole_tree_is_measured() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", TREE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as tree:
        try:
            assert tree.stdout is not None
            tree.stdout.readline()
            seen = sample_processes(tree.pid)
        finally:
            tree.kill()
    assert 80 < seen.memory_mb < 400
    assert not seen.frozen


def test_a_process_that_is_stopped_is_frozen() -> None:
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            os.kill(process.pid, signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED)
            assert sample_processes(process.pid).frozen
        finally:
            process.kill()


def test_a_process_that_is_gone_uses_nothing() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert sample_processes(process.pid) == ProcessSample()


def test_a_child_that_vanishes_while_it_is_looked_at_uses_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with subprocess.Popen(["sleep", "600"]) as process:
        child = psutil.Process(process.pid)
        process.kill()
    monkeypatch.setattr(psutil.Process, "children", lambda self, recursive: [child])
    assert sample_processes(os.getpid()).memory_mb > 0
