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
from handrail.supervise.followup.breach import EndedCall
from handrail.supervise.log.event_recorder import SNAPSHOT_EVERY
from handrail.supervise.log.topics import topic_of
from tests.supervise.ready import ready
from tests.supervise.supervision_setup import RUN, SupervisionSetup, ran

DANGEROUS = "rm -rf /srv/data"


def refusals(verdict: Verdict) -> str:
    return " ".join(verdict.guidance)


# --- what is given is on the disk --------------------------------------------------------------


def test_a_verdict_is_in_the_log_when_it_is_given(supervision: SupervisionSetup) -> None:
    verdict = supervision.run.before(supervision.bash("ls", "a"))
    (event,) = supervision.events()
    assert isinstance(event, ActionReviewed)
    assert event.verdict == verdict
    assert (event.step, event.action.id) == (1, "a")


def test_a_verdict_waits_for_the_log(supervision: SupervisionSetup) -> None:
    supervision.log.held = True
    pending = ready(supervision.run.decide(supervision.bash("ls", "a")))
    assert pending.wait(0).alarm != ""
    supervision.log.release()
    assert pending.wait(0) == Verdict(Decision.ALLOW)


@pytest.mark.parametrize("command", ["make", DANGEROUS, "rm -rf notes"])
def test_in_async_mode_only_what_is_without_risk_does_not_wait(
    supervision: SupervisionSetup, command: str
) -> None:
    supervision.settings("step_reviewer: {mode: async}\n")
    supervision.log.held = True
    assert ready(supervision.run.decide(supervision.bash("ls", "a"))).receipts == []
    assert len(ready(supervision.run.decide(supervision.bash(command, "b"))).receipts) == 1


def test_the_same_call_beside_the_first_one_waits_as_well(supervision: SupervisionSetup) -> None:
    """Two hooks of ours may ask at the same time; neither is answered before the log is."""
    supervision.log.held = True
    supervision.run.decide(supervision.bash("ls", "a"))
    again = ready(supervision.run.decide(supervision.bash("ls", "a")))
    assert [receipt.done() for receipt in again.receipts] == [False]
    supervision.log.release()
    assert again.wait(0) == Verdict(Decision.ALLOW)


def test_the_same_call_long_after_the_first_one_waits_as_well(
    supervision: SupervisionSetup,
) -> None:
    supervision.log.held = True
    supervision.run.decide(supervision.bash("ls", "a"))
    for number in range(100):
        supervision.run.decide(supervision.bash("ls", f"c{number}"))
    again = ready(supervision.run.decide(supervision.bash("ls", "a")))
    assert [receipt.done() for receipt in again.receipts] == [False]


def test_an_outcome_is_in_the_log_when_it_was_taken_in(supervision: SupervisionSetup) -> None:
    action = supervision.bash("ls", "a")
    supervision.run.before(action)
    supervision.run.after(ran(action, output="src"))
    event = supervision.events()[-1]
    assert isinstance(event, ActionEnded)
    assert (event.step, event.outcome) == (1, Outcome(True, output="src"))


def test_the_log_says_who_wanted_it_and_how_long_the_review_took(
    supervision: SupervisionSetup,
) -> None:
    supervision.run.before(supervision.bash("ls", "a"), agent="sub-1")
    (event,) = supervision.events()
    assert isinstance(event, ActionReviewed)
    assert event.agent == "sub-1"
    assert event.ms >= 0


# --- the same call again -----------------------------------------------------------------------


@pytest.mark.parametrize("command", ["ls", "rm -rf notes", DANGEROUS])
def test_the_same_call_twice_gets_the_same_verdict_and_is_one_event(
    supervision: SupervisionSetup, command: str
) -> None:
    first = supervision.run.before(supervision.bash(command, "a"))
    assert supervision.run.before(supervision.bash(command, "a")) == first
    assert supervision.kinds() == ["ActionReviewed"]


def test_the_same_id_with_another_input_is_reviewed_and_recorded_again(
    supervision: SupervisionSetup,
) -> None:
    assert supervision.run.before(supervision.bash("ls", "a")).decision is Decision.ALLOW
    assert supervision.run.before(supervision.bash(DANGEROUS, "a")).decision is Decision.BLOCK
    assert supervision.kinds() == ["ActionReviewed", "ActionReviewed"]
    assert supervision.run.state.usage.decided == {"allow": 1, "block": 1}


def test_of_two_calls_with_the_same_id_the_one_that_ran_has_ended(
    supervision: SupervisionSetup,
) -> None:
    supervision.run.before(supervision.bash("ls", "a"))
    supervision.run.before(supervision.bash(DANGEROUS, "a"))
    assert supervision.run.after(ran(supervision.bash("ls", "a"))) == Verdict(Decision.ALLOW)
    assert [item.step for item in supervision.run.state.open] == [2]
    assert supervision.run.after(ran(supervision.bash(DANGEROUS, "a"))).stop


def test_calls_without_an_id_are_always_new(supervision: SupervisionSetup) -> None:
    supervision.run.before(supervision.bash("ls"))
    supervision.run.before(supervision.bash("ls"))
    assert supervision.run.state.step == 2


@pytest.mark.parametrize("command", ["ls", "rm -rf notes", DANGEROUS])
def test_after_a_restart_the_same_call_gets_the_same_answer(
    supervision: SupervisionSetup, command: str
) -> None:
    first = supervision.run.before(supervision.bash(command, "a"))
    supervision.restart()
    assert supervision.run.before(supervision.bash(command, "a")) == first
    assert supervision.kinds() == ["ActionReviewed"]


def test_after_a_restart_a_call_that_used_up_the_limit_is_still_let_through(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings("limits: {actions: 1}\n")
    assert supervision.run.before(supervision.bash("ls", "a")).decision is Decision.ALLOW
    supervision.restart()
    assert supervision.run.before(supervision.bash("ls", "a")).decision is Decision.ALLOW
    assert supervision.run.before(supervision.bash("ls", "b")).decision is Decision.BLOCK


def test_after_a_restart_a_rewrite_that_would_come_out_otherwise_is_recorded_again(
    supervision: SupervisionSetup,
) -> None:
    supervision.run.before(supervision.bash("rm -rf notes", "a"))
    (supervision.path / "notes" / "plan.md").unlink()
    (supervision.path / "notes").rmdir()
    supervision.restart()
    verdict = supervision.run.before(supervision.bash("rm -rf notes", "a"))
    assert verdict.decision is Decision.ALLOW
    assert supervision.kinds() == ["ActionReviewed", "ActionReviewed"]
    assert supervision.run.after(ran(supervision.bash("rm -rf notes", "a"))) == Verdict(
        Decision.ALLOW
    )


def test_a_call_that_ended_and_comes_again_is_judged_again(supervision: SupervisionSetup) -> None:
    """A session that is resumed asks again for the call at which it was left."""
    action = supervision.bash("ls", "a")
    supervision.do(action, output="a.txt")
    supervision.do(action, output="b.txt")
    assert supervision.kinds() == ["ActionReviewed", "ActionEnded"] * 2
    assert supervision.run.state.usage.ran == 2


def test_a_call_that_was_dropped_and_comes_again_is_judged_again(
    supervision: SupervisionSetup,
) -> None:
    action = supervision.bash("make", "a")
    supervision.run.before(action)
    supervision.run.drop("a", "no")
    supervision.do(action)
    assert supervision.kinds() == [
        "ActionReviewed",
        "ActionDropped",
        "ActionReviewed",
        "ActionEnded",
    ]


def test_an_outcome_that_is_told_twice_counts_once(supervision: SupervisionSetup) -> None:
    action = supervision.bash("ls", "a")
    supervision.run.before(action)
    supervision.run.after(ran(action))
    assert supervision.run.after(ran(action)) == Verdict(Decision.ALLOW)
    assert supervision.run.state.usage.ran == 1


def test_what_a_person_let_run_is_no_breach_when_it_is_told_twice(
    supervision: SupervisionSetup,
) -> None:
    action = supervision.bash(DANGEROUS, "a")
    supervision.run.decide(action, may_ask=True)
    assert supervision.run.after(ran(action)) == Verdict(Decision.ALLOW)
    assert supervision.run.after(ran(action)) == Verdict(Decision.ALLOW)
    assert "BreachFound" not in supervision.kinds()


def test_a_breach_that_is_told_twice_stops_twice_and_is_one_event(
    supervision: SupervisionSetup,
) -> None:
    action = supervision.bash(DANGEROUS, "a")
    supervision.run.before(action)
    first = supervision.run.after(ran(action))
    assert supervision.run.after(ran(action)) == first
    assert first.stop
    assert supervision.kinds().count("BreachFound") == 1


# --- outcomes ----------------------------------------------------------------------------------


def test_the_outcome_of_a_rewritten_action_is_joined_to_it(supervision: SupervisionSetup) -> None:
    supervision.do(supervision.bash("rm -rf notes", "a"), output="moved")
    event = supervision.events()[-1]
    assert isinstance(event, ActionEnded)
    assert (event.step, event.outcome.output) == (1, "moved")
    assert supervision.run.state.open == []


def test_the_original_that_ran_in_place_of_its_rewrite_stops_the_run(
    supervision: SupervisionSetup,
) -> None:
    action = supervision.bash("rm -rf notes", "a")
    assert supervision.run.before(action).decision is Decision.MODIFY
    verdict = supervision.run.after(ran(action))
    assert (verdict.decision, verdict.stop) == (Decision.BLOCK, True)
    assert verdict.alarm.startswith("Handrail changed step 1, but it ran in another form.")
    assert supervision.kinds() == ["ActionReviewed", "BreachFound", "ActionEnded"]


def test_what_was_refused_and_ran_stops_the_run_with_an_alarm(
    supervision: SupervisionSetup,
) -> None:
    action = supervision.bash(DANGEROUS, "a")
    supervision.run.before(action)
    verdict = supervision.run.after(ran(action))
    assert (verdict.decision, verdict.stop) == (Decision.BLOCK, True)
    assert verdict.alarm.startswith("Step 1 was refused, and ran all the same. Look at what it did")
    breach = supervision.events()[1]
    assert isinstance(breach, BreachFound)
    assert (breach.step, breach.action) == (1, action)
    assert supervision.run.state.usage.breaches == 1


def test_what_a_person_let_run_counts_as_overruled(supervision: SupervisionSetup) -> None:
    action = supervision.bash(DANGEROUS, "a")
    verdict = ready(supervision.run.decide(action, may_ask=True)).wait()
    assert (verdict.decision, verdict.overrulable) == (Decision.BLOCK, True)
    assert supervision.run.after(ran(action)) == Verdict(Decision.ALLOW)
    usage = supervision.run.state.usage
    assert (usage.asked, usage.overruled, usage.breaches) == (1, 1, 0)


def test_nobody_is_asked_about_what_nobody_may_let_run(supervision: SupervisionSetup) -> None:
    action = supervision.write(supervision.path / "handrail.yaml", "a")
    assert not ready(supervision.run.decide(action, may_ask=True)).wait().overrulable
    assert supervision.run.after(ran(action)).stop
    assert supervision.run.state.usage.asked == 0


def test_what_ran_without_review_is_an_alarm_only_if_it_would_have_been_stopped(
    supervision: SupervisionSetup,
) -> None:
    assert supervision.run.after(ran(supervision.bash("ls", "a"))) == Verdict(Decision.ALLOW)
    assert supervision.kinds() == []
    verdict = supervision.run.after(ran(supervision.bash(DANGEROUS, "b")))
    assert verdict.stop
    assert verdict.alarm.startswith("Bash ran without having been reviewed.")
    assert supervision.kinds() == ["BreachFound"]


def test_a_changed_protected_file_is_a_breach(supervision: SupervisionSetup) -> None:
    action = supervision.bash("make", "a")
    supervision.run.before(action)
    verdict = supervision.run.after(
        EndedCall(action, Outcome(True), changed=(str(supervision.path / "handrail.yaml"),))
    )
    assert verdict.stop
    assert supervision.kinds() == [
        "ActionReviewed",
        "BreachFound",
        "AfterReviewed",
        "ActionEnded",
    ]


def test_an_outcome_without_an_id_is_joined_to_the_action_that_it_is(
    supervision: SupervisionSetup,
) -> None:
    action = supervision.bash("ls")
    supervision.run.before(action)
    supervision.run.after(ran(action))
    rewritten = supervision.run.before(supervision.bash("rm -rf notes")).updated_input
    assert rewritten is not None
    supervision.run.after(ran(Action("Bash", rewritten, str(supervision.path / "notes"))))
    assert supervision.run.state.usage.ran == 2
    assert supervision.run.state.open == []


def test_an_action_that_did_not_run_is_dropped(supervision: SupervisionSetup) -> None:
    supervision.run.before(supervision.bash("make", "a"))
    supervision.run.drop("a", "the user said no")
    event = supervision.events()[-1]
    assert isinstance(event, ActionDropped)
    assert (event.step, event.says) == (1, "the user said no")
    assert supervision.run.state.open == []


def test_a_question_that_was_answered_with_no_is_dropped(supervision: SupervisionSetup) -> None:
    supervision.run.decide(supervision.bash(DANGEROUS, "a"), may_ask=True)
    assert len(supervision.run.drop("a", "no")) == 1
    assert "a second time" in refusals(supervision.run.before(supervision.bash(DANGEROUS, "b")))


def test_a_refused_action_stays_known_after_its_batch(supervision: SupervisionSetup) -> None:
    """So that it is a breach if it runs all the same."""
    action = supervision.bash(DANGEROUS, "a")
    supervision.run.before(action)
    assert supervision.run.drop("a", "refused by a hook") == []
    assert supervision.run.after(ran(action)).stop


@pytest.mark.parametrize("call", ["", "never seen"])
def test_nothing_is_dropped_that_is_not_known(supervision: SupervisionSetup, call: str) -> None:
    supervision.run.before(supervision.bash("ls", "a"))
    assert supervision.run.drop(call, "") == []


# --- parallel calls ----------------------------------------------------------------------------


def test_parallel_calls_end_in_any_order(supervision: SupervisionSetup) -> None:
    actions = [supervision.bash(f"make target{number}", f"c{number}") for number in range(5)]
    for action in actions:
        supervision.run.before(action)
    for action in reversed(actions):
        supervision.run.after(ran(action, ok=action.id != "c2"))
    ends = [event.step for event in supervision.events() if isinstance(event, ActionEnded)]
    assert ends == [5, 4, 3, 2, 1]
    assert supervision.run.state.open == []
    assert supervision.run.state.usage.failed == 1


def test_the_same_command_in_parallel_ends_as_often_as_it_began(
    supervision: SupervisionSetup,
) -> None:
    for call in "abc":
        supervision.run.before(supervision.bash("make", call))
    for call in "bca":
        supervision.run.after(ran(supervision.bash("make", call)))
    ends = [event.step for event in supervision.events() if isinstance(event, ActionEnded)]
    assert ends == [2, 3, 1]


# --- snapshots ---------------------------------------------------------------------------------


def test_a_state_is_saved_every_so_many_events(supervision: SupervisionSetup) -> None:
    for _ in range(SNAPSHOT_EVERY - 1):
        supervision.run.record(PromptGiven(supervision.clock(), "go on"))
    assert supervision.log.inner.load_snapshot(topic_of(RUN)) is None
    supervision.run.record(PromptGiven(supervision.clock(), "go on"))
    snapshot = supervision.log.inner.load_snapshot(topic_of(RUN))
    assert snapshot is not None
    assert snapshot.seq == SNAPSHOT_EVERY
    assert snapshot.body == msgspec.json.encode(supervision.run.state)


def test_a_state_is_not_saved_before_all_of_it_is_in_the_log(supervision: SupervisionSetup) -> None:
    supervision.log.held = True
    run = supervision.run
    run.decide(supervision.bash("ls", "a"))
    run.log.save()
    assert supervision.log.calls["save_snapshot"] == 0
    supervision.log.release(1)
    assert supervision.log.calls["save_snapshot"] == 1


def test_a_state_that_did_not_change_is_not_saved_again(supervision: SupervisionSetup) -> None:
    supervision.run.before(supervision.bash("ls", "a"))
    supervision.run.log.save()
    supervision.run.log.save()
    supervision.restart()
    supervision.run.log.save()
    assert supervision.log.calls["save_snapshot"] == 1


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
def test_no_action_however_odd_breaks_the_supervisor(
    supervision: SupervisionSetup, action: Action
) -> None:
    verdict = supervision.run.before(action)
    assert supervision.run.before(action) == verdict or not action.id
    supervision.run.after(ran(action))
    assert supervision.run.state == supervision.loaded() == supervision.folded()


def test_a_deeply_nested_input_does_not_break_the_supervisor(supervision: SupervisionSetup) -> None:
    deep: dict[str, object] = {}
    for _ in range(300):
        deep = {"x": deep}
    supervision.run.before(Action("Tool", deep, str(supervision.path), id="a"))
    assert supervision.run.state == supervision.loaded()
