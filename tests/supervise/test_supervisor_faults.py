"""A log that cannot be written or read: reads go on, changes are refused, loudly once."""

import pytest

from handrail.model import Action, Decision, Verdict
from handrail.model.event import FaultNoted, PromptGiven
from handrail.store.errors import DamagedError, DiskFullError, NewerSchemaError, StoreError
from handrail.supervise.log.event_recorder import SNAPSHOT_EVERY
from handrail.supervise.runs import run_registry as runs_room
from tests.supervise.ready import ready
from tests.supervise.supervision_setup import RUN, SupervisionSetup, ran

FULL = DiskFullError("/state/log.db")
DAMAGED = DamagedError("/state/log.db", "page 3")
DANGEROUS = "rm -rf /srv/data"


def change(bed: SupervisionSetup, call: str) -> Action:
    return bed.bash("make", call)


def read(bed: SupervisionSetup, call: str) -> Action:
    return bed.bash("ls", call)


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "problem", "fix"),
    [
        (FULL, "/state/log.db: the disk is full", "make room on the disk."),
        (DAMAGED, "the log is damaged (page 3)", "handrail doctor --fix moves the damaged log"),
        (NewerSchemaError("/log", 9, 1), "newer Handrail", "handrail doctor says what is wrong."),
    ],
)
def test_a_change_is_refused_with_the_reason_and_the_fix(
    supervision: SupervisionSetup, error: StoreError, problem: str, fix: str
) -> None:
    supervision.log.refuses = error
    verdict = supervision.run.before(change(supervision, "a"))
    assert verdict.decision is Decision.BLOCK
    assert problem in verdict.reason
    assert "only what reads may run" in verdict.reason
    assert fix in verdict.alternative
    assert not verdict.overrulable


def test_reads_go_on(supervision: SupervisionSetup) -> None:
    supervision.log.refuses = FULL
    for call in "abc":
        assert supervision.run.before(read(supervision, call)).decision is Decision.ALLOW


def test_what_would_be_refused_anyway_keeps_its_own_reason(supervision: SupervisionSetup) -> None:
    supervision.log.refuses = FULL
    verdict = supervision.run.before(supervision.bash(DANGEROUS, "a"))
    assert verdict.reason.startswith("It deletes /srv/data")
    assert not verdict.overrulable


def test_with_deny_all_reads_are_refused_too(supervision: SupervisionSetup) -> None:
    supervision.settings("on_fault: deny_all\n")
    supervision.log.refuses = FULL
    verdict = supervision.run.before(read(supervision, "a"))
    assert verdict.decision is Decision.BLOCK
    assert "nothing runs" in verdict.reason


def test_with_warn_everything_runs_and_is_told_so_every_time(supervision: SupervisionSetup) -> None:
    supervision.settings("on_fault: warn\n")
    supervision.log.refuses = FULL
    for call in "abc":
        verdict = supervision.run.before(change(supervision, call))
        assert verdict.decision is Decision.WARN
        assert "the disk is full" in verdict.reason


def test_with_warn_what_is_dangerous_is_still_rewritten_or_refused(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings("on_fault: warn\n")
    supervision.log.refuses = FULL
    rewritten = supervision.run.before(supervision.bash("rm -rf notes", "a"))
    assert rewritten.decision is Decision.MODIFY
    assert rewritten.updated_input is not None
    assert supervision.run.before(supervision.bash(DANGEROUS, "b")).decision is Decision.BLOCK


def test_the_same_call_is_refused_as_long_as_it_cannot_be_written(
    supervision: SupervisionSetup,
) -> None:
    supervision.log.refuses = FULL
    for _ in range(3):
        assert supervision.run.before(change(supervision, "a")).decision is Decision.BLOCK
    supervision.log.refuses = None
    assert supervision.run.before(change(supervision, "a")).decision is Decision.ALLOW
    assert supervision.kinds().count("ActionReviewed") == 1


def test_a_supervisor_that_lost_an_event_lets_nothing_through_that_it_remembers(
    supervision: SupervisionSetup,
) -> None:
    """It still has the verdict in its state, but nobody wrote it down."""
    run = supervision.run
    supervision.log.refuses = FULL
    run.before(change(supervision, "a"))
    supervision.log.refuses = None
    assert run.broken
    assert run.before(change(supervision, "a")).decision is Decision.BLOCK
    assert run.before(change(supervision, "b")).decision is Decision.BLOCK
    assert run.before(read(supervision, "c")).decision is Decision.ALLOW
    assert supervision.events() == []


def test_a_verdict_that_was_lost_is_not_given_when_the_log_works_again(
    supervision: SupervisionSetup,
) -> None:
    run = supervision.run
    supervision.log.refuses = FULL
    run.before(change(supervision, "lost"))
    supervision.log.refuses = None
    run.record(PromptGiven(supervision.clock(), "go on"))
    for number in range(100):
        run.before(read(supervision, f"c{number}"))
    assert run.before(change(supervision, "lost")).decision is Decision.BLOCK


def test_an_outcome_that_cannot_be_written_is_told_to_the_agent(
    supervision: SupervisionSetup,
) -> None:
    action = change(supervision, "a")
    supervision.run.before(action)
    supervision.log.refuses = FULL
    verdict = supervision.run.after(ran(action))
    assert verdict.decision is Decision.BLOCK
    assert "the disk is full" in verdict.reason
    assert not verdict.stop


def test_a_breach_stops_the_run_even_if_it_cannot_be_written(supervision: SupervisionSetup) -> None:
    action = supervision.bash(DANGEROUS, "a")
    supervision.run.before(action)
    supervision.log.refuses = FULL
    verdict = supervision.run.after(ran(action))
    assert verdict.stop
    assert verdict.reason == "Step 1 was refused, and ran all the same."


def test_a_log_that_does_not_answer_refuses_changes(supervision: SupervisionSetup) -> None:
    supervision.log.held = True
    verdict = ready(supervision.run.decide(change(supervision, "a"))).wait(0)
    assert verdict.decision is Decision.BLOCK
    assert "the log did not answer within 0 s" in verdict.reason


def test_a_log_that_answers_late_has_lost_nothing(supervision: SupervisionSetup) -> None:
    supervision.log.held = True
    pending = ready(supervision.run.decide(change(supervision, "a")))
    assert pending.wait(0).decision is Decision.BLOCK
    supervision.log.release()
    assert supervision.run.before(change(supervision, "a")).decision is Decision.ALLOW
    assert supervision.kinds() == ["ActionReviewed"]


def test_in_async_mode_a_log_that_just_failed_is_waited_for(supervision: SupervisionSetup) -> None:
    """Else low risks would go on for ever without anybody noticing that nothing is written."""
    supervision.settings("step_reviewer: {mode: async, performance: {async_threshold: 1.0}}\n")
    supervision.log.refuses = FULL
    assert supervision.run.before(change(supervision, "a")).decision is Decision.ALLOW
    noticed = supervision.run.before(change(supervision, "b"))
    assert noticed.decision is Decision.BLOCK
    assert "the disk is full" in noticed.alarm
    supervision.log.refuses = None
    assert supervision.run.before(change(supervision, "c")).decision is Decision.ALLOW
    assert ready(supervision.run.decide(change(supervision, "d"))).receipts == []


def test_in_async_mode_a_log_that_just_failed_is_waited_for_until_it_has_answered(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings("step_reviewer: {mode: async}\n")
    supervision.log.refuses = FULL
    supervision.run.before(read(supervision, "a"))
    supervision.log.refuses = None
    supervision.log.held = True
    assert len(ready(supervision.run.decide(read(supervision, "b"))).receipts) == 1
    supervision.log.release()
    assert ready(supervision.run.decide(read(supervision, "c"))).receipts == []


def test_a_read_that_was_let_through_unwritten_is_no_breach(supervision: SupervisionSetup) -> None:
    supervision.log.refuses = FULL
    supervision.run.before(read(supervision, "a"))
    supervision.log.refuses = None
    assert supervision.run.after(ran(read(supervision, "a"))) == Verdict(Decision.ALLOW)
    assert "BreachFound" not in supervision.kinds()


# --- how loud ----------------------------------------------------------------------------------


def test_the_alarm_comes_with_the_first_refusal_only(supervision: SupervisionSetup) -> None:
    supervision.log.refuses = FULL
    alarms = [supervision.run.before(change(supervision, call)).alarm for call in "abc"]
    assert alarms == [
        "Handrail cannot do its work: /state/log.db: the disk is full. Fix: make room on the disk.",
        "",
        "",
    ]


def test_the_alarm_comes_with_the_first_read_if_that_is_first(
    supervision: SupervisionSetup,
) -> None:
    supervision.log.refuses = FULL
    assert "the disk is full" in supervision.run.before(read(supervision, "a")).alarm
    assert supervision.run.before(change(supervision, "b")).alarm == ""


def test_a_refusal_of_its_own_carries_the_alarm_too(supervision: SupervisionSetup) -> None:
    supervision.log.refuses = FULL
    assert "the disk is full" in supervision.run.before(supervision.bash(DANGEROUS, "a")).alarm


def test_after_recovery_a_new_fault_is_a_new_alarm(supervision: SupervisionSetup) -> None:
    for call in ("a", "c"):
        supervision.log.refuses = FULL
        assert supervision.run.before(change(supervision, call)).alarm != ""
        supervision.log.refuses = None
        assert supervision.run.before(change(supervision, f"{call}2")) == Verdict(Decision.ALLOW)


def test_every_run_is_told(supervision: SupervisionSetup) -> None:
    supervision.log.refuses = FULL
    assert supervision.get("one").before(change(supervision, "a")).alarm != ""
    assert supervision.get("two").before(change(supervision, "a")).alarm != ""
    assert supervision.get("one").before(change(supervision, "b")).alarm == ""


def test_the_fault_is_noted_in_the_log_as_soon_as_that_works_again(
    supervision: SupervisionSetup,
) -> None:
    supervision.run.before(read(supervision, "a"))
    supervision.log.refuses = FULL
    supervision.run.before(change(supervision, "b"))
    supervision.run.before(change(supervision, "c"))
    supervision.log.refuses = None
    supervision.run.before(change(supervision, "d"))
    assert supervision.kinds() == ["ActionReviewed", "FaultNoted", "ActionReviewed"]
    noted = supervision.events()[1]
    assert isinstance(noted, FaultNoted)
    assert (noted.kind, noted.says) == ("log", "events of this run could not be written")
    assert supervision.run.state.usage.faults == 1


# --- when the log cannot even be read ----------------------------------------------------------


def test_without_a_log_reads_go_on_and_changes_are_refused(supervision: SupervisionSetup) -> None:
    bare = supervision.runs.bare(RUN, str(supervision.path))
    assert bare.judge_without_log(read(supervision, "a"), DAMAGED).decision is Decision.ALLOW
    refused = bare.judge_without_log(change(supervision, "b"), DAMAGED)
    assert refused.decision is Decision.BLOCK
    assert "handrail doctor --fix" in refused.alternative


def test_without_a_log_the_alarm_comes_once(supervision: SupervisionSetup) -> None:
    alarms = [
        supervision.runs.bare(RUN, str(supervision.path))
        .judge_without_log(change(supervision, call), DAMAGED)
        .alarm
        for call in "ab"
    ]
    assert [bool(alarm) for alarm in alarms] == [True, False]


# --- nothing that was lost comes back ----------------------------------------------------------


def test_an_event_that_was_lost_in_the_middle_is_not_part_of_the_state(
    supervision: SupervisionSetup,
) -> None:
    supervision.log.held = True
    run = supervision.run
    for call in "abc":
        run.decide(change(supervision, call))
    supervision.log.release(1)
    supervision.log.refuses = FULL
    supervision.log.release(1)
    supervision.log.refuses = None
    supervision.log.release(1)
    supervision.log.held = False
    assert run.broken
    state = supervision.run.state
    assert [item.id for item in state.open] == ["a", "c"]
    assert state == supervision.loaded() == supervision.folded()


def test_what_is_on_its_way_to_the_log_is_waited_for_before_a_run_is_read_again(
    supervision: SupervisionSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervision.log.held = True
    run = supervision.run
    run.decide(change(supervision, "a"))
    run.decide(change(supervision, "b"))
    supervision.log.refuses = FULL
    supervision.log.release(1)
    supervision.log.refuses = None
    monkeypatch.setattr(runs_room, "_PATIENCE", 0)
    with pytest.raises(StoreError, match="did not answer"):
        supervision.get(RUN)
    supervision.log.release()
    supervision.log.held = False
    assert [item.id for item in supervision.run.state.open] == ["b"]
    supervision.run.before(change(supervision, "c"))
    assert supervision.run.state.step == 3


def test_a_snapshot_never_holds_an_event_that_was_lost(supervision: SupervisionSetup) -> None:
    run = supervision.run
    for _ in range(SNAPSHOT_EVERY - 2):
        run.record(PromptGiven(supervision.clock(), "go on"))
    supervision.log.held = True
    run.decide(change(supervision, "lost"))
    run.decide(change(supervision, "kept"))
    assert run.state.seq == SNAPSHOT_EVERY
    supervision.log.refuses = FULL
    supervision.log.release(1)
    supervision.log.refuses = None
    supervision.log.held = False
    supervision.log.release()
    assert supervision.log.calls["save_snapshot"] == 0
    assert supervision.run.state == supervision.loaded() == supervision.folded()


# --- Handrail itself was changed ---------------------------------------------------------------


@pytest.mark.parametrize("policy", ["deny", "warn"])
def test_a_changed_handrail_lets_nothing_change_whatever_the_settings_say(
    supervision: SupervisionSetup, policy: str
) -> None:
    """Whoever did it may have written the settings, too."""
    supervision.settings(f"on_fault: {policy}\n")
    supervision.runs.own_problem = lambda: "Handrail's own packages were changed: /x.pth"
    refused = supervision.run.before(change(supervision, "a"))
    assert refused.decision is Decision.BLOCK
    assert "/x.pth" in refused.reason
    assert supervision.run.before(read(supervision, "b")).decision is Decision.ALLOW


def test_a_changed_handrail_is_said_loudly_once(supervision: SupervisionSetup) -> None:
    supervision.runs.own_problem = lambda: "Handrail's own packages were changed: /x.pth"
    alarms = [supervision.run.before(change(supervision, call)).alarm for call in "abc"]
    assert ["/x.pth" in alarm for alarm in alarms] == [True, False, False]
