"""Which checkpoint a run goes back to."""

import pytest

from handrail.config.interventions import CheckpointRollback, Interventions, SafeCheckpointCriteria
from handrail.intervene import Capability, InterventionHistory, RunSituation
from handrail.intervene.kinds.checkpoint_rollback import choose_checkpoint
from handrail.intervene.situation import EndedStep
from handrail.model.checkpoint import Checkpoint
from handrail.model.event import Intervened
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention, InterventionName
from handrail.model.ordinal import Severity
from handrail.model.worsening import Worsening
from tests.intervene.controller_setup import ALL, ControllerSetup, draft_of, finding, situation

SETTINGS = CheckpointRollback()
TROUBLE = finding("loop", Severity.HIGH, evidence=(12, 13, 14))


def checkpoint(step: int) -> Checkpoint:
    """Each step takes ten seconds."""
    return Checkpoint(f"c{step}", "run", step, "commit", step * 10.0)


def at_step(
    step: int, *steps: int, past: InterventionHistory | None = None, **known: object
) -> RunSituation:
    """With checkpoints after these steps."""
    taken = tuple(checkpoint(each) for each in steps)
    ended = EndedStep(step, step * 10.0, ok=True, changes=1, files=("/shop/cart.py", "/etc/x"))
    usual: dict[str, object] = {"ended": (EndedStep(1, 10.0, ok=True), ended), "cwd": "/shop"}
    return situation(past, step=step, now=step * 10.0, checkpoints=taken, **(usual | known))


def broken(steps: tuple[int, ...]) -> Worsening:
    """Evidence that the files got worse."""
    return Worsening("`make` had no failure in step 11, and fails in step 14", 11)


def chosen(
    at: RunSituation, settings: CheckpointRollback = SETTINGS, found: Finding = TROUBLE
) -> str:
    found_one = choose_checkpoint(found, at, settings)
    return found_one.id if found_one else ""


def went_back(past: InterventionHistory, to: int, step: int, name: str = "a") -> None:
    done = Intervention(
        f"i{step}",
        InterventionName.CHECKPOINT_ROLLBACK,
        finding("loop", symptom=name),
        step,
        checkpoint=f"c{to}",
    )
    past.record(Intervened(step * 10.0, done))


def test_the_newest_from_before_the_trouble_began() -> None:
    assert chosen(at_step(15, 3, 8, 11, 12, 14)) == "c11"


def test_the_order_in_which_they_are_known_does_not_matter() -> None:
    assert chosen(at_step(15, 11, 3, 14, 8)) == "c11"


def test_one_that_contains_the_first_sign_of_trouble_is_not_chosen() -> None:
    assert chosen(at_step(15, 12, 13)) == ""


def test_one_since_which_nothing_was_changed_would_mend_nothing() -> None:
    ended = (EndedStep(9, 90.0, ok=True, changes=1), EndedStep(11, 110.0, ok=True))
    assert chosen(at_step(15, 3, 8, 11, ended=ended)) == "c8"


def test_one_after_too_many_failures_is_not_safe() -> None:
    ended = tuple(EndedStep(step, step * 10.0, ok=step <= 5) for step in range(1, 12))
    settings = CheckpointRollback(
        safe_checkpoint_criteria=SafeCheckpointCriteria(no_errors_duration_seconds=0)
    )
    assert chosen(at_step(15, 4, 9, 11, ended=ended), settings) == "c4"


def test_the_share_that_must_have_worked_is_a_setting() -> None:
    ended = tuple(EndedStep(step, step * 10.0, ok=step % 2 == 0) for step in range(1, 12))
    criteria = SafeCheckpointCriteria(min_success_rate=0.4, no_errors_duration_seconds=0)
    settings = CheckpointRollback(safe_checkpoint_criteria=criteria)
    assert chosen(at_step(15, 10, ended=ended), settings) == "c10"


def test_one_shortly_after_an_error_is_not_safe() -> None:
    ended = tuple(EndedStep(step, step * 10.0, ok=step != 8) for step in range(1, 12))
    assert chosen(at_step(15, 5, 11, ended=ended)) == "c5"
    criteria = SafeCheckpointCriteria(no_errors_duration_seconds=20)
    relaxed = CheckpointRollback(safe_checkpoint_criteria=criteria)
    assert chosen(at_step(15, 5, 11, ended=ended), relaxed) == "c11"


def test_only_so_many_are_looked_at() -> None:
    ended = tuple(EndedStep(step, step * 10.0, ok=step < 3) for step in range(1, 12))
    taken = (2, 5, 7, 9)
    assert chosen(at_step(15, *taken, ended=ended)) == ""
    assert chosen(at_step(15, *taken, ended=ended), CheckpointRollback(max_rollback_depth=4)) == (
        "c2"
    )


def test_those_taken_during_the_trouble_do_not_count_for_the_depth() -> None:
    assert chosen(at_step(20, 11, 12, 13, 14, 15, 16)) == "c11"


def test_an_old_one_is_not_gone_back_to() -> None:
    assert chosen(at_step(100, 11)) == "c11"
    assert chosen(at_step(100, 11), CheckpointRollback(checkpoint_retention_minutes=10)) == ""


def test_a_second_rollback_goes_further_back() -> None:
    """Defect e: after a rollback there was no checkpoint left to go back to."""
    past = InterventionHistory()
    went_back(past, 11, 15)
    again = finding("loop", Severity.HIGH, evidence=(12, 13, 14, 16))
    assert chosen(at_step(17, 3, 8, 11, past=past), found=again) == "c8"


def test_what_a_rollback_has_undone_is_not_brought_back() -> None:
    past = InterventionHistory()
    went_back(past, 5, 15)
    later = finding("stall", Severity.HIGH, evidence=(20, 21))
    assert chosen(at_step(22, 3, 5, 9, 12, past=past), found=later) == "c5"
    assert chosen(at_step(22, 3, 5, 9, 12, 18, past=past), found=later) == "c18"


def test_a_rollback_tells_the_agent_what_became_of_its_files() -> None:
    at = at_step(15, 11, worsening=broken)
    draft = draft_of(InterventionName.CHECKPOINT_ROLLBACK, TROUBLE, at)
    assert (draft.checkpoint, draft.files) == ("c11", ("/shop/cart.py",))
    assert "your changes in `cart.py`: they are again as after step 11" in draft.guidance
    assert "`make` had no failure in step 11" in draft.guidance
    assert "handrail redo" in draft.guidance
    assert "The same call came 3 times." in draft.guidance
    assert "Read the files again" in draft.guidance


def test_a_conversation_that_cannot_be_rewound_is_named_as_a_limit() -> None:
    can = frozenset({Capability.FILES, Capability.INJECT})
    draft = draft_of(
        InterventionName.CHECKPOINT_ROLLBACK, TROUBLE, at_step(15, 11, can=can, worsening=broken)
    )
    assert draft.limits == "The agent keeps its memory of what it did."
    rewound = draft_of(
        InterventionName.CHECKPOINT_ROLLBACK, TROUBLE, at_step(15, 11, can=ALL, worsening=broken)
    )
    assert rewound.limits == ""


def test_without_evidence_that_files_got_worse_a_rollback_is_only_offered() -> None:
    draft = draft_of(InterventionName.CHECKPOINT_ROLLBACK, TROUBLE, at_step(15, 11))
    assert draft.checkpoint == ""
    assert "`handrail rollback c11` goes back to it" in draft.limits


def test_no_rollback_goes_behind_work_that_has_passed_a_check() -> None:
    ended = tuple(
        EndedStep(step, step * 10.0, ok=True, changes=step in (5, 13)) for step in range(1, 15)
    )
    assert chosen(at_step(15, 3, 11, ended=ended, verified=10)) == "c11"
    assert chosen(at_step(15, 3, ended=ended, verified=10)) == ""
    assert chosen(at_step(15, 3, ended=ended, verified=4)) == "c3"


@pytest.mark.parametrize(
    ("kind", "step"),
    [
        ("repetitive_errors", "1. List what you tried"),
        ("goal_drift", "1. Say the task again"),
        ("resource_spiral", "1. Find out what uses it"),
        ("of_my_own", "1. List what you tried"),
    ],
)
def test_without_a_checkpoint_there_is_a_plan(kind: str, step: str) -> None:
    draft = draft_of(
        InterventionName.CHECKPOINT_ROLLBACK, finding(kind, Severity.HIGH), situation()
    )
    assert draft.checkpoint == ""
    assert step in draft.guidance
    assert "2." in draft.guidance
    assert draft.limits == "There is no safe checkpoint to go back to."


def test_a_host_without_checkpoints_has_a_plan() -> None:
    draft = draft_of(
        InterventionName.CHECKPOINT_ROLLBACK,
        TROUBLE,
        at_step(15, 11, can=frozenset({Capability.INJECT})),
    )
    assert draft.checkpoint == ""
    assert "1." in draft.guidance


def test_the_second_plan_is_another_one() -> None:
    bench = ControllerSetup(Interventions(intervention_cooldown_seconds=0), seconds=1)
    found = finding(severity=Severity.CRITICAL)
    assert bench.steps(4, found) == [InterventionName.CHECKPOINT_ROLLBACK] * 2
    first, second = (made.guidance for made in bench.made)
    assert [line[:2] for line in first.splitlines()[1:]] == ["1.", "2.", "3.", "4."]
    assert not set(first.splitlines()[1:]) & set(second.splitlines()[1:])


def test_with_somebody_at_the_keyboard_no_file_is_put_back() -> None:
    draft = draft_of(InterventionName.CHECKPOINT_ROLLBACK, TROUBLE, at_step(15, 11, attended=True))
    assert draft.checkpoint == ""
    assert "checkpoint c11 is from before the trouble (step 11)" in draft.limits
    assert "1." in draft.guidance
