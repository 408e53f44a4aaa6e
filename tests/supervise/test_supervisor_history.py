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
from handrail.supervise.followup.breach import EndedCall
from tests.supervise.supervision_setup import RUN, SupervisionSetup, ran

DANGEROUS = "rm -rf /srv/data"


def refusals(verdict: Verdict) -> str:
    return " ".join(verdict.guidance)


def test_the_second_and_the_third_refusal_say_so(supervision: SupervisionSetup) -> None:
    first = supervision.run.before(supervision.bash(DANGEROUS, "a"))
    second = supervision.run.before(supervision.bash(DANGEROUS, "b"))
    third = supervision.run.before(supervision.bash(DANGEROUS, "c"))
    assert refusals(first) == ""
    assert "a second time" in refusals(second)
    assert "a third time" in refusals(third)
    assert "a second time" not in refusals(
        supervision.run.before(supervision.bash("rm -rf /srv/other", "d"))
    )


def test_repetition_is_known_after_a_restart(supervision: SupervisionSetup) -> None:
    supervision.run.before(supervision.bash(DANGEROUS, "a"))
    supervision.restart()
    assert "a second time" in refusals(supervision.run.before(supervision.bash(DANGEROUS, "b")))


def test_what_a_person_let_run_was_not_refused(supervision: SupervisionSetup) -> None:
    action = supervision.bash(DANGEROUS, "a")
    supervision.run.decide(action, may_ask=True)
    supervision.run.after(ran(action))
    assert refusals(supervision.run.before(supervision.bash(DANGEROUS, "b"))) == ""


def test_a_run_that_has_taken_its_actions_is_refused_everything(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings("limits: {actions: 2}\n")
    supervision.do(supervision.bash("ls", "a"))
    supervision.do(supervision.bash("ls", "b"))
    verdict = supervision.run.before(supervision.bash("ls", "c"))
    assert verdict.decision is Decision.BLOCK
    assert verdict.reason == "The run has taken its 2 actions (limits.actions)."
    assert verdict.alternative == "Stop here, and say what is done and what is not."
    assert not verdict.overrulable


def test_a_run_that_has_had_its_time_is_refused_everything(supervision: SupervisionSetup) -> None:
    supervision.settings("limits: {minutes: 10}\n")
    supervision.do(supervision.bash("ls", "a"))
    supervision.clock.advance(10 * 60)
    assert supervision.do(supervision.bash("ls", "b")).decision is Decision.ALLOW
    supervision.clock.advance(1)
    verdict = supervision.run.before(supervision.bash("ls", "c"))
    assert verdict.decision is Decision.BLOCK
    assert verdict.reason == "The run has had its 10 minutes (limits.minutes)."


def test_time_for_which_a_person_holds_a_run_is_not_its_own(supervision: SupervisionSetup) -> None:
    supervision.settings("limits: {minutes: 10}\n")
    supervision.do(supervision.bash("ls", "a"))
    for minutes in (30, 40):
        supervision.run.record(
            ControlAsked(supervision.clock(), "r", ControlCommand.PAUSE, Standing.PAUSING)
        )
        supervision.clock.advance(minutes * 60)
        supervision.run.record(
            ControlAnswered(supervision.clock(), "r", ControlCommand.PAUSE, Standing.PAUSED)
        )
        supervision.clock.advance(minutes * 60)
        supervision.restart()
        supervision.run.record(
            ControlAnswered(supervision.clock(), "s", ControlCommand.RESUME, Standing.RUNNING)
        )
    supervision.clock.advance(10 * 60)
    assert supervision.do(supervision.bash("ls", "b")).decision is Decision.ALLOW
    supervision.clock.advance(1)
    assert supervision.run.before(supervision.bash("ls", "c")).decision is Decision.BLOCK


def test_time_is_counted_from_the_start_also_after_a_restart(supervision: SupervisionSetup) -> None:
    supervision.settings("limits: {minutes: 10}\n")
    supervision.run.record(RunStarted(supervision.clock(), "claude", str(supervision.path)))
    supervision.clock.advance(11 * 60)
    supervision.restart()
    assert supervision.run.before(supervision.bash("ls", "a")).decision is Decision.BLOCK


def test_a_clock_that_goes_back_refuses_nothing(supervision: SupervisionSetup) -> None:
    supervision.settings("limits: {minutes: 10}\n")
    supervision.do(supervision.bash("ls", "a"))
    supervision.clock.advance(-3600)
    assert supervision.do(supervision.bash("ls", "b")).decision is Decision.ALLOW
    assert supervision.run.state.changed < supervision.run.state.started


def test_a_limit_that_is_raised_lets_the_run_go_on_when_it_is_resumed(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings("limits: {actions: 1}\n")
    supervision.do(supervision.bash("ls", "a"))
    assert supervision.do(supervision.bash("ls", "b")).decision is Decision.BLOCK
    supervision.settings("limits: {actions: 100}\n")
    assert supervision.do(supervision.bash("ls", "c")).decision is Decision.BLOCK
    supervision.runs.renew(RUN)
    assert supervision.do(supervision.bash("ls", "d")).decision is Decision.ALLOW


def test_a_command_that_failed_before_is_riskier(supervision: SupervisionSetup) -> None:
    for number in range(3):
        supervision.do(supervision.bash("make deploy", f"c{number}"), ok=False)
    risks = [
        event.review.risk.score
        for event in supervision.events()
        if isinstance(event, ActionReviewed)
    ]
    assert risks == sorted(risks)
    assert risks[-1] > risks[0]


def test_a_file_that_the_run_made_may_be_deleted(supervision: SupervisionSetup) -> None:
    mine = supervision.path / "made.txt"
    mine.write_text("made by the run\n")
    command = f"rm {mine}"
    assert supervision.run.before(supervision.bash(command, "a")).decision is Decision.MODIFY
    supervision.run.drop("a", "not now")
    write = supervision.write(mine, "b")
    supervision.run.before(write)
    supervision.run.after(EndedCall(write, Outcome(True), created=(str(mine),)))
    assert supervision.run.before(supervision.bash(command, "c")).decision is Decision.ALLOW


def test_the_goal_comes_from_the_prompts(supervision: SupervisionSetup) -> None:
    supervision.settings("goal: something else\n")
    supervision.run.record(PromptGiven(supervision.clock(), "repair the shopping cart"))
    supervision.run.before(supervision.bash("grep -rn 'shopping cart' .", "a"))
    supervision.run.before(supervision.bash("grep -rn weather .", "b"))
    about, beside = (
        event.review.rationality
        for event in supervision.events()
        if isinstance(event, ActionReviewed)
    )
    assert about.goal_alignment > beside.goal_alignment


def test_changes_to_files_are_limited_across_actions(supervision: SupervisionSetup) -> None:
    supervision.settings("step_reviewer: {max_file_operations: 3}\n")
    for number in range(3):
        assert (
            supervision.do(
                supervision.write(supervision.path / f"{number}.txt", f"c{number}")
            ).decision.rank
            < 2
        )
    verdict = supervision.do(supervision.write(supervision.path / "4.txt", "c4"))
    assert verdict.decision is Decision.BLOCK
    assert "the limit is 3" in verdict.reason
    assert supervision.do(supervision.bash("ls", "c5")).decision is Decision.ALLOW


def test_parallel_actions_share_the_limit(supervision: SupervisionSetup) -> None:
    supervision.settings("step_reviewer: {max_file_operations: 3}\n")
    verdicts = [
        supervision.run.before(supervision.write(supervision.path / f"{n}.txt", f"c{n}"))
        for n in range(6)
    ]
    assert [verdict.decision is Decision.BLOCK for verdict in verdicts] == [False] * 3 + [True] * 3


def test_changes_that_failed_leave_room_for_others(supervision: SupervisionSetup) -> None:
    supervision.settings("step_reviewer: {max_file_operations: 1}\n")
    supervision.do(supervision.write(supervision.path / "a.txt", "a"), ok=False)
    assert (
        supervision.do(supervision.write(supervision.path / "a.txt", "b")).decision
        is not Decision.BLOCK
    )


def test_a_folder_in_the_place_of_a_file_that_the_run_made_is_not_its_own(
    supervision: SupervisionSetup,
) -> None:
    mine = supervision.path / "mine"
    supervision.run.before(write := supervision.write(mine, "a"))
    supervision.run.after(EndedCall(write, Outcome(True), created=(str(mine),)))
    (supervision.path / "notes").rename(mine)
    assert supervision.run.before(supervision.bash("rm -rf mine", "b")).decision is Decision.MODIFY
