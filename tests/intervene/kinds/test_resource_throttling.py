"""Limits for a run that uses more and more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.config.interventions import Interventions, ReductionFactors, ResourceThrottling
from handrail.intervene import Capability
from handrail.intervene.kinds.resource_throttling import PARTS
from handrail.intervene.situation import CurrentUsage
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, InterventionName
from tests.intervene.controller_setup import ALL, draft_of, finding, situation


def spiral(**growth: str) -> Finding:
    """A finding as the detector makes it: what grows most, and how much each series does."""
    facts = {"series": next(iter(growth), ""), **growth}
    return finding("resource_spiral", says="It takes longer.", facts=facts)


@pytest.mark.parametrize(
    ("growth", "calls"), [("2.1", 50), ("2.0", 70), ("1.6", 70), ("1.3", 85), ("1.2", 100)]
)
def test_growth_decides_how_much_is_cut(growth: str, calls: int) -> None:
    found = spiral(calls=growth)
    draft = draft_of(
        InterventionName.RESOURCE_THROTTLING,
        found,
        situation(usage=CurrentUsage(calls_per_minute=100)),
    )
    assert draft.allowance == Allowance(calls_per_minute=calls)


def test_how_much_is_a_setting() -> None:
    factors = ReductionFactors(severe=0.25)
    settings = Interventions(resource_throttling=ResourceThrottling(reduction_factors=factors))
    found = spiral(calls="3")
    draft = draft_of(
        InterventionName.RESOURCE_THROTTLING,
        found,
        situation(usage=CurrentUsage(calls_per_minute=100)),
        settings,
    )
    assert draft.allowance == Allowance(calls_per_minute=25)


@pytest.mark.parametrize(
    ("series", "usage", "allowance"),
    [
        ("file_operations", CurrentUsage(file_operations=40), Allowance(file_operations=200)),
        ("time", CurrentUsage(command_seconds=60), Allowance(command_seconds=30)),
        ("memory", CurrentUsage(memory_mb=4000), Allowance(memory_mb=2000)),
        ("tokens", CurrentUsage(tokens=20_000), Allowance(tokens=100_000)),
        ("calls", CurrentUsage(calls_per_minute=20), Allowance(calls_per_minute=10)),
    ],
)
def test_what_grows_is_limited(series: str, usage: CurrentUsage, allowance: Allowance) -> None:
    found = spiral(**{series: "2.5"})
    assert (
        draft_of(InterventionName.RESOURCE_THROTTLING, found, situation(usage=usage)).allowance
        == allowance
    )


def test_several_things_may_grow() -> None:
    found = spiral(memory="2.5", file_operations="1.6")
    at = situation(usage=CurrentUsage(memory_mb=4000, file_operations=100))
    draft = draft_of(InterventionName.RESOURCE_THROTTLING, found, at)
    assert draft.allowance == Allowance(memory_mb=2000, file_operations=700)


def test_a_second_time_the_limit_itself_is_cut() -> None:
    found = spiral(calls="2.5")
    at = situation(
        allowance=Allowance(calls_per_minute=40, tokens=9), usage=CurrentUsage(calls_per_minute=100)
    )
    draft = draft_of(InterventionName.RESOURCE_THROTTLING, found, at)
    assert draft.allowance == Allowance(calls_per_minute=20, tokens=9)


def test_trouble_that_is_no_growth_slows_the_run_down() -> None:
    at = situation(usage=CurrentUsage(calls_per_minute=40, batch=8))
    draft = draft_of(InterventionName.RESOURCE_THROTTLING, finding("repeated_refusals"), at)
    assert draft.allowance == Allowance(calls_per_minute=34, batch=6)


def test_the_agent_reads_its_limits() -> None:
    found = spiral(time="2.5")
    draft = draft_of(
        InterventionName.RESOURCE_THROTTLING,
        found,
        situation(usage=CurrentUsage(command_seconds=60)),
    )
    assert draft.guidance.startswith("This run takes longer. From now on: 30 s for one command.")
    assert "refuses" in draft.guidance


def test_what_the_host_cannot_keep_is_not_promised() -> None:
    found = spiral(memory="2.5", calls="2.5")
    draft = draft_of(
        InterventionName.RESOURCE_THROTTLING, found, situation(can=frozenset({Capability.DENY}))
    )
    assert draft.allowance == Allowance(calls_per_minute=15)
    assert draft.limits == "This host lets Handrail set no limit on: memory mb."
    assert "memory" not in draft.guidance


def test_where_what_grows_cannot_be_limited_its_speed_can() -> None:
    found = spiral(memory="2.5")
    draft = draft_of(
        InterventionName.RESOURCE_THROTTLING, found, situation(can=frozenset({Capability.DENY}))
    )
    assert draft.allowance is not None
    assert draft.allowance.calls_per_minute > 0
    assert draft.allowance.memory_mb == 0
    assert draft.limits


@given(
    st.dictionaries(
        st.sampled_from([part.series for part in PARTS if part.series]),
        st.one_of(st.floats().map(str), st.text()),
    ),
    st.integers(1, 30),
    st.floats(0, 1e6),
)
def test_limits_only_fall_and_never_reach_nothing(
    facts: dict[str, str], times: int, used: float
) -> None:
    usage = CurrentUsage(used, int(used), used, used, int(used), int(used))
    before: Allowance | None = None
    for _ in range(times):
        at = situation(usage=usage, allowance=before, can=ALL)
        after = draft_of(InterventionName.RESOURCE_THROTTLING, spiral(**facts), at).allowance
        assert after is not None
        assert after != Allowance()
        for part in PARTS:
            now = getattr(after, part.name)
            assert now == 0 or now >= part.least
            if before is not None and getattr(before, part.name):
                assert 0 < now <= getattr(before, part.name)
        before = after
