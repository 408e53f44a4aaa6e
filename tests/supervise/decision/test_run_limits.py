"""What an intervention has left behind is enforced: stops, rollbacks, limits, approval."""

from collections.abc import Sequence

import msgspec
import pytest

from handrail.config.schema import Limits
from handrail.model import Action, Effect, Kind, Review, Severity, Undo, Verdict
from handrail.model.event import Event, IncidentResolved, Intervened, RolledBack
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, Intervention, InterventionName
from handrail.model.ordinal import Decision
from handrail.model.review import Rationality, Risk
from handrail.supervise.decision.run_limits import refusal_by_limits
from handrail.supervise.decision.run_limits import with_command_limits as slowed
from handrail.supervise.state.watched_state import WatchedState, fold
from tests.supervise.strategies import ended, reviewed

LOOP = Finding("loop", Severity.HIGH, 0.9, (1, 2))
STOP = Intervened(
    9.0, Intervention("i1", InterventionName.EMERGENCY_STOP, LOOP, 2, incident="inc-1")
)
BACK = Intervened(
    9.0, Intervention("i1", InterventionName.CHECKPOINT_ROLLBACK, LOOP, 2, checkpoint="4c1f")
)


def review(kind: Kind) -> Review:
    effect = Effect(kind, "/p/a", Severity.LOW, Undo.CHECKPOINT)
    return Review(
        Decision.ALLOW,
        Risk(0.1, Severity.NONE),
        Rationality(0.6, 0.6, 0.6, 1.0, 1.0),
        effects=(effect,),
    )


NO_LIMITS = Limits()
READS, WRITES = review(Kind.READ), review(Kind.WRITE)


def throttled(**allowance: int) -> Intervened:
    means = InterventionName.RESOURCE_THROTTLING
    limits = msgspec.convert(allowance, Allowance)
    return Intervened(0.0, Intervention("i1", means, LOOP, 0, allowance=limits))


def said(
    events: Sequence[Event], of: Review = WRITES, *, limits: Limits = NO_LIMITS, now: float = 10.0
) -> Verdict | None:
    return refusal_by_limits(fold("r", events), of, (limits,), now)


def refusal(verdict: Verdict | None) -> str:
    assert verdict is not None
    assert verdict.decision is Decision.BLOCK
    assert verdict.alternative
    return verdict.reason


def test_a_run_without_interventions_may_go_on() -> None:
    assert said([]) is None


@pytest.mark.parametrize("of", [READS, WRITES])
def test_a_stopped_run_does_nothing_at_all(of: Review) -> None:
    verdict = said([STOP], of)
    assert "inc-1" in refusal(verdict)
    assert verdict is not None
    assert verdict.stop


def test_while_files_are_put_back_only_reads_go_on() -> None:
    assert said([BACK], READS) is None
    assert "putting the files back" in refusal(said([BACK]))


def test_when_the_files_are_back_everything_goes_on() -> None:
    assert said([BACK, RolledBack(10.0, "4c1f", "i1")]) is None


def test_a_rollback_that_failed_does_not_hold_the_run_for_ever() -> None:
    assert said([BACK, RolledBack(10.0, "4c1f", "i1", problem="the disk is full")]) is None


@pytest.mark.parametrize("option", ["resume_with_limits", "manual_approval"])
def test_a_person_lets_a_stopped_run_go_on(option: str) -> None:
    assert said([STOP, IncidentResolved(10.0, "inc-1", option)]) is None


def test_an_abort_is_final() -> None:
    assert said([STOP, IncidentResolved(10.0, "inc-1", "abort")]) is not None


def test_a_decision_about_another_incident_changes_nothing() -> None:
    assert said([STOP, IncidentResolved(10.0, "inc-9", "resume_with_limits")]) is not None


def test_going_back_after_a_stop_holds_the_run_until_it_is_done() -> None:
    resolved = IncidentResolved(10.0, "inc-1", "rollback_and_retry", checkpoint="4c1f")
    assert "putting the files back" in refusal(said([STOP, resolved]))
    assert said([STOP, resolved, RolledBack(11.0, "4c1f")]) is None


def test_so_many_calls_a_minute_and_no_more() -> None:
    events: list[Event] = [
        throttled(calls_per_minute=2),
        reviewed(1),
        ended(1),
        reviewed(2),
        ended(2),
    ]
    assert "2 calls a minute" in refusal(said(events, READS, now=30.0))
    assert said(events, READS, now=63.0) is None


def test_calls_from_before_the_limit_do_not_count() -> None:
    events: list[Event] = [
        reviewed(1),
        ended(1),
        reviewed(2),
        ended(2),
        throttled(calls_per_minute=2),
    ]
    assert said(events, now=3.0) is None


def test_so_many_at_the_same_time_and_no_more() -> None:
    events: list[Event] = [throttled(batch=1), reviewed(1)]
    assert "at the same time" in refusal(said(events))
    assert said([*events, ended(1)]) is None


def test_so_many_file_changes_and_no_more() -> None:
    events: list[Event] = [throttled(file_operations=2), reviewed(1, writes=2), ended(1)]
    assert "2 file changes" in refusal(said(events))
    assert said(events, READS) is None


def test_limits_of_the_settings_come_first() -> None:
    said_ = refusal(said([reviewed(1), ended(1)], READS, limits=Limits(actions=1)))
    assert "limits.actions" in said_


COMMAND = Action("Bash", {"command": "make"})
FINE = Verdict(Decision.ALLOW)


def test_a_throttled_command_gets_a_time_limit() -> None:
    verdict = slowed(COMMAND, FINE, Allowance(command_seconds=30))
    assert verdict.decision is Decision.MODIFY
    assert verdict.updated_input == {"command": "make", "timeout": 30_000}


@pytest.mark.parametrize(
    ("action", "verdict", "allowance"),
    [
        (COMMAND, FINE, None),
        (COMMAND, FINE, Allowance(batch=1)),
        (Action("Read", {"file_path": "a"}), FINE, Allowance(command_seconds=30)),
        (Action("Bash", {"command": "make", "timeout": 5000}), FINE, Allowance(command_seconds=30)),
        (COMMAND, Verdict(Decision.BLOCK), Allowance(command_seconds=30)),
    ],
)
def test_nothing_else_does(action: Action, verdict: Verdict, allowance: Allowance | None) -> None:
    assert slowed(action, verdict, allowance) is verdict


def test_a_command_that_was_rewritten_keeps_its_changes() -> None:
    rewritten = Verdict(Decision.MODIFY, "why", updated_input={"command": "mv"}, changes=("one",))
    verdict = slowed(COMMAND, rewritten, Allowance(command_seconds=30))
    assert verdict.updated_input == {"command": "mv", "timeout": 30_000}
    assert (verdict.reason, len(verdict.changes)) == ("why", 2)


def test_a_state_that_was_saved_in_between_refuses_the_same() -> None:
    state = fold("r", [STOP])
    assert state == WatchedState("r", seq=1, started=9.0, changed=9.0, course=state.course)
