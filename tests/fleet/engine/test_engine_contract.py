"""What every engine promises about tasks, attempts, leases and results."""

import threading
from itertools import count

import pytest

from handrail.fleet.engine import events
from handrail.fleet.engine.engine import (
    Claim,
    FleetEngine,
    FleetError,
    StaleAttemptError,
    TaskStatusError,
    UnknownTaskError,
)
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    TaskWorkspace,
    WorkspaceReady,
)
from handrail.fleet.tasks.task import Task, TaskStatus
from tests.fleet.conftest import RULES, Restart, SteppedClock, worker

DONE = AttemptResult(outcome=AttemptOutcome.DONE, commit="abc", verified=True)
FAILED = AttemptResult(outcome=AttemptOutcome.FAILED, says="the tests fail")
PAST = RULES.lease_seconds + 1


def task(name: str, *after: str, priority: int = 0) -> Task:
    return Task(id=name, prompt=f"do {name}", depends_on=after, priority=priority)


_slots = count(1)


def take(engine: FleetEngine) -> Claim:
    claim = engine.claim(worker(), next(_slots))
    assert claim is not None
    return claim


def status(engine: FleetEngine, name: str = "a") -> TaskStatus:
    return engine.state().tasks[name].status


def test_a_task_submitted_twice_is_one(engine: FleetEngine) -> None:
    assert engine.submit([task("a")]) == ["a"]
    assert engine.submit([task("a")]) == []
    assert list(engine.state().tasks) == ["a"]


def test_a_submitted_task_can_be_changed_until_an_agent_has_it(engine: FleetEngine) -> None:
    engine.submit([task("a")])
    engine.submit([task("a", priority=5)])
    assert engine.state().tasks["a"].task.priority == 5
    take(engine)
    with pytest.raises(TaskStatusError, match="stop its agent"):
        engine.submit([task("a", priority=6)])


def test_tasks_are_submitted_all_or_none(engine: FleetEngine) -> None:
    engine.submit([task("a")])
    take(engine)
    with pytest.raises(TaskStatusError):
        engine.submit([task("b"), task("a", priority=1)])
    assert list(engine.state().tasks) == ["a"]


def test_a_claim_whose_answer_was_lost_is_given_again(engine: FleetEngine) -> None:
    engine.submit([task("a"), task("b")])
    first = engine.claim(worker(), 7)
    assert first is not None
    again = engine.claim(worker(), 7)
    assert again is not None
    assert again.ticket == first.ticket
    engine.note(events.DriverStarted(1.0, "a", 1, "run-1", pid=555))
    assert engine.claim(worker(), 7) is None, "its driver has taken over, and the slot is taken"
    other = engine.claim(worker(), 8)
    assert other is not None
    assert other.ticket.task == "b"


def test_a_claimed_task_is_not_given_away_again(engine: FleetEngine) -> None:
    engine.submit([task("a")])
    assert take(engine).ticket.attempt == 1
    assert engine.claim(worker("other")) is None


def test_the_highest_priority_goes_first_and_then_the_oldest(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    for name, priority in (("old", 0), ("young", 0), ("urgent", 9)):
        engine.submit([task(name, priority=priority)])
        clock.now += 1
    assert [take(engine).ticket.task for _ in range(3)] == ["urgent", "old", "young"]


def test_a_task_waits_for_those_that_it_depends_on(engine: FleetEngine) -> None:
    engine.submit([task("b", "a"), task("a")])
    first = take(engine)
    assert first.ticket.task == "a"
    assert engine.claim(worker()) is None
    engine.finish(first.ticket, DONE)
    assert take(engine).ticket.task == "b"


def test_a_task_with_an_unknown_dependency_is_refused_by_name(engine: FleetEngine) -> None:
    engine.submit([task("build")])
    with pytest.raises(FleetError, match=r"no such task; did you mean build\?"):
        engine.submit([task("a"), task("b", "biuld")])
    assert list(engine.state().tasks) == ["build"]


def test_tasks_that_wait_for_each_other_are_refused(engine: FleetEngine) -> None:
    engine.submit([task("a"), task("b", "a")])
    for later in ([task("a", "b")], [task("c", "c")], [task("d", "e"), task("e", "d")]):
        with pytest.raises(FleetError, match="wait for each other"):
            engine.submit(later)
    assert list(engine.state().tasks) == ["a", "b"]


def test_priority_comes_first_then_waiting_tasks_then_retries_then_age(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    engine.submit([task("tried")])
    engine.give_back(take(engine).ticket, "it crashed")
    for each in (task("old"), task("young"), task("gate"), task("behind", "gate")):
        clock.now += 1
        engine.submit([each])
    engine.submit([task("urgent", priority=1)])
    order = [take(engine).ticket.task for _ in range(5)]
    assert order == ["urgent", "gate", "old", "young", "tried"]


def test_a_claim_names_the_commits_that_its_workspace_has_to_hold(engine: FleetEngine) -> None:
    engine.submit([task("a"), task("b", "a")])
    engine.finish(take(engine).ticket, DONE)
    assert take(engine).needs == (DONE.commit,)


def test_a_lease_that_is_renewed_holds(engine: FleetEngine, clock: SteppedClock) -> None:
    engine.submit([task("a")])
    ticket = take(engine).ticket
    for _ in range(5):
        clock.now += RULES.lease_seconds - 1
        assert engine.renew(ticket) == "held"
        assert engine.claim(worker("other")) is None


def test_a_lease_holds_for_as_long_as_it_says(engine: FleetEngine, clock: SteppedClock) -> None:
    engine.submit([task("a")])
    take(engine)
    clock.now += RULES.lease_seconds
    assert engine.claim(worker("other")) is None
    clock.now += 1
    assert engine.claim(worker("other")) is not None


def test_an_expired_task_goes_on_as_the_next_attempt(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    engine.submit([task("a")])
    take(engine)
    clock.now += PAST
    second = engine.claim(worker("other", 200))
    assert second is not None
    assert second.ticket.attempt == 2
    assert second.expired is not None
    assert second.expired.pid == 100, "who may still live"


def test_an_expired_lease_that_nobody_took_can_be_renewed(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    engine.submit([task("a")])
    ticket = take(engine).ticket
    clock.now += PAST
    assert engine.renew(ticket) == "held"
    assert engine.claim(worker("other")) is None


def test_the_first_attempt_hears_that_it_lost_the_task(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    engine.submit([task("a")])
    first = take(engine).ticket
    clock.now += PAST
    take(engine)
    assert engine.renew(first) == "lost"


@pytest.mark.parametrize("before_the_owner", [True, False])
def test_the_late_result_of_a_zombie_is_refused_and_the_owner_s_is_taken(
    engine: FleetEngine, clock: SteppedClock, before_the_owner: bool
) -> None:
    engine.submit([task("a")])
    zombie = take(engine).ticket
    clock.now += PAST
    owner = take(engine).ticket
    if not before_the_owner:
        engine.finish(owner, DONE)
    late = AttemptResult(outcome=AttemptOutcome.DONE, commit="zombie")
    with pytest.raises(StaleAttemptError):
        engine.finish(zombie, late)
    if before_the_owner:
        engine.finish(owner, DONE)
    found = engine.state().tasks["a"]
    assert found.result == DONE
    (refused,) = (each for each in found.audit if each.kind == "refused")
    assert refused.attempt == 1
    assert refused.commit == "zombie", "its work can still be found"


def test_a_zombie_can_neither_give_the_task_back_nor_write_about_it(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    engine.submit([task("a")])
    zombie = take(engine).ticket
    clock.now += PAST
    take(engine)
    with pytest.raises(StaleAttemptError):
        engine.give_back(zombie, "tired")
    with pytest.raises(StaleAttemptError):
        engine.note(WorkspaceReady(clock(), "a", zombie.attempt, TaskWorkspace("/x", "b", "c")))
    assert engine.state().tasks["a"].workspace is None


def test_the_same_worker_s_older_attempt_is_fenced_too(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    engine.submit([task("a")])
    old = take(engine).ticket
    engine.give_back(old, "restarted")
    new = take(engine).ticket
    with pytest.raises(StaleAttemptError):
        engine.finish(old, DONE)
    assert engine.renew(old) == "lost"
    engine.finish(new, DONE)


@pytest.mark.parametrize("result", [DONE, FAILED])
def test_a_result_handed_in_twice_counts_once(engine: FleetEngine, result: AttemptResult) -> None:
    engine.submit([task("a")])
    ticket = take(engine).ticket
    engine.finish(ticket, result)
    before = engine.state()
    engine.finish(ticket, result)
    assert engine.state() == before


def test_a_task_given_back_is_there_for_the_next_attempt(engine: FleetEngine) -> None:
    engine.submit([task("a")])
    engine.give_back(take(engine).ticket, "the machine sleeps", counts=False)
    again = take(engine)
    assert again.ticket.attempt == 2
    assert again.state.tries == 0


def test_a_task_that_a_person_stopped_waits_until_it_is_released(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    engine.submit([task("a")])
    engine.give_back(take(engine).ticket, "stopped", by="ada", held=True)
    assert status(engine) is TaskStatus.PENDING
    assert engine.claim(worker()) is None
    engine.record(events.TaskReleased(clock(), "a", "ada"))
    assert take(engine).ticket.attempt == 2


def test_whoever_works_on_a_cancelled_task_hears_it_when_it_renews(engine: FleetEngine) -> None:
    engine.submit([task("a")])
    ticket = take(engine).ticket
    engine.cancel("a", by="ada")
    assert engine.renew(ticket) == "cancelled"
    with pytest.raises(StaleAttemptError):
        engine.finish(ticket, DONE)
    assert status(engine) is TaskStatus.FAILED
    with pytest.raises(TaskStatusError):
        engine.cancel("a")


def test_a_failed_attempt_is_tried_again_until_its_last_one(engine: FleetEngine) -> None:
    engine.submit([task("a")])
    engine.finish(take(engine).ticket, FAILED)
    assert status(engine) is TaskStatus.PENDING
    engine.finish(take(engine).ticket, FAILED)
    assert status(engine) is TaskStatus.FAILED
    assert engine.claim(worker()) is None


def test_a_task_whose_attempts_are_lost_again_and_again_is_blocked(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    engine.submit([task("a")])
    for _ in range(RULES.max_expiries):
        take(engine)
        clock.now += PAST
    assert engine.claim(worker()) is None
    found = engine.state().tasks["a"]
    assert found.status is TaskStatus.BLOCKED
    assert "3 attempts were lost" in found.says


def test_a_blocked_task_can_be_released(engine: FleetEngine, clock: SteppedClock) -> None:
    engine.submit([task("a")])
    engine.finish(take(engine).ticket, AttemptResult(outcome=AttemptOutcome.BLOCKED, says="no key"))
    assert engine.claim(worker()) is None
    engine.record(events.TaskReleased(clock(), "a"))
    assert take(engine).ticket.attempt == 2


def test_nothing_is_claimed_while_dispatch_is_closed_even_after_a_restart(
    engine: FleetEngine, clock: SteppedClock, restart: Restart
) -> None:
    engine.submit([task("a")])
    engine.record(events.DispatchClosed(clock(), "ada"))
    assert engine.claim(worker()) is None
    again = restart()
    assert again.claim(worker()) is None
    again.record(events.DispatchOpened(clock()))
    assert again.claim(worker()) is not None


def test_after_a_restart_nothing_expires_for_one_lease(
    engine: FleetEngine, clock: SteppedClock, restart: Restart
) -> None:
    engine.submit([task("a")])
    ticket = take(engine).ticket
    clock.now += 10 * RULES.lease_seconds  # the daemon was away for long
    again = restart()
    assert again.claim(worker("other")) is None
    assert again.renew(ticket) == "held"
    clock.now += PAST
    assert again.claim(worker("other")) is not None


def test_a_restart_loses_nothing(engine: FleetEngine, restart: Restart) -> None:
    engine.submit([task("a"), task("b", "a")])
    engine.finish(take(engine).ticket, DONE)
    take(engine)
    assert restart().state() == engine.state()


def test_an_unknown_task_is_said_to_be_unknown(engine: FleetEngine, clock: SteppedClock) -> None:
    with pytest.raises(UnknownTaskError, match="nobody"):
        engine.cancel("nobody")
    with pytest.raises(UnknownTaskError):
        engine.record(events.TaskReleased(clock(), "nobody"))


def test_two_workers_at_once_never_get_the_same_task(engine: FleetEngine) -> None:
    engine.submit([task(f"t{n}") for n in range(40)])
    taken: list[str] = []

    def work() -> None:
        while claim := engine.claim(worker(), next(_slots)):
            taken.append(claim.ticket.task)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(taken) == sorted(f"t{n}" for n in range(40))


def test_an_attempt_hears_that_it_may_begin_no_iteration_while_dispatch_is_closed(
    engine: FleetEngine, restart: Restart, clock: SteppedClock
) -> None:
    engine.submit([task("a")])
    ticket = take(engine).ticket
    engine.record(events.DispatchClosed(clock(), "ada", "lunch"))
    assert engine.renew(ticket) == "paused"
    again = restart()
    assert again.renew(ticket) == "paused"
    assert (again.state().closed_by, again.state().closed_says) == ("ada", "lunch")
    again.record(events.DispatchOpened(clock()))
    assert again.renew(ticket) == "held"


def test_a_preferred_task_is_claimed_first_and_once(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    engine.submit([task("a", priority=9), task("b")])
    engine.record(events.TaskPreferred(clock(), "b", "ada"))
    claim = take(engine)
    assert claim.ticket.task == "b"
    engine.give_back(claim.ticket, "enough", counts=False)
    assert take(engine).ticket.task == "a"


def test_a_fleet_that_was_given_up_begins_anew_with_its_next_scheduler(
    engine: FleetEngine, restart: Restart, clock: SteppedClock
) -> None:
    engine.submit([task("a")])
    engine.record(events.FleetBegun(clock(), "fleet-1"))
    engine.record(events.DispatchClosed(clock(), "ada", given_up=True))
    again = restart()
    assert again.state().given_up
    assert again.claim(worker(), 1) is None
    again.record(events.FleetBegun(clock(), "fleet-2"))
    assert again.state().run == "fleet-2"
    assert again.claim(worker(), 1) is not None


def test_a_paused_fleet_stays_paused_for_its_next_scheduler(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    engine.submit([task("a")])
    engine.record(events.DispatchClosed(clock(), "ada"))
    engine.record(events.FleetBegun(clock(), "fleet-1"))
    assert engine.claim(worker(), 1) is None


def test_an_overview_is_the_state_without_long_histories(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    engine.submit([task("a")])
    ticket = take(engine).ticket
    for number in range(1, 21):
        engine.note(events.TaskAudited(clock(), "a", ticket.attempt, "iteration", iteration=number))
    short, whole = engine.overview(), engine.state()
    assert [each.iteration for each in short.tasks["a"].audit] == [16, 17, 18, 19, 20]
    short.tasks["a"].audit = whole.tasks["a"].audit
    assert short == whole


def asked(engine: FleetEngine, text: str = "Which?", attempt: int = 1) -> None:
    engine.note(events.QuestionAsked(5.0, "a", attempt, text, until=65.0))


def test_one_task_can_be_looked_at(engine: FleetEngine) -> None:
    engine.submit([task("a"), task("b")])
    take(engine)
    assert engine.look_at("a") == engine.state().tasks["a"]
    with pytest.raises(UnknownTaskError):
        engine.look_at("c")


def test_questions_are_numbered_and_one_asked_twice_is_one(engine: FleetEngine) -> None:
    engine.submit([task("a")])
    take(engine)
    for text in ("Which?", "Which?", "Why?"):
        asked(engine, text)
    found = engine.look_at("a").questions
    assert [(each.number, each.text, each.until) for each in found] == [
        (1, "Which?", 65.0),
        (2, "Why?", 65.0),
    ]


def test_the_answer_of_a_person_counts_before_and_after_the_time_out(engine: FleetEngine) -> None:
    engine.submit([task("a")])
    take(engine)
    asked(engine, "Which?")
    asked(engine, "Why?")
    engine.record(events.QuestionAnswered(6.0, "a", 1, "This one.", "ada"))
    for number in (1, 2):
        engine.note(events.QuestionTimedOut(7.0, "a", 1, number, "Decide yourself."))
    which, why = engine.look_at("a").questions
    assert (which.answer, which.by, which.needs_person) == ("This one.", "ada", False)
    assert (why.answer, why.is_default, why.needs_person) == ("Decide yourself.", True, True)
    engine.record(events.QuestionAnswered(8.0, "a", 2, "Because.", "ada"))
    assert not engine.look_at("a").questions[1].needs_person


def test_a_question_of_an_attempt_that_is_over_is_refused(engine: FleetEngine) -> None:
    engine.submit([task("a")])
    engine.give_back(take(engine).ticket, "its driver ended")
    take(engine)
    with pytest.raises(StaleAttemptError):
        asked(engine)
    assert engine.look_at("a").questions == []


def test_who_releases_a_task_closes_its_questions_and_they_survive_a_restart(
    engine: FleetEngine, restart: Restart
) -> None:
    engine.submit([task("a")])
    ticket = take(engine).ticket
    asked(engine)
    engine.finish(ticket, AttemptResult(outcome=AttemptOutcome.BLOCKED, says="Which?"))
    engine.record(events.TaskReleased(9.0, "a"))
    (left,) = restart().look_at("a").questions
    assert left.is_closed
    assert not left.needs_person
