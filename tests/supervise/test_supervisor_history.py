"""What a run did before decides about what it does next: repetition, limits, history."""

from handrail.model import Decision, Outcome, Verdict
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import (
    ActionReviewed,
    ControlAnswered,
    ControlAsked,
    PromptGiven,
    RunStarted,
)
from handrail.supervise.breach import EndedCall
from tests.supervise.bed import RUN, Bed, ran

DANGEROUS = "rm -rf /srv/data"


def refusals(verdict: Verdict) -> str:
    return " ".join(verdict.guidance)


def test_the_second_and_the_third_refusal_say_so(bed: Bed) -> None:
    first = bed.run.before(bed.bash(DANGEROUS, "a"))
    second = bed.run.before(bed.bash(DANGEROUS, "b"))
    third = bed.run.before(bed.bash(DANGEROUS, "c"))
    assert refusals(first) == ""
    assert "a second time" in refusals(second)
    assert "a third time" in refusals(third)
    assert "a second time" not in refusals(bed.run.before(bed.bash("rm -rf /srv/other", "d")))


def test_repetition_is_known_after_a_restart(bed: Bed) -> None:
    bed.run.before(bed.bash(DANGEROUS, "a"))
    bed.restart()
    assert "a second time" in refusals(bed.run.before(bed.bash(DANGEROUS, "b")))


def test_what_a_person_let_run_was_not_refused(bed: Bed) -> None:
    action = bed.bash(DANGEROUS, "a")
    bed.run.decide(action, may_ask=True)
    bed.run.after(ran(action))
    assert refusals(bed.run.before(bed.bash(DANGEROUS, "b"))) == ""


def test_a_run_that_has_taken_its_actions_is_refused_everything(bed: Bed) -> None:
    bed.settings("limits: {actions: 2}\n")
    bed.do(bed.bash("ls", "a"))
    bed.do(bed.bash("ls", "b"))
    verdict = bed.run.before(bed.bash("ls", "c"))
    assert verdict.decision is Decision.BLOCK
    assert verdict.reason == "The run has taken its 2 actions (limits.actions)."
    assert verdict.alternative == "Stop here, and say what is done and what is not."
    assert not verdict.overrulable


def test_a_run_that_has_had_its_time_is_refused_everything(bed: Bed) -> None:
    bed.settings("limits: {minutes: 10}\n")
    bed.do(bed.bash("ls", "a"))
    bed.clock.advance(10 * 60)
    assert bed.do(bed.bash("ls", "b")).decision is Decision.ALLOW
    bed.clock.advance(1)
    verdict = bed.run.before(bed.bash("ls", "c"))
    assert verdict.decision is Decision.BLOCK
    assert verdict.reason == "The run has had its 10 minutes (limits.minutes)."


def test_time_for_which_a_person_holds_a_run_is_not_its_own(bed: Bed) -> None:
    bed.settings("limits: {minutes: 10}\n")
    bed.do(bed.bash("ls", "a"))
    for minutes in (30, 40):
        bed.run.record(ControlAsked(bed.clock(), "r", ControlCommand.PAUSE, Standing.PAUSING))
        bed.clock.advance(minutes * 60)
        bed.run.record(ControlAnswered(bed.clock(), "r", ControlCommand.PAUSE, Standing.PAUSED))
        bed.clock.advance(minutes * 60)
        bed.restart()
        bed.run.record(ControlAnswered(bed.clock(), "s", ControlCommand.RESUME, Standing.RUNNING))
    bed.clock.advance(10 * 60)
    assert bed.do(bed.bash("ls", "b")).decision is Decision.ALLOW
    bed.clock.advance(1)
    assert bed.run.before(bed.bash("ls", "c")).decision is Decision.BLOCK


def test_time_is_counted_from_the_start_also_after_a_restart(bed: Bed) -> None:
    bed.settings("limits: {minutes: 10}\n")
    bed.run.record(RunStarted(bed.clock(), "claude", str(bed.path)))
    bed.clock.advance(11 * 60)
    bed.restart()
    assert bed.run.before(bed.bash("ls", "a")).decision is Decision.BLOCK


def test_a_clock_that_goes_back_refuses_nothing(bed: Bed) -> None:
    bed.settings("limits: {minutes: 10}\n")
    bed.do(bed.bash("ls", "a"))
    bed.clock.advance(-3600)
    assert bed.do(bed.bash("ls", "b")).decision is Decision.ALLOW
    assert bed.run.state.changed < bed.run.state.started


def test_a_limit_that_is_raised_lets_the_run_go_on_when_it_is_resumed(bed: Bed) -> None:
    bed.settings("limits: {actions: 1}\n")
    bed.do(bed.bash("ls", "a"))
    assert bed.do(bed.bash("ls", "b")).decision is Decision.BLOCK
    bed.settings("limits: {actions: 100}\n")
    assert bed.do(bed.bash("ls", "c")).decision is Decision.BLOCK
    bed.runs.renew(RUN)
    assert bed.do(bed.bash("ls", "d")).decision is Decision.ALLOW


def test_a_command_that_failed_before_is_riskier(bed: Bed) -> None:
    for number in range(3):
        bed.do(bed.bash("make deploy", f"c{number}"), ok=False)
    risks = [event.review.risk.score for event in bed.events() if isinstance(event, ActionReviewed)]
    assert risks == sorted(risks)
    assert risks[-1] > risks[0]


def test_a_file_that_the_run_made_may_be_deleted(bed: Bed) -> None:
    mine = bed.path / "made.txt"
    mine.write_text("made by the run\n")
    command = f"rm {mine}"
    assert bed.run.before(bed.bash(command, "a")).decision is Decision.MODIFY
    bed.run.drop("a", "not now")
    write = bed.write(mine, "b")
    bed.run.before(write)
    bed.run.after(EndedCall(write, Outcome(True), created=(str(mine),)))
    assert bed.run.before(bed.bash(command, "c")).decision is Decision.ALLOW


def test_the_goal_comes_from_the_prompts(bed: Bed) -> None:
    bed.settings("goal: something else\n")
    bed.run.record(PromptGiven(bed.clock(), "repair the shopping cart"))
    bed.run.before(bed.bash("grep -rn 'shopping cart' .", "a"))
    bed.run.before(bed.bash("grep -rn weather .", "b"))
    about, beside = (
        event.review.rationality for event in bed.events() if isinstance(event, ActionReviewed)
    )
    assert about.goal_alignment > beside.goal_alignment


def test_changes_to_files_are_limited_across_actions(bed: Bed) -> None:
    bed.settings("step_reviewer: {max_file_operations: 3}\n")
    for number in range(3):
        assert bed.do(bed.write(bed.path / f"{number}.txt", f"c{number}")).decision.rank < 2
    verdict = bed.do(bed.write(bed.path / "4.txt", "c4"))
    assert verdict.decision is Decision.BLOCK
    assert "the limit is 3" in verdict.reason
    assert bed.do(bed.bash("ls", "c5")).decision is Decision.ALLOW


def test_parallel_actions_share_the_limit(bed: Bed) -> None:
    bed.settings("step_reviewer: {max_file_operations: 3}\n")
    verdicts = [bed.run.before(bed.write(bed.path / f"{n}.txt", f"c{n}")) for n in range(6)]
    assert [verdict.decision is Decision.BLOCK for verdict in verdicts] == [False] * 3 + [True] * 3


def test_changes_that_failed_leave_room_for_others(bed: Bed) -> None:
    bed.settings("step_reviewer: {max_file_operations: 1}\n")
    bed.do(bed.write(bed.path / "a.txt", "a"), ok=False)
    assert bed.do(bed.write(bed.path / "a.txt", "b")).decision is not Decision.BLOCK


def test_a_folder_in_the_place_of_a_file_that_the_run_made_is_not_its_own(bed: Bed) -> None:
    mine = bed.path / "mine"
    bed.run.before(write := bed.write(mine, "a"))
    bed.run.after(EndedCall(write, Outcome(True), created=(str(mine),)))
    (bed.path / "notes").rename(mine)
    assert bed.run.before(bed.bash("rm -rf mine", "b")).decision is Decision.MODIFY
