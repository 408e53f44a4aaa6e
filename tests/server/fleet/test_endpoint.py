"""The engine of a fleet behind a real daemon."""

import subprocess

import pytest

from handrail.fleet.engine import FleetError, StaleAttemptError, Worker
from handrail.fleet.events import AttemptOutcome, AttemptResult
from handrail.fleet.repository import find_repository
from handrail.fleet.requests import RemoteFleetEngine
from handrail.fleet.task import Task, TaskStatus
from handrail.server.fleet.client import remote_engine
from handrail.server.fleet.places import DISPATCH
from handrail.server.http.socket_client import call_daemon
from tests.server.daemon_sandbox import DaemonSandbox

pytestmark = pytest.mark.slow
WORKER = Worker(owner="w", host="here")


@pytest.fixture
def engine(place: DaemonSandbox) -> RemoteFleetEngine:
    subprocess.run(["git", "init", "-q", str(place.project)], check=True)
    return remote_engine(place.home, str(place.project), place.environ)


def test_a_killed_daemon_loses_neither_tasks_nor_claims(
    place: DaemonSandbox, engine: RemoteFleetEngine
) -> None:
    engine.submit([Task(id="a", prompt="do a"), Task(id="b", prompt="do b", depends_on=("a",))])
    claim = engine.claim(WORKER)
    assert claim is not None
    place.kill()
    assert engine.renew(claim.ticket) == "held"
    assert engine.claim(WORKER, 1) is None
    engine.finish(claim.ticket, AttemptResult(outcome=AttemptOutcome.DONE))
    place.kill()
    assert engine.state().tasks["a"].status is TaskStatus.DONE
    after = engine.claim(WORKER, 1)
    assert after is not None
    assert after.ticket.task == "b"


def test_a_refusal_arrives_as_the_error_that_it_is(engine: RemoteFleetEngine) -> None:
    engine.submit([Task(id="a", prompt="do a")])
    claim = engine.claim(WORKER)
    assert claim is not None
    engine.give_back(claim.ticket, "enough")
    with pytest.raises(StaleAttemptError, match="attempt 1 at a does not count"):
        engine.give_back(claim.ticket, "enough")


def test_all_worktrees_of_a_repository_share_one_fleet(
    place: DaemonSandbox, engine: RemoteFleetEngine
) -> None:
    git = ["git", "-C", str(place.project), "-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    other = place.root / "home" / "other"
    subprocess.run([*git, "worktree", "add", "-q", str(other)], check=True)
    engine.submit([Task(id="a", prompt="do a")])
    assert list(remote_engine(place.home, str(other), place.environ).state().tasks) == ["a"]


def test_a_folder_without_git_has_no_fleet(place: DaemonSandbox) -> None:
    folder = place.root / "home" / "plain"
    folder.mkdir()
    with pytest.raises(FleetError, match="git init"):
        remote_engine(place.home, str(folder), place.environ).state()


def test_secrets_of_the_project_do_not_reach_the_log(
    place: DaemonSandbox, engine: RemoteFleetEngine
) -> None:
    (place.project / ".env").write_text("API_KEY=hunter2-hunter2-hunter2\n")
    engine.submit([Task(id="a", prompt="use hunter2-hunter2-hunter2", verify="make test")])
    task = engine.state().tasks["a"].task
    assert "hunter2" not in task.prompt
    assert task.verify == "make test"


def test_the_dispatch_of_all_fleets_is_closed_and_opened_at_once_even_after_a_restart(
    place: DaemonSandbox, engine: RemoteFleetEngine
) -> None:
    engine.submit([Task(id="a", prompt="do a")])
    close = {"open": False, "by": "ada", "says": "lunch"}
    name = find_repository(str(place.project)).fleet
    assert call_daemon(place.home, "POST", DISPATCH, close) == {"fleets": [name]}
    assert engine.claim(WORKER) is None
    place.kill()
    assert engine.claim(WORKER) is None
    assert call_daemon(place.home, "POST", DISPATCH, close) == {"fleets": []}
    assert call_daemon(place.home, "POST", DISPATCH, {"open": True}) == {"fleets": [name]}
    assert engine.claim(WORKER) is not None
