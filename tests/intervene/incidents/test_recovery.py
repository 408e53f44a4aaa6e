"""Ways on after a stop: a table, and what each changes."""

import pytest

from handrail.intervene.incidents.recovery import (
    RECOVERIES,
    STRICT,
    RecoveryOption,
    offered_options,
    resume_command,
    strict_allowance,
)
from handrail.model.action_kind import ActionKind
from handrail.model.checkpoint import Checkpoint
from handrail.model.intervention import Allowance


def test_every_option_changes_something_else() -> None:
    assert list(RECOVERIES) == list(RecoveryOption)
    changes = {
        (each.resumes, each.limits, each.rolls_back, each.approval) for each in RECOVERIES.values()
    }
    assert len(changes) == len(RecoveryOption)


def test_only_an_abort_is_final() -> None:
    assert [each.option for each in RECOVERIES.values() if not each.resumes] == [
        RecoveryOption.ABORT
    ]


def test_a_strict_allowance_limits_what_every_host_lets_handrail_limit() -> None:
    assert strict_allowance() == STRICT
    assert (STRICT.tokens, STRICT.memory_mb) == (0, 0)
    assert all((STRICT.calls_per_minute, STRICT.file_operations, STRICT.batch))
    assert STRICT.refuses == (ActionKind.FILE_DELETE, ActionKind.NETWORK)


def test_what_was_refused_before_stays_refused() -> None:
    before = Allowance(refuses=(ActionKind.SYSTEM_COMMAND, ActionKind.NETWORK))
    assert set(strict_allowance(before).refuses) == {*before.refuses, *STRICT.refuses}


@pytest.mark.parametrize(
    ("before", "after"),
    [(Allowance(batch=4), 1), (Allowance(batch=0), 1)],
)
def test_a_strict_allowance_is_never_more_than_before(before: Allowance, after: int) -> None:
    assert strict_allowance(before).batch == after
    assert strict_allowance(Allowance(tokens=10)).tokens == 10
    assert strict_allowance(Allowance(tokens=10)).memory_mb == STRICT.memory_mb


def checkpoint(name: str, step: int) -> Checkpoint:
    return Checkpoint(name, "run", step, "0" * 40, float(step))


def test_going_back_is_only_offered_where_there_is_something_to_go_back_to() -> None:
    assert RecoveryOption.ROLLBACK_AND_RETRY not in [each.option for each in offered_options(None)]
    assert len(offered_options(checkpoint("c1", 1))) == len(RecoveryOption)


def test_a_choice_is_one_command() -> None:
    assert resume_command("x", RecoveryOption.ABORT) == "handrail incident resume x --option abort"
