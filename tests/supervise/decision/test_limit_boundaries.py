"""A limit is reached exactly where it says, not one earlier and not one later."""

import msgspec
import pytest

from handrail.config.schema import Limits
from handrail.model.event import Intervened, RunStarted
from handrail.model.intervention import Allowance, Intervention, InterventionName
from handrail.supervise.decision.run_limits import refusal_by_limits
from handrail.supervise.state.watched_state import WatchedState, fold
from tests.supervise.decision.test_run_limits import LOOP, READS, WRITES
from tests.supervise.strategies import reviewed
from tests.supervise.supervision_setup import SupervisionSetup

NO_LIMITS = (Limits(),)


def throttled(**left: int) -> WatchedState:
    means = InterventionName.RESOURCE_THROTTLING
    allowance = msgspec.structs.replace(Allowance(), **left)
    done = Intervention("i1", means, LOOP, 0, allowance=allowance)
    return fold("r", [RunStarted(0.0, "claude", "/p"), Intervened(0.0, done)])


def used(state: WatchedState, **used: object) -> WatchedState:
    course = msgspec.structs.replace(state.course, **used)
    return msgspec.structs.replace(state, course=course)


@pytest.mark.parametrize(("tokens", "is_refused"), [(99, False), (100, True), (101, True)])
def test_tokens(tokens: int, is_refused: bool) -> None:
    state = used(throttled(tokens=100), tokens=tokens)
    refused = refusal_by_limits(state, WRITES, NO_LIMITS, 10.0)
    assert (refused is not None and "100 tokens" in refused.reason) is is_refused


@pytest.mark.parametrize(("changes", "is_refused"), [(1, False), (2, True), (3, True)])
def test_file_changes(changes: int, is_refused: bool) -> None:
    state = used(throttled(file_operations=2), changes=changes)
    refused = refusal_by_limits(state, WRITES, NO_LIMITS, 10.0)
    assert (refused is not None and "2 file changes" in refused.reason) is is_refused


@pytest.mark.parametrize(("calls", "is_refused"), [(1, False), (2, True)])
def test_calls_a_minute(calls: int, is_refused: bool) -> None:
    state = used(throttled(calls_per_minute=2), calls=[50.0] * calls)
    assert (refusal_by_limits(state, READS, NO_LIMITS, 60.0) is not None) is is_refused


@pytest.mark.parametrize(
    ("now", "is_refused"),
    [(69.9, True), (70.0, False), (9.0, False), (10.0, True)],
    ids=["the last moment", "a minute ago", "in the future", "right now"],
)
def test_a_call_counts_for_a_minute(now: float, is_refused: bool) -> None:
    state = used(throttled(calls_per_minute=1), calls=[10.0])
    assert (refusal_by_limits(state, READS, NO_LIMITS, now) is not None) is is_refused


@pytest.mark.parametrize(("actions", "is_refused"), [(1, True), (2, True), (3, False)])
def test_actions(actions: int, is_refused: bool) -> None:
    state = fold("r", [RunStarted(0.0, "claude", "/p"), reviewed(1), reviewed(2)])
    refused = refusal_by_limits(state, READS, (Limits(actions=actions),), 10.0)
    assert (refused is not None) is is_refused


@pytest.mark.parametrize(("now", "is_refused"), [(700.0, False), (700.1, True)])
def test_minutes(now: float, is_refused: bool) -> None:
    state = fold("r", [RunStarted(100.0, "claude", "/p")])
    refused = refusal_by_limits(state, READS, (Limits(minutes=10),), now)
    assert (refused is not None) is is_refused


def test_every_set_of_limits_counts() -> None:
    state = fold("r", [RunStarted(0.0, "claude", "/p"), reviewed(1)])
    strict, lax = Limits(actions=1), Limits(actions=100)
    assert refusal_by_limits(state, READS, (strict, lax), 10.0) is not None
    assert refusal_by_limits(state, READS, (lax, strict), 10.0) is not None
    assert refusal_by_limits(state, READS, (lax, lax), 10.0) is None


@pytest.mark.parametrize(("first", "then"), [(1, 100), (100, 1)])
def test_limits_of_the_start_and_of_now_hold_together(
    supervision: SupervisionSetup, first: int, then: int
) -> None:
    supervision.settings(f"limits: {{actions: {first}}}\n")
    supervision.run.before(supervision.bash("true", "t1"))
    supervision.settings(f"limits: {{actions: {then}}}\n")
    verdict = supervision.run.before(supervision.bash("true", "t2"))
    assert "limits.actions" in verdict.reason


def measured(**usage: object) -> WatchedState:
    state = fold("r", [RunStarted(0.0, "claude", "/p")])
    return msgspec.structs.replace(state, usage=msgspec.structs.replace(state.usage, **usage))


@pytest.mark.parametrize(
    ("usage", "limits", "named"),
    [
        ({"tokens": 999}, Limits(tokens=1000), ""),
        ({"tokens": 1000}, Limits(tokens=1000), "limits.tokens"),
        ({"cost_usd": 0.99}, Limits(cost_usd=1.0), ""),
        ({"cost_usd": 1.0}, Limits(cost_usd=1.0), "limits.cost_usd"),
        ({}, Limits(cost_usd=0.01), ""),
        ({"memory_mb": 512.0}, Limits(memory_mb=512), ""),
        ({"memory_mb": 512.1}, Limits(memory_mb=512), "limits.memory_mb"),
    ],
)
def test_what_is_measured(usage: dict[str, object], limits: Limits, named: str) -> None:
    refused = refusal_by_limits(measured(**usage), WRITES, (limits,), 10.0)
    assert (refused is not None) is bool(named)
    assert refused is None or named in refused.reason


def test_the_lowest_of_several_memory_limits_counts() -> None:
    limits = (Limits(memory_mb=4096), Limits(), Limits(memory_mb=512))
    assert refusal_by_limits(measured(memory_mb=600.0), WRITES, limits, 10.0) is not None
