"""What becomes of a task whose attempt has lost its driver: every combination of facts."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.orphans import (
    RULES,
    SAME_START,
    DriverSign,
    LastFailure,
    OrphanAction,
    OrphanFacts,
    decide,
    driver_sign,
)

ADOPT, RESUME, REQUEUE, PARK, CLOSE = (
    OrphanAction.ADOPT,
    OrphanAction.RESUME,
    OrphanAction.REQUEUE,
    OrphanAction.PARK,
    OrphanAction.CLOSE,
)
EVERY = [
    OrphanFacts(
        lease_over=lease_over,
        driver=driver,
        pid=4321,
        has_session=has_session,
        is_finished=is_finished,
        stale_files=stale_files,
        has_changes=has_changes,
        expiries=expiries,
        max_expiries=max_expiries,
        failure=failure,
    )
    for (
        lease_over,
        driver,
        has_session,
        is_finished,
        stale_files,
        has_changes,
        (expiries, max_expiries),
        failure,
    ) in product(
        (True, False),
        DriverSign,
        (True, False),
        (True, False),
        ((), ("a.py",)),
        (True, False, None),
        ((0, 3), (2, 3), (3, 3), (9, 0)),
        LastFailure,
    )
]
"""All combinations: 5,760."""
DECIDED = [(facts, decide(facts)) for facts in EVERY]


def _facts(
    *,
    driver: DriverSign = DriverSign.GONE,
    lease_over: bool = True,
    session: bool = False,
    finished: bool = False,
    stale: tuple[str, ...] = (),
    changes: bool | None = False,
    expiries: int = 1,
    most: int = 3,
    failure: LastFailure = LastFailure.NONE,
) -> OrphanFacts:
    return OrphanFacts(
        lease_over=lease_over,
        driver=driver,
        pid=4321,
        has_session=session,
        is_finished=finished,
        stale_files=stale,
        has_changes=changes,
        expiries=expiries,
        max_expiries=most,
        failure=failure,
    )


@pytest.mark.parametrize(
    ("facts", "action", "rule", "keeps"),
    [
        (_facts(driver=DriverSign.OURS), ADOPT, "alive", True),
        (_facts(driver=DriverSign.OURS, lease_over=False), ADOPT, "alive", True),
        (_facts(driver=DriverSign.STRANGER, session=True), RESUME, "session", True),
        (_facts(driver=DriverSign.OTHER_BOOT, session=True), RESUME, "session", True),
        (_facts(session=True, failure=LastFailure.SESSION), REQUEUE, "nothing left", False),
        (_facts(session=True, stale=("a.py",)), REQUEUE, "stale base", False),
        (_facts(session=True, stale=("a.py",), changes=True), PARK, "stale work", True),
        (_facts(stale=("a.py",), changes=None), PARK, "stale work", True),
        (_facts(changes=True), REQUEUE, "work left", True),
        (_facts(changes=None), REQUEUE, "work left", True),
        (_facts(), REQUEUE, "nothing left", False),
        (_facts(driver=DriverSign.NEVER), REQUEUE, "nothing left", False),
        (_facts(session=True, expiries=3), PARK, "too often", True),
        (_facts(session=True, expiries=1, most=1), PARK, "too often", True),
        (_facts(session=True, expiries=300, most=0), RESUME, "session", True),
        (_facts(session=True, failure=LastFailure.PERSON), PARK, "needs a person", True),
        (_facts(session=True, failure=LastFailure.INCIDENT), PARK, "needs a person", True),
        (_facts(session=True, failure=LastFailure.CONFLICT), PARK, "needs a person", True),
        (_facts(session=True, failure=LastFailure.CRASH), RESUME, "session", True),
        (_facts(driver=DriverSign.OURS, finished=True, expiries=3), CLOSE, "finished", True),
    ],
)
def test_a_decision(facts: OrphanFacts, action: OrphanAction, rule: str, keeps: bool) -> None:
    decision = decide(facts)
    assert (decision.action, decision.rule, decision.keeps_workspace) == (action, rule, keeps)


def test_every_rule_decides_some_combination() -> None:
    assert {decision.rule for _, decision in DECIDED} == {rule.name for rule in RULES}


def test_a_finished_task_is_never_run_again() -> None:
    for facts, decision in DECIDED:
        assert (decision.action is CLOSE) == facts.is_finished


def test_a_task_that_was_lost_too_often_always_waits_for_a_person() -> None:
    assert all(
        decision.action is PARK
        for facts, decision in DECIDED
        if facts.is_capped and not facts.is_finished
    )


def test_only_a_process_of_ours_is_adopted() -> None:
    for facts, decision in DECIDED:
        if decision.action is ADOPT:
            assert facts.driver is DriverSign.OURS


def test_nothing_is_started_beside_a_living_driver() -> None:
    for facts, decision in DECIDED:
        if facts.driver is DriverSign.OURS:
            assert decision.action in (ADOPT, PARK, CLOSE)


def test_only_a_session_that_can_go_on_is_resumed() -> None:
    for facts, decision in DECIDED:
        if decision.action is RESUME:
            assert facts.has_session
            assert facts.failure is not LastFailure.SESSION
            assert not facts.is_stale


def test_work_that_may_be_there_is_never_left_behind() -> None:
    for facts, decision in DECIDED:
        if not decision.keeps_workspace:
            assert facts.has_changes is False


def test_what_a_person_or_an_emergency_stopped_is_not_run_again_by_itself() -> None:
    for facts, decision in DECIDED:
        if facts.failure in (LastFailure.PERSON, LastFailure.INCIDENT, LastFailure.CONFLICT):
            assert decision.action in (PARK, CLOSE)


def test_the_evidence_names_every_fact() -> None:
    facts = _facts(
        driver=DriverSign.STRANGER,
        session=True,
        stale=("a.py", "b\n.py", "c.py", "d.py", "e.py"),
        changes=True,
        expiries=2,
        failure=LastFailure.CRASH,
    )
    assert decide(facts).evidence == (
        "Its lease is over.",
        "Process 4321 is not its driver: it began at another time.",
        "The last attempt crashed.",
        "It was lost 2 times of at most 3.",
        "The target branch has changed the same files: a.py, b .py, c.py and 2 more.",
        "The workspace has changes.",
        "The host has the agent's session.",
        "Its work may be in conflict with the target branch, so a person has to look at it.",
    )


@pytest.mark.parametrize(("many", "shown"), [(1, "0"), (3, "0, 1, 2"), (4, "0, 1, 2 and 1 more")])
def test_the_evidence_names_the_first_files(many: int, shown: str) -> None:
    facts = _facts(stale=tuple(map(str, range(many))))
    assert f"The target branch has changed the same files: {shown}." in decide(facts).evidence


def test_the_evidence_of_an_adoption() -> None:
    facts = _facts(driver=DriverSign.OURS, lease_over=False, expiries=0, changes=None, most=0)
    assert decide(facts).says == (
        "Its lease still holds. Its driver, process 4321, is running. Nobody could look for"
        " changes in the workspace. The host has no session. Its driver lives and is ours, so it"
        " goes on."
    )


def test_every_evidence_is_made_of_sentences() -> None:
    for _, decision in DECIDED:
        assert all(line[0].isupper() and line.endswith(".") for line in decision.evidence)


@pytest.mark.parametrize(
    ("pid", "boot", "alive_since", "sign"),
    [
        (4321, "b1", 100.0, DriverSign.OURS),
        (4321, "b1", 100.0 + SAME_START / 2, DriverSign.OURS),
        (1, "b1", 100.0, DriverSign.OURS),
        (4321, "b1", 101.0, DriverSign.STRANGER),
        (4321, "b1", None, DriverSign.GONE),
        (4321, "b0", 100.0, DriverSign.OTHER_BOOT),
        (4321, "", 100.0, DriverSign.OTHER_BOOT),
        (0, "b1", 100.0, DriverSign.NEVER),
    ],
)
def test_a_driver_is_known_by_boot_number_and_start(
    pid: int, boot: str, alive_since: float | None, sign: DriverSign
) -> None:
    assert (
        driver_sign(pid=pid, began=100.0, boot=boot, boot_now="b1", alive_since=alive_since) is sign
    )


@given(
    st.integers(),
    st.floats(0, 1e9),
    st.sampled_from(["", "b0", "b1"]),
    st.sampled_from(["", "b0", "b1"]),
    st.none() | st.floats(0, 1e9),
)
def test_a_process_of_another_boot_is_never_ours(
    pid: int, began: float, boot: str, boot_now: str, alive_since: float | None
) -> None:
    sign = driver_sign(pid=pid, began=began, boot=boot, boot_now=boot_now, alive_since=alive_since)
    if sign is DriverSign.OURS:
        assert boot == boot_now != ""
        assert alive_since is not None
        assert abs(alive_since - began) <= SAME_START
