"""Checkpoints and rollbacks of a fleet, by a real daemon."""

import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from time import time

import msgspec
import pytest

from handrail.fleet.engine.engine import Worker
from handrail.fleet.engine.events import (
    DriverStarted,
)
from handrail.fleet.rollback.journal import RollbackOrder
from handrail.fleet.tasks.task import TaskStatus
from handrail.hosts.driven_agent import MARK
from handrail.intervene.processes.process_tree import start_time_of_pid
from handrail.server.fleet.rollback_messages import PREVIEW, ROLL_BACK, SAVE
from handrail.server.http.socket_client import DaemonError, RefusedError
from tests.server.daemon_sandbox import PATIENCE, DaemonSandbox
from tests.server.fleet.saved_fleet import SavedFleet, until

pytestmark = pytest.mark.slow


@pytest.fixture
def fleet(place: DaemonSandbox) -> SavedFleet:
    place.start()
    return SavedFleet(place)


def test_a_rollback_takes_files_and_tasks_back_and_a_redo_brings_them_back(
    fleet: SavedFleet,
) -> None:
    fleet.submit("a", "b")
    fleet.finish()
    saved = fleet.ask(SAVE, name="start")
    assert saved["caseStates"] == {"a": "done", "b": "pending"}
    fleet.finish()
    (fleet.tree / "new.txt").write_text("since\n")
    seen = fleet.ask(PREVIEW, checkpoint="start")
    assert seen["doneSince"] == ["b"]
    done = fleet.ask(ROLL_BACK, checkpoint="start")
    assert done["problems"] == []
    assert fleet.statuses() == {"a": "done", "b": "pending"}
    assert not (fleet.tree / "new.txt").exists()
    assert not fleet.workspaces.of_task("b")
    assert fleet.ask(ROLL_BACK, redo=True)["problems"] == []
    assert fleet.statuses() == {"a": "done", "b": "done"}
    assert (fleet.tree / "new.txt").read_text() == "since\n"
    assert (Path(fleet.workspaces.of_task("b")[0].path) / "b.txt").read_text() == "done\n"
    with pytest.raises(RefusedError, match="NOTHING_TO_REDO"):
        fleet.ask(ROLL_BACK, redo=True)


def test_a_rollback_ends_the_processes_of_every_agent(fleet: SavedFleet) -> None:
    fleet.submit("a")
    fleet.ask(SAVE, name="start")
    claim, path = fleet.claim()
    run = "0b54bd0e-8cd7-4a61-9b0c-1f4fd6a5e9a1"
    code = "import sys; print('here', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=path,
        env={**fleet.place.environ, MARK: run},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as agent:
        assert agent.stdout is not None
        agent.stdout.readline()
        began = start_time_of_pid(agent.pid)
        ticket = claim.ticket
        fleet.engine.note(DriverStarted(time(), "a", ticket.attempt, run, agent.pid, began))
        answers: list[dict[str, object]] = []
        asking = threading.Thread(
            target=lambda: answers.append(fleet.ask(ROLL_BACK, checkpoint="start"))
        )
        asking.start()
        assert agent.wait(PATIENCE) != 0
        asking.join()
    assert answers[0]["stopped"] == ["a"]
    assert fleet.statuses() == {"a": "pending"}
    assert fleet.engine.renew(ticket) == "lost"


def test_every_fifth_completed_task_takes_a_checkpoint(fleet: SavedFleet) -> None:
    fleet.submit(*"abcde")
    for _ in range(4):
        fleet.finish()
    assert fleet.files.names() == []
    last = fleet.finish()
    until(lambda: bool(fleet.files.names()))
    found = fleet.files.newest_first()[0]
    assert found.label == f"after-task-{last}"
    assert found.done == 5
    assert len(found.trees) == 6


def test_unknown_and_damaged_checkpoints_are_named_with_a_code(fleet: SavedFleet) -> None:
    with pytest.raises(RefusedError, match=r"no checkpoint 'x'.*\(CHECKPOINT_NOT_FOUND\)"):
        fleet.ask(PREVIEW, checkpoint="x")
    name = str(fleet.ask(SAVE, name="start")["name"])
    (Path(fleet.files.folder) / f"{name}.json").write_bytes(b"{}")
    with pytest.raises(RefusedError, match=r"\(CHECKPOINT_DAMAGED\)"):
        fleet.ask(ROLL_BACK, checkpoint=name)


def test_nobody_claims_a_task_while_a_rollback_is_under_way(fleet: SavedFleet) -> None:
    fleet.submit("a")
    fleet.journal.begin(RollbackOrder(id="1", top=str(fleet.tree), target="x", before="y"))
    assert fleet.engine.claim(Worker(owner="w", host="h")) is None
    fleet.journal.abort()
    assert fleet.engine.claim(Worker(owner="w", host="h")) is not None


def test_the_next_daemon_finishes_a_rollback(fleet: SavedFleet) -> None:
    fleet.submit("a")
    fleet.ask(SAVE, name="start")
    fleet.finish()
    target = fleet.files.find("start").name
    order = RollbackOrder(id="1", top=str(fleet.tree), target=target, before="before-rollback-1")
    fleet.journal.begin(order)
    fleet.place.kill()
    fleet.place.start()
    until(lambda: not fleet.journal.is_open)
    assert fleet.statuses() == {"a": "pending"}
    assert not fleet.workspaces.of_task("a")


def test_a_daemon_killed_during_a_rollback_leaves_all_or_nothing(fleet: SavedFleet) -> None:
    fleet.submit("a", "b")
    fleet.finish()
    fleet.ask(SAVE, name="start")
    fleet.finish()
    (fleet.tree / "new.txt").write_text("since\n")

    def ask() -> None:
        with suppress(DaemonError):
            fleet.ask(ROLL_BACK, checkpoint="start")

    asking = threading.Thread(target=ask)
    asking.start()
    until(lambda: fleet.journal.is_open or not asking.is_alive())
    fleet.place.kill()
    asking.join()
    fleet.place.start()
    until(lambda: not fleet.journal.is_open)
    assert fleet.statuses() == {"a": "done", "b": "pending"}
    assert not (fleet.tree / "new.txt").exists()
    assert fleet.engine.state().tasks["b"].status is TaskStatus.PENDING
    last = msgspec.to_builtins(fleet.journal.last())
    assert str(last["target"]).startswith("start-")
