"""Only a checkpoint from before the trouble, at which all was well, is safe to go back to."""

import msgspec
import pytest

from handrail.intervene.safe_checkpoint import RollbackCriteria, safe_checkpoint
from handrail.intervene.situation import EndedStep
from handrail.model.checkpoint import Checkpoint
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

NOW = 10_000.0
USUAL = RollbackCriteria()
CHECKPOINTS = [
    Checkpoint(f"c{step}", "run", step, "0" * 40, NOW - 1000 + 100 * step) for step in (1, 4, 3, 9)
]


def finding(*evidence: int) -> Finding:
    return Finding("loop", Severity.HIGH, 1.0, evidence)


def ended(step: int, *, ok: bool, before: float = 0.0) -> EndedStep:
    """The end of an action, so many seconds before the checkpoint with its number."""
    return EndedStep(step, NOW - 1000 + 100 * step - before, ok)


def chosen(
    *steps: EndedStep, criteria: RollbackCriteria = USUAL, evidence: tuple[int, ...] = (7, 5)
) -> str:
    found = safe_checkpoint(CHECKPOINTS, finding(*evidence), steps, criteria, NOW)
    return found.id if found else ""


def test_the_newest_from_before_the_trouble_is_chosen() -> None:
    assert chosen() == "c4"
    assert chosen(evidence=(4, 2)) == "c1"


@pytest.mark.parametrize("evidence", [(), (1, 2)])
def test_without_one_from_before_the_trouble_none_is(evidence: tuple[int, ...]) -> None:
    assert chosen(evidence=evidence) == ""


def test_after_a_recent_error_an_older_one_is_safer() -> None:
    assert chosen(ended(4, ok=False, before=10)) == "c3"


def test_an_error_long_before_does_no_harm() -> None:
    long_ago = RollbackCriteria(min_success_rate=0.5)
    assert chosen(ended(3, ok=False), ended(4, ok=True, before=1), criteria=long_ago) == "c4"


def test_too_few_successes_before_it_make_it_unsafe() -> None:
    steps = [ended(4, ok=number > 2, before=90.0) for number in range(10)]
    assert chosen(*steps) == "c3"
    assert chosen(*steps, criteria=RollbackCriteria(min_success_rate=0.7)) == "c4"


def test_an_action_that_did_not_run_tells_nothing() -> None:
    class NotRun(msgspec.Struct, frozen=True):
        step: int
        at: float
        ok: bool | None = None

    found = safe_checkpoint(CHECKPOINTS, finding(5), [NotRun(4, NOW - 601)], USUAL, NOW)
    assert found is not None
    assert found.id == "c4"


def test_only_so_many_are_looked_at_and_none_that_is_too_old() -> None:
    bad = [ended(step, ok=False, before=1) for step in (3, 4)]
    assert chosen(*bad) == "c1"
    assert chosen(*bad, criteria=RollbackCriteria(max_rollback_depth=2)) == ""
    assert chosen(*bad, criteria=RollbackCriteria(checkpoint_retention_minutes=14)) == ""
