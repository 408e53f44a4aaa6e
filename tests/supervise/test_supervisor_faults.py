"""A log that cannot be written or read: reads go on, changes are refused, loudly once."""

import pytest

from handrail.model import Action, Decision, Verdict
from handrail.model.event import FaultNoted, PromptGiven
from handrail.store.errors import DamagedError, DiskFullError, NewerSchemaError, StoreError
from handrail.supervise import run_registry as runs_room
from handrail.supervise.event_recorder import SNAPSHOT_EVERY
from tests.supervise.bed import RUN, Bed, ran
from tests.supervise.ready import ready

FULL = DiskFullError("/state/log.db")
DAMAGED = DamagedError("/state/log.db", "page 3")
DANGEROUS = "rm -rf /srv/data"


def change(bed: Bed, call: str) -> Action:
    return bed.bash("make", call)


def read(bed: Bed, call: str) -> Action:
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
    bed: Bed, error: StoreError, problem: str, fix: str
) -> None:
    bed.log.refuses = error
    verdict = bed.run.before(change(bed, "a"))
    assert verdict.decision is Decision.BLOCK
    assert problem in verdict.reason
    assert "only what reads may run" in verdict.reason
    assert fix in verdict.alternative
    assert not verdict.overrulable


def test_reads_go_on(bed: Bed) -> None:
    bed.log.refuses = FULL
    for call in "abc":
        assert bed.run.before(read(bed, call)).decision is Decision.ALLOW


def test_what_would_be_refused_anyway_keeps_its_own_reason(bed: Bed) -> None:
    bed.log.refuses = FULL
    verdict = bed.run.before(bed.bash(DANGEROUS, "a"))
    assert verdict.reason.startswith("It deletes /srv/data")
    assert not verdict.overrulable


def test_with_deny_all_reads_are_refused_too(bed: Bed) -> None:
    bed.settings("on_fault: deny_all\n")
    bed.log.refuses = FULL
    verdict = bed.run.before(read(bed, "a"))
    assert verdict.decision is Decision.BLOCK
    assert "nothing runs" in verdict.reason


def test_with_warn_everything_runs_and_is_told_so_every_time(bed: Bed) -> None:
    bed.settings("on_fault: warn\n")
    bed.log.refuses = FULL
    for call in "abc":
        verdict = bed.run.before(change(bed, call))
        assert verdict.decision is Decision.WARN
        assert "the disk is full" in verdict.reason


def test_with_warn_what_is_dangerous_is_still_rewritten_or_refused(bed: Bed) -> None:
    bed.settings("on_fault: warn\n")
    bed.log.refuses = FULL
    rewritten = bed.run.before(bed.bash("rm -rf notes", "a"))
    assert rewritten.decision is Decision.MODIFY
    assert rewritten.updated_input is not None
    assert bed.run.before(bed.bash(DANGEROUS, "b")).decision is Decision.BLOCK


def test_the_same_call_is_refused_as_long_as_it_cannot_be_written(bed: Bed) -> None:
    bed.log.refuses = FULL
    for _ in range(3):
        assert bed.run.before(change(bed, "a")).decision is Decision.BLOCK
    bed.log.refuses = None
    assert bed.run.before(change(bed, "a")).decision is Decision.ALLOW
    assert bed.kinds().count("ActionReviewed") == 1


def test_a_supervisor_that_lost_an_event_lets_nothing_through_that_it_remembers(bed: Bed) -> None:
    """It still has the verdict in its state, but nobody wrote it down."""
    run = bed.run
    bed.log.refuses = FULL
    run.before(change(bed, "a"))
    bed.log.refuses = None
    assert run.broken
    assert run.before(change(bed, "a")).decision is Decision.BLOCK
    assert run.before(change(bed, "b")).decision is Decision.BLOCK
    assert run.before(read(bed, "c")).decision is Decision.ALLOW
    assert bed.events() == []


def test_a_verdict_that_was_lost_is_not_given_when_the_log_works_again(bed: Bed) -> None:
    run = bed.run
    bed.log.refuses = FULL
    run.before(change(bed, "lost"))
    bed.log.refuses = None
    run.record(PromptGiven(bed.clock(), "go on"))
    for number in range(100):
        run.before(read(bed, f"c{number}"))
    assert run.before(change(bed, "lost")).decision is Decision.BLOCK


def test_an_outcome_that_cannot_be_written_is_told_to_the_agent(bed: Bed) -> None:
    action = change(bed, "a")
    bed.run.before(action)
    bed.log.refuses = FULL
    verdict = bed.run.after(ran(action))
    assert verdict.decision is Decision.BLOCK
    assert "the disk is full" in verdict.reason
    assert not verdict.stop


def test_a_breach_stops_the_run_even_if_it_cannot_be_written(bed: Bed) -> None:
    action = bed.bash(DANGEROUS, "a")
    bed.run.before(action)
    bed.log.refuses = FULL
    verdict = bed.run.after(ran(action))
    assert verdict.stop
    assert verdict.reason == "Step 1 was refused, and ran all the same."


def test_a_log_that_does_not_answer_refuses_changes(bed: Bed) -> None:
    bed.log.held = True
    verdict = ready(bed.run.decide(change(bed, "a"))).wait(0)
    assert verdict.decision is Decision.BLOCK
    assert "the log did not answer within 0 s" in verdict.reason


def test_a_log_that_answers_late_has_lost_nothing(bed: Bed) -> None:
    bed.log.held = True
    pending = ready(bed.run.decide(change(bed, "a")))
    assert pending.wait(0).decision is Decision.BLOCK
    bed.log.release()
    assert bed.run.before(change(bed, "a")).decision is Decision.ALLOW
    assert bed.kinds() == ["ActionReviewed"]


def test_in_async_mode_a_log_that_just_failed_is_waited_for(bed: Bed) -> None:
    """Else low risks would go on for ever without anybody noticing that nothing is written."""
    bed.settings("step_reviewer: {mode: async, performance: {async_threshold: 1.0}}\n")
    bed.log.refuses = FULL
    assert bed.run.before(change(bed, "a")).decision is Decision.ALLOW
    noticed = bed.run.before(change(bed, "b"))
    assert noticed.decision is Decision.BLOCK
    assert "the disk is full" in noticed.alarm
    bed.log.refuses = None
    assert bed.run.before(change(bed, "c")).decision is Decision.ALLOW
    assert ready(bed.run.decide(change(bed, "d"))).receipts == []


def test_in_async_mode_a_log_that_just_failed_is_waited_for_until_it_has_answered(
    bed: Bed,
) -> None:
    bed.settings("step_reviewer: {mode: async}\n")
    bed.log.refuses = FULL
    bed.run.before(read(bed, "a"))
    bed.log.refuses = None
    bed.log.held = True
    assert len(ready(bed.run.decide(read(bed, "b"))).receipts) == 1
    bed.log.release()
    assert ready(bed.run.decide(read(bed, "c"))).receipts == []


def test_a_read_that_was_let_through_unwritten_is_no_breach(bed: Bed) -> None:
    bed.log.refuses = FULL
    bed.run.before(read(bed, "a"))
    bed.log.refuses = None
    assert bed.run.after(ran(read(bed, "a"))) == Verdict(Decision.ALLOW)
    assert "BreachFound" not in bed.kinds()


# --- how loud ----------------------------------------------------------------------------------


def test_the_alarm_comes_with_the_first_refusal_only(bed: Bed) -> None:
    bed.log.refuses = FULL
    alarms = [bed.run.before(change(bed, call)).alarm for call in "abc"]
    assert alarms == [
        "Handrail cannot do its work: /state/log.db: the disk is full. Fix: make room on the disk.",
        "",
        "",
    ]


def test_the_alarm_comes_with_the_first_read_if_that_is_first(bed: Bed) -> None:
    bed.log.refuses = FULL
    assert "the disk is full" in bed.run.before(read(bed, "a")).alarm
    assert bed.run.before(change(bed, "b")).alarm == ""


def test_a_refusal_of_its_own_carries_the_alarm_too(bed: Bed) -> None:
    bed.log.refuses = FULL
    assert "the disk is full" in bed.run.before(bed.bash(DANGEROUS, "a")).alarm


def test_after_recovery_a_new_fault_is_a_new_alarm(bed: Bed) -> None:
    for call in ("a", "c"):
        bed.log.refuses = FULL
        assert bed.run.before(change(bed, call)).alarm != ""
        bed.log.refuses = None
        assert bed.run.before(change(bed, f"{call}2")) == Verdict(Decision.ALLOW)


def test_every_run_is_told(bed: Bed) -> None:
    bed.log.refuses = FULL
    assert bed.get("one").before(change(bed, "a")).alarm != ""
    assert bed.get("two").before(change(bed, "a")).alarm != ""
    assert bed.get("one").before(change(bed, "b")).alarm == ""


def test_the_fault_is_noted_in_the_log_as_soon_as_that_works_again(bed: Bed) -> None:
    bed.run.before(read(bed, "a"))
    bed.log.refuses = FULL
    bed.run.before(change(bed, "b"))
    bed.run.before(change(bed, "c"))
    bed.log.refuses = None
    bed.run.before(change(bed, "d"))
    assert bed.kinds() == ["ActionReviewed", "FaultNoted", "ActionReviewed"]
    noted = bed.events()[1]
    assert isinstance(noted, FaultNoted)
    assert (noted.kind, noted.says) == ("log", "events of this run could not be written")
    assert bed.run.state.usage.faults == 1


# --- when the log cannot even be read ----------------------------------------------------------


def test_without_a_log_reads_go_on_and_changes_are_refused(bed: Bed) -> None:
    bare = bed.runs.bare(RUN, str(bed.path))
    assert bare.judge_without_log(read(bed, "a"), DAMAGED).decision is Decision.ALLOW
    refused = bare.judge_without_log(change(bed, "b"), DAMAGED)
    assert refused.decision is Decision.BLOCK
    assert "handrail doctor --fix" in refused.alternative


def test_without_a_log_the_alarm_comes_once(bed: Bed) -> None:
    alarms = [
        bed.runs.bare(RUN, str(bed.path)).judge_without_log(change(bed, call), DAMAGED).alarm
        for call in "ab"
    ]
    assert [bool(alarm) for alarm in alarms] == [True, False]


# --- nothing that was lost comes back ----------------------------------------------------------


def test_an_event_that_was_lost_in_the_middle_is_not_part_of_the_state(bed: Bed) -> None:
    bed.log.held = True
    run = bed.run
    for call in "abc":
        run.decide(change(bed, call))
    bed.log.release(1)
    bed.log.refuses = FULL
    bed.log.release(1)
    bed.log.refuses = None
    bed.log.release(1)
    bed.log.held = False
    assert run.broken
    state = bed.run.state
    assert [item.id for item in state.open] == ["a", "c"]
    assert state == bed.loaded() == bed.folded()


def test_what_is_on_its_way_to_the_log_is_waited_for_before_a_run_is_read_again(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    bed.log.held = True
    run = bed.run
    run.decide(change(bed, "a"))
    run.decide(change(bed, "b"))
    bed.log.refuses = FULL
    bed.log.release(1)
    bed.log.refuses = None
    monkeypatch.setattr(runs_room, "_PATIENCE", 0)
    with pytest.raises(StoreError, match="did not answer"):
        bed.get(RUN)
    bed.log.release()
    bed.log.held = False
    assert [item.id for item in bed.run.state.open] == ["b"]
    bed.run.before(change(bed, "c"))
    assert bed.run.state.step == 3


def test_a_snapshot_never_holds_an_event_that_was_lost(bed: Bed) -> None:
    run = bed.run
    for _ in range(SNAPSHOT_EVERY - 2):
        run.record(PromptGiven(bed.clock(), "go on"))
    bed.log.held = True
    run.decide(change(bed, "lost"))
    run.decide(change(bed, "kept"))
    assert run.state.seq == SNAPSHOT_EVERY
    bed.log.refuses = FULL
    bed.log.release(1)
    bed.log.refuses = None
    bed.log.held = False
    bed.log.release()
    assert bed.log.calls["save_snapshot"] == 0
    assert bed.run.state == bed.loaded() == bed.folded()
