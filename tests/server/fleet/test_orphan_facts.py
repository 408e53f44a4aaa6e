"""What is seen of a lost attempt in real worktrees, and what becomes of the task."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from handrail.config.fleet import Fleet
from handrail.fleet.engine.engine import Claim, Ticket
from handrail.fleet.engine.events import AttemptOutcome, Lease, TaskAudited
from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.engine.lease_clock import this_machine
from handrail.fleet.recovery.orphans import OrphanAction, OrphanDecision
from handrail.fleet.tasks.task import Task
from handrail.fleet.workspaces.repository import find_repository
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.server.fleet.slot_work import LocalSlotWork
from handrail.server.home import Home
from tests.fleet.task_repository import TaskRepository

pytestmark = pytest.mark.slow

RUN = "b5f5c0aa-0000-4000-8000-000000000001"
SAID_DONE = TaskAudited(2.0, "a", 1, "iteration", iteration=1, end="COMPLETE", run=RUN)


class LostTask:
    """A task with a set-up workspace, whose first attempt was lost."""

    def __init__(self, root: Path) -> None:
        self.repository = TaskRepository(root)
        self.workspaces = self.repository.workspaces
        made = self.workspaces.create("a")
        self.workspace: Workspace = self.workspaces.mark_set_up(made)
        self.work = LocalSlotWork(
            Home(str(root / "state")),
            find_repository(str(self.repository.tree)),
            self.workspaces,
            Fleet(),
            this_machine(),
            self.repository.environ,
        )
        self.state = TaskState(Task(id="a", prompt="p"), attempt=2, run=RUN, open_run=RUN)
        self.state.lease = Lease(owner="one", attempt=2)

    def claim(self, *needs: str) -> Claim:
        return Claim(Ticket("a", 2), self.state, needs=needs)

    def judge(self, *needs: str) -> OrphanDecision:
        return asyncio.run(self.work.judge(self.claim(*needs), 1))

    def verify_with(self, command: str) -> None:
        self.state.task = msgspec.structs.replace(self.state.task, verify=command)

    def keep_session(self) -> None:
        """Leave a transcript, as Claude Code does."""
        self.repository.write(f".claude/projects/-w/{RUN}.jsonl", "{}\n", at=self.repository.home)

    def commit(self) -> str:
        self.repository.write("new.py", "1\n", at=self.workspace.path)
        return self.repository.commit("work", at=self.workspace.path)


@pytest.fixture
def lost(tmp_path: Path) -> LostTask:
    return LostTask(tmp_path)


def test_a_session_with_a_transcript_goes_on(lost: LostTask) -> None:
    lost.keep_session()
    lost.commit()
    decided = lost.judge()
    assert (decided.action, decided.rule) == (OrphanAction.RESUME, "session")
    assert "Its workspace holds work." in decided.evidence


def test_without_a_transcript_a_new_session_starts_in_the_same_workspace(lost: LostTask) -> None:
    decided = lost.judge()
    assert (decided.action, decided.keeps_workspace) == (OrphanAction.REQUEUE, True)
    assert "The host cannot go on with its session." in decided.evidence


def test_a_session_does_not_go_on_after_a_person_or_a_result_has_ended_it(lost: LostTask) -> None:
    lost.keep_session()
    lost.state.open_run = ""
    assert lost.judge().rule == "new session"


def test_without_a_workspace_the_task_begins_anew(lost: LostTask) -> None:
    lost.keep_session()
    lost.workspaces.remove(lost.workspace)
    assert lost.judge().rule == "no workspace"


@pytest.mark.parametrize(
    ("command", "rule"), [("", "finished"), ("test -f new.py", "finished"), ("false", "session")]
)
def test_an_agent_that_had_finished_is_not_sent_again_if_its_work_passes(
    lost: LostTask, command: str, rule: str
) -> None:
    lost.keep_session()
    lost.verify_with(command)
    lost.repository.write("new.py", "1\n", at=lost.workspace.path)
    lost.state.audit = [SAID_DONE]
    decided = lost.judge()
    assert decided.rule == rule
    if decided.action is OrphanAction.CLOSE:
        result = asyncio.run(lost.work.conclude(lost.claim()))
        assert (result.outcome, result.verified) == (AttemptOutcome.DONE, bool(command))
        assert result.commit == lost.repository.head("handrail/a") != lost.workspace.base


def test_the_word_of_another_run_does_not_count(lost: LostTask) -> None:
    lost.state.audit = [msgspec.structs.replace(SAID_DONE, run="another")]
    assert lost.judge().rule == "new session"


@pytest.mark.parametrize(("command", "rule"), [("", "merged"), ("false", "new session")])
def test_work_that_a_person_has_merged_meanwhile_is_done_if_it_passes(
    lost: LostTask, command: str, rule: str
) -> None:
    lost.verify_with(command)
    commit = lost.commit()
    assert lost.judge().rule == "new session"
    lost.repository.git("merge", "-q", "--no-ff", "-m", "by hand", commit)
    assert lost.judge().rule == rule


def test_a_workspace_without_work_whose_base_is_stale_is_replaced(lost: LostTask) -> None:
    lost.keep_session()
    needed = new_work_of_another_task(lost)
    decided = lost.judge(needed)
    assert (decided.rule, decided.keeps_workspace) == ("stale base", False)
    prepared = asyncio.run(lost.work.prepare(lost.claim(needed), 1, fresh=True))
    assert (Path(prepared.path) / "api.py").exists()
    assert lost.judge(needed).rule == "session", "the new one holds it"


def test_work_on_a_stale_base_waits_for_a_person(lost: LostTask) -> None:
    lost.keep_session()
    lost.commit()
    decided = lost.judge(new_work_of_another_task(lost))
    assert (decided.action, decided.rule) == (OrphanAction.PARK, "stale work")


def test_other_changes_of_the_target_branch_are_left_to_the_merge(lost: LostTask) -> None:
    lost.keep_session()
    lost.repository.write("other.py", "1\n")
    lost.repository.commit("of a person")
    assert lost.judge().rule == "session"


def new_work_of_another_task(lost: LostTask) -> str:
    """The commit of a dependency that was done anew after the workspace had begun."""
    other = lost.workspaces.create("api")
    lost.repository.write("api.py", "2\n", at=other.path)
    return lost.repository.commit("api", at=other.path)
