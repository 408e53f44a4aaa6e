"""What becomes of a task whose attempt was lost: every combination of facts."""

from itertools import product

import pytest

from handrail.fleet.recovery.orphans import (
    RULES,
    OrphanAction,
    OrphanFacts,
    decide,
)

ADOPT, RESUME, REQUEUE, PARK, CLOSE = OrphanAction
NAMES = (
    "has_workspace", "has_work", "is_broken_off", "said_done", "is_merged", "passes", "has_session",
)  # fmt: skip
EVERY = [
    OrphanFacts(driver=driver, lacks=lacks, **dict(zip(NAMES, known, strict=True)))
    for driver, lacks, known in product(
        (0, 321), ((), ("a" * 40,)), product((True, False), repeat=len(NAMES))
    )
]
"""All combinations: 512."""
LOST = OrphanFacts(has_work=True, is_broken_off=True, has_session=True)


@pytest.mark.parametrize(
    ("facts", "action", "rule"),
    [
        (OrphanFacts(driver=321), ADOPT, "alive"),
        (OrphanFacts(has_workspace=False), REQUEUE, "no workspace"),
        (LOST, RESUME, "session"),
        (OrphanFacts(is_broken_off=True), REQUEUE, "new session"),
        (OrphanFacts(has_session=True), REQUEUE, "new session"),
        (OrphanFacts(is_broken_off=True, said_done=True), CLOSE, "finished"),
        (OrphanFacts(is_broken_off=True, is_merged=True), CLOSE, "merged"),
        (OrphanFacts(is_merged=True), REQUEUE, "new session"),
        (OrphanFacts(is_broken_off=True, said_done=True, passes=False), REQUEUE, "new session"),
        (OrphanFacts(lacks=("a" * 40,)), REQUEUE, "stale base"),
        (OrphanFacts(lacks=("a" * 40,), has_work=True), PARK, "stale work"),
    ],
)
def test_the_first_rule_that_fits_decides(
    facts: OrphanFacts, action: OrphanAction, rule: str
) -> None:
    decided = decide(facts)
    assert (decided.action, decided.rule) == (action, rule)


def test_each_rule_decides_about_something() -> None:
    assert {decide(each).rule for each in EVERY} == {rule.name for rule in RULES}


def test_no_session_goes_on_where_anybody_else_may_have_changed_the_files() -> None:
    resumed = [each for each in EVERY if decide(each).action is RESUME]
    assert resumed
    assert all(each.is_broken_off and each.has_session for each in resumed)
    assert not any(each.lacks or not each.has_workspace for each in resumed)


def test_no_workspace_with_work_is_replaced() -> None:
    replaced = [each for each in EVERY if not decide(each).keeps_workspace]
    assert replaced
    assert not any(each.has_work for each in replaced)


def test_nothing_counts_as_done_that_does_not_pass_or_that_a_person_gave_again() -> None:
    closed = [each for each in EVERY if decide(each).action is CLOSE]
    assert closed
    assert all(each.passes and each.is_broken_off for each in closed)


def test_each_decision_names_its_evidence() -> None:
    for facts in EVERY:
        says = decide(facts).says
        assert says.endswith(".")
        assert "  " not in says
    stale = decide(OrphanFacts(lacks=("a" * 40,), has_work=True))
    assert stale.says == (
        "park (stale work): Its workspace holds work. It lacks newer work that it depends on: "
        "aaaaaaaaaaaa. Its last attempt was not broken off by accident. Merge the other work into "
        "its branch by hand, or run `handrail task clean` to start it afresh; then run "
        "`handrail task retry`."
    )
    kept = decide(OrphanFacts(is_broken_off=True, said_done=True, passes=False))
    assert "Its agent had finished, but the verify command does not succeed." in kept.evidence
