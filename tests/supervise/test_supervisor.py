"""One run: what is decided before an action, and what is made of its end."""

import msgspec
import pytest

from handrail.model import Action, Decision, Outcome, Verdict
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionReviewed,
    BreachFound,
    PromptGiven,
)
from handrail.supervise.breach import EndedCall
from handrail.supervise.event_recorder import SNAPSHOT_EVERY
from handrail.supervise.topics import topic_of
from tests.supervise.bed import RUN, Bed, ran
from tests.supervise.ready import ready

DANGEROUS = "rm -rf /srv/data"


def refusals(verdict: Verdict) -> str:
    return " ".join(verdict.guidance)


# --- what is given is on the disk --------------------------------------------------------------


def test_a_verdict_is_in_the_log_when_it_is_given(bed: Bed) -> None:
    verdict = bed.run.before(bed.bash("ls", "a"))
    (event,) = bed.events()
    assert isinstance(event, ActionReviewed)
    assert event.verdict == verdict
    assert (event.step, event.action.id) == (1, "a")


def test_a_verdict_waits_for_the_log(bed: Bed) -> None:
    bed.log.held = True
    pending = ready(bed.run.decide(bed.bash("ls", "a")))
    assert pending.wait(0).alarm != ""
    bed.log.release()
    assert pending.wait(0) == Verdict(Decision.ALLOW)


@pytest.mark.parametrize("command", ["make", DANGEROUS, "rm -rf notes"])
def test_in_async_mode_only_what_is_without_risk_does_not_wait(bed: Bed, command: str) -> None:
    bed.settings("step_reviewer: {mode: async}\n")
    bed.log.held = True
    assert ready(bed.run.decide(bed.bash("ls", "a"))).receipts == []
    assert len(ready(bed.run.decide(bed.bash(command, "b"))).receipts) == 1


def test_the_same_call_beside_the_first_one_waits_as_well(bed: Bed) -> None:
    """Two hooks of ours may ask at the same time; neither is answered before the log is."""
    bed.log.held = True
    bed.run.decide(bed.bash("ls", "a"))
    again = ready(bed.run.decide(bed.bash("ls", "a")))
    assert [receipt.done() for receipt in again.receipts] == [False]
    bed.log.release()
    assert again.wait(0) == Verdict(Decision.ALLOW)


def test_the_same_call_long_after_the_first_one_waits_as_well(bed: Bed) -> None:
    bed.log.held = True
    bed.run.decide(bed.bash("ls", "a"))
    for number in range(100):
        bed.run.decide(bed.bash("ls", f"c{number}"))
    again = ready(bed.run.decide(bed.bash("ls", "a")))
    assert [receipt.done() for receipt in again.receipts] == [False]


def test_an_outcome_is_in_the_log_when_it_was_taken_in(bed: Bed) -> None:
    action = bed.bash("ls", "a")
    bed.run.before(action)
    bed.run.after(ran(action, output="src"))
    event = bed.events()[-1]
    assert isinstance(event, ActionEnded)
    assert (event.step, event.outcome) == (1, Outcome(True, output="src"))


def test_the_log_says_who_wanted_it_and_how_long_the_review_took(bed: Bed) -> None:
    bed.run.before(bed.bash("ls", "a"), agent="sub-1")
    (event,) = bed.events()
    assert isinstance(event, ActionReviewed)
    assert event.agent == "sub-1"
    assert event.ms >= 0


# --- the same call again -----------------------------------------------------------------------


@pytest.mark.parametrize("command", ["ls", "rm -rf notes", DANGEROUS])
def test_the_same_call_twice_gets_the_same_verdict_and_is_one_event(bed: Bed, command: str) -> None:
    first = bed.run.before(bed.bash(command, "a"))
    assert bed.run.before(bed.bash(command, "a")) == first
    assert bed.kinds() == ["ActionReviewed"]


def test_the_same_id_with_another_input_is_reviewed_and_recorded_again(bed: Bed) -> None:
    assert bed.run.before(bed.bash("ls", "a")).decision is Decision.ALLOW
    assert bed.run.before(bed.bash(DANGEROUS, "a")).decision is Decision.BLOCK
    assert bed.kinds() == ["ActionReviewed", "ActionReviewed"]
    assert bed.run.state.usage.decided == {"allow": 1, "block": 1}


def test_of_two_calls_with_the_same_id_the_one_that_ran_has_ended(bed: Bed) -> None:
    bed.run.before(bed.bash("ls", "a"))
    bed.run.before(bed.bash(DANGEROUS, "a"))
    assert bed.run.after(ran(bed.bash("ls", "a"))) == Verdict(Decision.ALLOW)
    assert [item.step for item in bed.run.state.open] == [2]
    assert bed.run.after(ran(bed.bash(DANGEROUS, "a"))).stop


def test_calls_without_an_id_are_always_new(bed: Bed) -> None:
    bed.run.before(bed.bash("ls"))
    bed.run.before(bed.bash("ls"))
    assert bed.run.state.step == 2


@pytest.mark.parametrize("command", ["ls", "rm -rf notes", DANGEROUS])
def test_after_a_restart_the_same_call_gets_the_same_answer(bed: Bed, command: str) -> None:
    first = bed.run.before(bed.bash(command, "a"))
    bed.restart()
    assert bed.run.before(bed.bash(command, "a")) == first
    assert bed.kinds() == ["ActionReviewed"]


def test_after_a_restart_a_call_that_used_up_the_limit_is_still_let_through(bed: Bed) -> None:
    bed.settings("limits: {actions: 1}\n")
    assert bed.run.before(bed.bash("ls", "a")).decision is Decision.ALLOW
    bed.restart()
    assert bed.run.before(bed.bash("ls", "a")).decision is Decision.ALLOW
    assert bed.run.before(bed.bash("ls", "b")).decision is Decision.BLOCK


def test_after_a_restart_a_rewrite_that_would_come_out_otherwise_is_recorded_again(
    bed: Bed,
) -> None:
    bed.run.before(bed.bash("rm -rf notes", "a"))
    (bed.path / "notes" / "plan.md").unlink()
    (bed.path / "notes").rmdir()
    bed.restart()
    verdict = bed.run.before(bed.bash("rm -rf notes", "a"))
    assert verdict.decision is Decision.ALLOW
    assert bed.kinds() == ["ActionReviewed", "ActionReviewed"]
    assert bed.run.after(ran(bed.bash("rm -rf notes", "a"))) == Verdict(Decision.ALLOW)


def test_a_call_that_ended_and_comes_again_is_judged_again(bed: Bed) -> None:
    """A session that is resumed asks again for the call at which it was left."""
    action = bed.bash("ls", "a")
    bed.do(action, output="a.txt")
    bed.do(action, output="b.txt")
    assert bed.kinds() == ["ActionReviewed", "ActionEnded"] * 2
    assert bed.run.state.usage.ran == 2


def test_a_call_that_was_dropped_and_comes_again_is_judged_again(bed: Bed) -> None:
    action = bed.bash("make", "a")
    bed.run.before(action)
    bed.run.drop("a", "no")
    bed.do(action)
    assert bed.kinds() == ["ActionReviewed", "ActionDropped", "ActionReviewed", "ActionEnded"]


def test_an_outcome_that_is_told_twice_counts_once(bed: Bed) -> None:
    action = bed.bash("ls", "a")
    bed.run.before(action)
    bed.run.after(ran(action))
    assert bed.run.after(ran(action)) == Verdict(Decision.ALLOW)
    assert bed.run.state.usage.ran == 1


def test_what_a_person_let_run_is_no_breach_when_it_is_told_twice(bed: Bed) -> None:
    action = bed.bash(DANGEROUS, "a")
    bed.run.decide(action, may_ask=True)
    assert bed.run.after(ran(action)) == Verdict(Decision.ALLOW)
    assert bed.run.after(ran(action)) == Verdict(Decision.ALLOW)
    assert "BreachFound" not in bed.kinds()


def test_a_breach_that_is_told_twice_stops_twice_and_is_one_event(bed: Bed) -> None:
    action = bed.bash(DANGEROUS, "a")
    bed.run.before(action)
    first = bed.run.after(ran(action))
    assert bed.run.after(ran(action)) == first
    assert first.stop
    assert bed.kinds().count("BreachFound") == 1


# --- outcomes ----------------------------------------------------------------------------------


def test_the_outcome_of_a_rewritten_action_is_joined_to_it(bed: Bed) -> None:
    bed.do(bed.bash("rm -rf notes", "a"), output="moved")
    event = bed.events()[-1]
    assert isinstance(event, ActionEnded)
    assert (event.step, event.outcome.output) == (1, "moved")
    assert bed.run.state.open == []


def test_the_original_that_ran_in_place_of_its_rewrite_stops_the_run(bed: Bed) -> None:
    action = bed.bash("rm -rf notes", "a")
    assert bed.run.before(action).decision is Decision.MODIFY
    verdict = bed.run.after(ran(action))
    assert (verdict.decision, verdict.stop) == (Decision.BLOCK, True)
    assert verdict.alarm.startswith("Step 1 was to run changed, and ran otherwise.")
    assert bed.kinds() == ["ActionReviewed", "BreachFound", "ActionEnded"]


def test_what_was_refused_and_ran_stops_the_run_with_an_alarm(bed: Bed) -> None:
    action = bed.bash(DANGEROUS, "a")
    bed.run.before(action)
    verdict = bed.run.after(ran(action))
    assert (verdict.decision, verdict.stop) == (Decision.BLOCK, True)
    assert verdict.alarm.startswith("Step 1 was refused, and ran all the same. Look at what it did")
    breach = bed.events()[1]
    assert isinstance(breach, BreachFound)
    assert (breach.step, breach.action) == (1, action)
    assert bed.run.state.usage.breaches == 1


def test_what_a_person_let_run_counts_as_overruled(bed: Bed) -> None:
    action = bed.bash(DANGEROUS, "a")
    verdict = ready(bed.run.decide(action, may_ask=True)).wait()
    assert (verdict.decision, verdict.overrulable) == (Decision.BLOCK, True)
    assert bed.run.after(ran(action)) == Verdict(Decision.ALLOW)
    usage = bed.run.state.usage
    assert (usage.asked, usage.overruled, usage.breaches) == (1, 1, 0)


def test_nobody_is_asked_about_what_nobody_may_let_run(bed: Bed) -> None:
    action = bed.write(bed.path / "handrail.yaml", "a")
    assert not ready(bed.run.decide(action, may_ask=True)).wait().overrulable
    assert bed.run.after(ran(action)).stop
    assert bed.run.state.usage.asked == 0


def test_what_ran_without_review_is_an_alarm_only_if_it_would_have_been_stopped(bed: Bed) -> None:
    assert bed.run.after(ran(bed.bash("ls", "a"))) == Verdict(Decision.ALLOW)
    assert bed.kinds() == []
    verdict = bed.run.after(ran(bed.bash(DANGEROUS, "b")))
    assert verdict.stop
    assert verdict.alarm.startswith("Bash ran without having been reviewed.")
    assert bed.kinds() == ["BreachFound"]


def test_a_changed_protected_file_is_a_breach(bed: Bed) -> None:
    action = bed.bash("make", "a")
    bed.run.before(action)
    verdict = bed.run.after(
        EndedCall(action, Outcome(True), changed=(str(bed.path / "handrail.yaml"),))
    )
    assert verdict.stop
    assert bed.kinds() == ["ActionReviewed", "BreachFound", "ActionEnded"]


def test_an_outcome_without_an_id_is_joined_to_the_action_that_it_is(bed: Bed) -> None:
    action = bed.bash("ls")
    bed.run.before(action)
    bed.run.after(ran(action))
    rewritten = bed.run.before(bed.bash("rm -rf notes")).updated_input
    assert rewritten is not None
    bed.run.after(ran(Action("Bash", rewritten, str(bed.path / "notes"))))
    assert bed.run.state.usage.ran == 2
    assert bed.run.state.open == []


def test_an_action_that_did_not_run_is_dropped(bed: Bed) -> None:
    bed.run.before(bed.bash("make", "a"))
    bed.run.drop("a", "the user said no")
    event = bed.events()[-1]
    assert isinstance(event, ActionDropped)
    assert (event.step, event.says) == (1, "the user said no")
    assert bed.run.state.open == []


def test_a_question_that_was_answered_with_no_is_dropped(bed: Bed) -> None:
    bed.run.decide(bed.bash(DANGEROUS, "a"), may_ask=True)
    assert len(bed.run.drop("a", "no")) == 1
    assert "a second time" in refusals(bed.run.before(bed.bash(DANGEROUS, "b")))


def test_a_refused_action_stays_known_after_its_batch(bed: Bed) -> None:
    """So that it is a breach if it runs all the same."""
    action = bed.bash(DANGEROUS, "a")
    bed.run.before(action)
    assert bed.run.drop("a", "refused by a hook") == []
    assert bed.run.after(ran(action)).stop


@pytest.mark.parametrize("call", ["", "never seen"])
def test_nothing_is_dropped_that_is_not_known(bed: Bed, call: str) -> None:
    bed.run.before(bed.bash("ls", "a"))
    assert bed.run.drop(call, "") == []


# --- parallel calls ----------------------------------------------------------------------------


def test_parallel_calls_end_in_any_order(bed: Bed) -> None:
    actions = [bed.bash(f"make target{number}", f"c{number}") for number in range(5)]
    for action in actions:
        bed.run.before(action)
    for action in reversed(actions):
        bed.run.after(ran(action, ok=action.id != "c2"))
    ends = [event.step for event in bed.events() if isinstance(event, ActionEnded)]
    assert ends == [5, 4, 3, 2, 1]
    assert bed.run.state.open == []
    assert bed.run.state.usage.failed == 1


def test_the_same_command_in_parallel_ends_as_often_as_it_began(bed: Bed) -> None:
    for call in "abc":
        bed.run.before(bed.bash("make", call))
    for call in "bca":
        bed.run.after(ran(bed.bash("make", call)))
    ends = [event.step for event in bed.events() if isinstance(event, ActionEnded)]
    assert ends == [2, 3, 1]


# --- snapshots ---------------------------------------------------------------------------------


def test_a_state_is_saved_every_so_many_events(bed: Bed) -> None:
    for _ in range(SNAPSHOT_EVERY - 1):
        bed.run.record(PromptGiven(bed.clock(), "go on"))
    assert bed.log.inner.load_snapshot(topic_of(RUN)) is None
    bed.run.record(PromptGiven(bed.clock(), "go on"))
    snapshot = bed.log.inner.load_snapshot(topic_of(RUN))
    assert snapshot is not None
    assert snapshot.seq == SNAPSHOT_EVERY
    assert snapshot.body == msgspec.json.encode(bed.run.state)


def test_a_state_is_not_saved_before_all_of_it_is_in_the_log(bed: Bed) -> None:
    bed.log.held = True
    run = bed.run
    run.decide(bed.bash("ls", "a"))
    run.save()
    assert bed.log.calls["save_snapshot"] == 0
    bed.log.release(1)
    assert bed.log.calls["save_snapshot"] == 1


def test_a_state_that_did_not_change_is_not_saved_again(bed: Bed) -> None:
    bed.run.before(bed.bash("ls", "a"))
    bed.run.save()
    bed.run.save()
    bed.restart()
    bed.run.save()
    assert bed.log.calls["save_snapshot"] == 1


# --- edges -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "action",
    [
        Action("Bash", {"command": "ls"}),
        Action("Bash", {"command": "ls"}, "relative/folder", id="a"),
        Action("Bash", {"command": "ls"}, "/not/there", id="a"),
        Action("Bash", {}, "/", id="a"),
        Action("", {}, "", id="a"),
        Action("Bash", {"command": "echo \ud800"}, "/", id="a"),
        Action("Write", {"file_path": "a\0b", "content": ""}, "/a\0b", id="a"),
        Action("Tool", {"x": {"y": [1, 2.5, None, True, 2**80]}}, "/", id="\ud800"),
        Action("Tool", {"x": (1, {2}), "\udcff": object}, "/", id="a"),
    ],
    ids=lambda action: repr(action)[:60],
)
def test_no_action_however_odd_breaks_the_supervisor(bed: Bed, action: Action) -> None:
    verdict = bed.run.before(action)
    assert bed.run.before(action) == verdict or not action.id
    bed.run.after(ran(action))
    assert bed.run.state == bed.loaded() == bed.folded()


def test_a_deeply_nested_input_does_not_break_the_supervisor(bed: Bed) -> None:
    deep: dict[str, object] = {}
    for _ in range(300):
        deep = {"x": deep}
    bed.run.before(Action("Tool", deep, str(bed.path), id="a"))
    assert bed.run.state == bed.loaded()
