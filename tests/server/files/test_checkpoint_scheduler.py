"""When files are saved, who waits for it, and whose work it was."""

import asyncio
import itertools
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointRecord, ConversationPosition
from handrail.checkpoint.errors import CheckpointError
from handrail.model import Action, Decision, Verdict
from handrail.model.action import Outcome
from handrail.model.event import CheckpointTaken, FaultNoted, IterationEnded, RunStarted, TaskNoted
from handrail.server.files.checkpoint_scheduler import CODE_SECONDS
from handrail.supervise.decision.checkpoint_request import CheckpointResult
from handrail.supervise.decision.decision_progress import CheckpointNeeded
from handrail.supervise.followup.breach import EndedCall
from tests.server.checkpoint_setup import RUN, CheckpointSetup, prompt
from tests.supervise.ready import ready

pytestmark = pytest.mark.slow

UNDO_ME = "find . -name 'cart*' -delete"
"""Let through only because a checkpoint can undo it."""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[CheckpointSetup]:
    workshop = CheckpointSetup(tmp_path)
    yield workshop
    workshop.close()


def records(shop: CheckpointSetup) -> list[CheckpointRecord]:
    """The oldest first."""
    return [*shop.scheduler.checkpoints(str(shop.tree)).newest_first()][::-1]


def bash(shop: CheckpointSetup, command: str, number: int = 1) -> Action:
    return Action("Bash", {"command": command}, str(shop.tree), id=f"t{number}")


def decide(shop: CheckpointSetup, action: Action) -> Verdict:
    """What a daemon does about an action: it saves first where that is needed."""
    progress = shop.run.decide(action)
    if isinstance(progress, CheckpointNeeded):
        saved = save(progress)
        shop.settle()
        progress = progress.proceed(saved)
    return ready(progress).wait()


def save(needed: CheckpointNeeded[Verdict]) -> CheckpointResult:
    async def work() -> CheckpointResult:
        return await needed.save()

    return asyncio.run(work())


def waits(shop: CheckpointSetup, action: Action) -> bool:
    return isinstance(shop.run.decide(action), CheckpointNeeded)


class NeverEnds:
    """Work that goes on until it is told to end."""

    def __init__(self) -> None:
        self.over = threading.Event()

    def __call__(self) -> None:
        self.over.wait(60)


@pytest.fixture
def busy(shop: CheckpointSetup) -> Iterator[None]:
    """Files are just being saved."""
    work = NeverEnds()
    shop.scheduler.put(str(shop.tree), work)
    yield
    work.over.set()


def rest(shop: CheckpointSetup) -> None:
    shop.record(IterationEnded(shop.time, "Done."))


def test_what_an_agent_did_is_its_own_and_what_a_person_did_is_not(shop: CheckpointSetup) -> None:
    shop.record(prompt())
    (shop.tree / "cart.txt").write_text("by the agent\n")
    rest(shop)
    (shop.tree / "cart.txt").write_text("by a person\n")
    shop.record(prompt("Go on."))
    found = [(record.moment.value, record.by) for record in records(shop)]
    assert found == [("prompt", ()), ("iteration_end", (RUN,)), ("prompt", ())]


def test_a_daemon_that_was_started_in_the_middle_knows_whose_work_it_is(
    shop: CheckpointSetup,
) -> None:
    shop.act(1)
    assert [record.by for record in records(shop)] == [(RUN,)]


def test_files_are_saved_when_the_agent_rests(shop: CheckpointSetup) -> None:
    shop.record(prompt())
    (shop.tree / "cart.txt").write_text("four apples\n")
    rest(shop)
    assert [record.moment.value for record in records(shop)] == ["prompt", "iteration_end"]


@pytest.mark.parametrize(("attended", "saved"), [(False, ["unattended"]), (True, [])])
def test_files_are_saved_before_a_run_that_nobody_watches(
    shop: CheckpointSetup, attended: bool, saved: list[str]
) -> None:
    tree = str(shop.tree)
    shop.record(RunStarted(shop.time, "claude", tree, source="startup", attended=attended))
    assert [record.moment.value for record in records(shop)] == saved


def test_before_a_file_is_overwritten_it_is_saved_and_afterwards_too(shop: CheckpointSetup) -> None:
    action = bash(shop, "echo four apples > cart.txt")
    assert decide(shop, action).decision is Decision.ALLOW
    (shop.tree / "cart.txt").write_text("four apples\n")
    shop.run.after(EndedCall(action, Outcome(ok=True)))
    shop.settle()
    before, after = records(shop)
    assert (before.moment.value, before.steps) == ("before_action", {RUN: 0})
    assert (after.moment.value, after.steps) == ("after_action", {RUN: 1})
    assert before.why == "before Bash: echo four apples > cart.txt"


def test_what_only_a_checkpoint_can_undo_runs_behind_one(shop: CheckpointSetup) -> None:
    verdict = decide(shop, bash(shop, UNDO_ME))
    assert verdict.decision is Decision.WARN
    assert "Checkpoint c1" in verdict.reason


def test_it_is_refused_where_none_can_be_taken(shop: CheckpointSetup) -> None:
    Path(shop.home.path).mkdir(parents=True, exist_ok=True)
    (Path(shop.home.path) / "checkpoints").write_text("in the way")
    verdict = decide(shop, bash(shop, UNDO_ME))
    assert verdict.decision is Decision.BLOCK
    assert "No checkpoint could be taken first" in verdict.reason


def test_it_is_refused_where_no_checkpoint_holds_what_it_deletes(shop: CheckpointSetup) -> None:
    (shop.tree / ".gitignore").write_text("cart.own\n")
    (shop.tree / "cart.own").write_text("precious\n")
    verdict = decide(shop, bash(shop, UNDO_ME))
    assert verdict.decision is Decision.BLOCK
    assert f"no checkpoint holds {shop.tree}/cart.own" in verdict.reason


def test_what_it_does_not_delete_need_not_be_held(shop: CheckpointSetup) -> None:
    (shop.tree / ".gitignore").write_text("shop.own\n")
    (shop.tree / "shop.own").write_text("precious\n")
    assert decide(shop, bash(shop, UNDO_ME)).decision is Decision.WARN


def test_the_same_call_twice_is_saved_for_once(shop: CheckpointSetup) -> None:
    action = bash(shop, UNDO_ME)
    assert decide(shop, action) == decide(shop, action)
    assert len(records(shop)) == 1


def test_before_code_that_nobody_knows_files_are_saved_if_they_may_have_changed(
    shop: CheckpointSetup,
) -> None:
    action = bash(shop, "make")
    assert decide(shop, action).decision is Decision.ALLOW
    shop.run.after(EndedCall(action, Outcome(ok=True)))
    shop.settle()
    assert not waits(shop, bash(shop, "make test", 2))
    shop.run.before(write(shop))
    assert waits(shop, bash(shop, "make all", 3))


def test_before_code_files_are_saved_now_and_then_because_people_change_them_too(
    shop: CheckpointSetup,
) -> None:
    decide(shop, bash(shop, "make"))
    assert not waits(shop, bash(shop, "make test", 2))
    shop.record(prompt())
    shop.time += CODE_SECONDS
    assert waits(shop, bash(shop, "make check", 3))


def test_where_saving_is_slow_not_every_change_waits_for_it(
    shop: CheckpointSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = itertools.count(0.0, 3.0)
    monkeypatch.setattr(
        "handrail.server.files.checkpoint_scheduler.perf_counter", lambda: next(ticks)
    )
    decide(shop, bash(shop, "echo 1 > cart.txt"))
    assert not waits(shop, bash(shop, "echo 2 > cart.txt", 2))
    assert waits(shop, bash(shop, UNDO_ME, 3))
    shop.time += 30
    assert waits(shop, bash(shop, "echo 4 > cart.txt", 4))


def write(shop: CheckpointSetup) -> Action:
    given: dict[str, object] = {"file_path": f"{shop.tree}/cart.txt", "content": "x"}
    return Action("Write", given, str(shop.tree), id="t9")


def test_a_file_tool_waits_for_nothing(shop: CheckpointSetup) -> None:
    (shop.tree / "cart.txt").unlink()
    assert not waits(shop, write(shop))


@pytest.mark.usefixtures("busy")
def test_a_file_tool_waits_for_what_is_under_way(shop: CheckpointSetup) -> None:
    assert waits(shop, write(shop))


def test_nobody_waits_longer_than_the_soft_limit_for_what_need_not_be_saved(
    tmp_path: Path,
) -> None:
    shop = CheckpointSetup(tmp_path, "checkpoints: {soft_seconds: 0.01}\n")
    work = NeverEnds()
    shop.scheduler.put(str(shop.tree), work)
    action = bash(shop, "echo x > cart.txt")
    needed = shop.run.decide(action)
    assert isinstance(needed, CheckpointNeeded)
    saved = save(needed)
    assert (saved.checkpoint, "0.01 s" in saved.problem) == ("", True)
    assert ready(needed.proceed(saved)).value.decision is Decision.ALLOW
    work.over.set()
    shop.close()


def test_where_checkpoints_are_switched_off_nobody_waits(tmp_path: Path) -> None:
    shop = CheckpointSetup(tmp_path, "checkpoints: {enabled: false}\n")
    assert not waits(shop, bash(shop, "make"))
    verdict = decide(shop, bash(shop, UNDO_ME, 2))
    shop.close()
    assert verdict.decision is Decision.BLOCK


def test_secrets_do_not_get_into_why_it_was_saved(shop: CheckpointSetup) -> None:
    token = "ghp_" + "a1B2" * 9
    decide(shop, bash(shop, f"echo {token} > cart.txt"))
    assert token not in records(shop)[0].why


def test_a_checkpoint_knows_the_goal_the_iteration_and_the_conversation(
    shop: CheckpointSetup,
) -> None:
    shop.record(prompt("Fix the cart."))
    [record] = records(shop)
    assert record.state_snapshot is not None
    assert record.state_snapshot.last_prompt == "Fix the cart."
    assert [(each.id, each.iteration) for each in record.agent_states] == [(RUN, 1)]
    assert record.case_states == {RUN: "active"}


def test_where_the_conversation_is_is_asked_at_once_and_not_when_files_are_saved(
    tmp_path: Path,
) -> None:
    places = iter(("m7", "m8"))
    shop = CheckpointSetup(
        tmp_path, conversation=lambda host, run: ConversationPosition(host, run, next(places))
    )
    shop.record(prompt())
    shop.close()
    assert records(shop)[0].conversation == ConversationPosition("claude", RUN, "m7")


def test_of_one_checkpoint_a_run_hears_once(shop: CheckpointSetup) -> None:
    tree = str(shop.tree)
    shop.run.record(RunStarted(shop.time, "claude", tree, source="startup"))
    shop.run.record(prompt())
    shop.settle()
    assert len(shop.all(CheckpointTaken)) == 1


def test_another_run_in_the_same_tree_hears_of_the_checkpoint_that_is_its_too(
    shop: CheckpointSetup,
) -> None:
    shop.record(prompt())
    other = shop.runs.get("other", str(shop.tree))
    other.record(RunStarted(shop.time, "claude", str(shop.tree)))
    other.record(prompt("Something else."))
    shop.scheduler.settle()
    taken = [event for event in shop.late if isinstance(event, CheckpointTaken)]
    assert [event.checkpoint.run for event in taken] == ["other"]


def test_a_bug_in_saving_refuses_what_must_be_saved_and_ends_nothing(
    shop: CheckpointSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise CheckpointError("a bug")

    monkeypatch.setattr("handrail.checkpoint.save.writer.CheckpointWriter.save", broken)
    assert decide(shop, bash(shop, UNDO_ME)).decision is Decision.BLOCK
    [fault] = [event for event in shop.events() if isinstance(event, FaultNoted)]
    assert fault.kind == "checkpoint"


def test_after_so_many_completed_tasks_files_are_saved(tmp_path: Path) -> None:
    shop = CheckpointSetup(tmp_path, "checkpoints: {every_tasks: 2}\n")
    shop.record(prompt())
    for number in range(1, 4):
        (shop.tree / "cart.txt").write_text(f"{number}\n")
        shop.record(TaskNoted(shop.time, f"task-{number}", "pending"))
        shop.record(TaskNoted(shop.time, f"task-{number}", "done"))
    shop.close()
    _, after = records(shop)
    assert (after.moment.value, after.why) == ("tasks", "after 2 tasks")
    assert after.case_states == {"task-1": "done", "task-2": "done"}


def test_a_checkpoint_that_an_action_did_not_wait_for_says_so(tmp_path: Path) -> None:
    shop = CheckpointSetup(tmp_path, "checkpoints: {soft_seconds: 0.01}\n")
    shop.record(prompt())
    (shop.tree / "cart.txt").write_text("four apples\n")
    work = NeverEnds()
    shop.scheduler.put(str(shop.tree), work)
    needed = shop.run.decide(bash(shop, "echo x > cart.txt"))
    assert isinstance(needed, CheckpointNeeded)
    save(needed)
    (shop.tree / "cart.txt").write_text("x\n")  # it has run
    work.over.set()
    shop.settle()
    shop.scheduler.rest(shop.run, "the agent has stopped")
    shop.settle()
    found = [(record.moment.value, record.late) for record in records(shop)]
    assert found == [("prompt", False), ("before_action", True), ("iteration_end", False)]
    shop.close()
