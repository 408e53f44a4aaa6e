"""Patterns of a user's own."""

import pytest

from handrail.config.detection import CountingRule, Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.counting_rules import CountingRules
from handrail.model.effect import Kind
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from tests.detect.steps import did, not_done


def counted(rule: CountingRule, deeds: list[CompletedStep]) -> list[Finding]:
    counting = CountingRules()
    for deed in deeds:
        counting.see(deed)
    return counting.find(Detection(counting=(rule,)))


def rule(**more: object) -> CountingRule:
    return CountingRule("pushes", "It pushes too often.", **more)  # type: ignore[arg-type]


PUSH = rule(commands=(r"\bgit push\b",), times=2, within=4, severity=Severity.MEDIUM)


def test_what_happens_often_enough_is_found() -> None:
    deeds = [did(1, shown="git push"), did(2), did(3, shown="git push -f")]
    (finding,) = counted(PUSH, deeds)
    assert finding == Finding(
        "pushes",
        Severity.MEDIUM,
        1.0,
        (1, 3),
        says="It pushes too often.",
        symptom="pushes",
        facts={"times": "2", "within": "4"},
    )


def test_what_is_too_long_ago_does_not_count() -> None:
    deeds = [did(1, shown="git push"), did(2), did(3), did(4), did(5, shown="git push")]
    assert counted(PUSH, deeds) == []


def test_the_last_deed_has_to_be_part_of_it() -> None:
    deeds = [did(1, shown="git push"), did(2, shown="git push"), did(3)]
    assert counted(PUSH, deeds) == []


@pytest.mark.parametrize(
    ("conditions", "deed", "counts"),
    [
        ({"tools": ("Edit",)}, did(1, tool="Edit"), True),
        ({"tools": ("Edit",)}, did(1, tool="Read"), False),
        ({"kinds": (Kind.SEND,)}, did(1, kinds=(Kind.READ, Kind.SEND)), True),
        ({"kinds": (Kind.SEND,)}, did(1, kinds=(Kind.READ,)), False),
        ({"failed": True}, did(1, ok=False), True),
        ({"failed": True}, did(1), False),
        ({"failed": False}, did(1), True),
        ({"failed": False}, not_done(1, "refused"), False),
        ({"failed": True}, not_done(1, "refused"), False),
        ({"commands": ("^make", "^npm")}, did(1, shown="npm test"), True),
        ({"commands": ("^make",), "failed": True}, did(1, shown="make"), False),
        ({"commands": ("^make",), "failed": True}, did(1, shown="make", ok=False), True),
    ],
)
def test_every_condition_has_to_be_met(
    conditions: dict[str, object], deed: CompletedStep, counts: bool
) -> None:
    assert bool(counted(rule(times=1, **conditions), [deed])) is counts


def test_fifty_actions_can_be_counted() -> None:
    all_of_them = rule(tools=("Bash",), times=50, within=50)
    assert counted(all_of_them, [did(step) for step in range(49)]) == []
    assert len(counted(all_of_them, [did(step) for step in range(90)])) == 1


def test_several_rules_may_speak() -> None:
    counting = CountingRules()
    counting.see(did(1))
    rules = (rule(tools=("Bash",), times=1), CountingRule("all", "Too much.", 1, failed=False))
    assert [each.kind for each in counting.find(Detection(counting=rules))] == ["pushes", "all"]
