"""What a run needs done beside the brain: checkpoints, rollbacks, stops, messages."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import psutil
import pytest

from handrail.hosts.claude.profile import PROFILE
from handrail.intervene.incidents.folders import IncidentFolders
from handrail.intervene.processes.process_tree import EndedProcesses as Gone
from handrail.model import Action, Decision, Finding, Review, Severity
from handrail.model.effect import Effect, Kind
from handrail.model.event import (
    ApprovalAsked,
    CheckpointTaken,
    CleanedUp,
    FaultNoted,
    FindingMade,
    IncidentResolved,
    Intervened,
    RolledBack,
    RunStarted,
    StopConfirmed,
    TaskNoted,
    UsageSampled,
)
from handrail.model.intervention import Intervention, InterventionName
from handrail.model.ordinal import Undo
from handrail.model.review import Rationality, Risk
from handrail.server.files.checkpoint_scheduler import CHECKPOINT_STEPS
from handrail.server.files.work_tree_state import CHECKPOINT_SECONDS
from handrail.supervise.runs.project import Projects
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.words.times import moment
from tests.server.checkpoint_setup import LOOP, NOTIFY, RUN, CheckpointSetup, prompt

pytestmark = pytest.mark.slow

_SESSION = PROFILE.session_variable


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[CheckpointSetup]:
    workshop = CheckpointSetup(tmp_path)
    yield workshop
    workshop.close()


def test_files_are_saved_before_a_prompt(shop: CheckpointSetup) -> None:
    shop.record(prompt())
    [taken] = shop.all(CheckpointTaken)
    assert isinstance(taken, CheckpointTaken)
    assert (taken.checkpoint.why, taken.files) == ("prompt: Fix the cart.", 1)


def test_an_unchanged_tree_is_not_saved_again(shop: CheckpointSetup) -> None:
    shop.record(prompt())
    shop.record(prompt("Go on."))
    assert len(shop.checkpoints()) == 1


def test_in_a_long_run_files_are_saved_now_and_then(shop: CheckpointSetup) -> None:
    shop.record(prompt())
    for number in range(1, 2 * CHECKPOINT_STEPS):
        (shop.tree / "cart.txt").write_text(f"{number} apples\n")
        shop.time += CHECKPOINT_SECONDS / CHECKPOINT_STEPS
        shop.act(number)
    assert [each.step for each in shop.run.state.course.checkpoints] == [0, CHECKPOINT_STEPS]


def test_where_checkpoints_are_switched_off_nothing_is_saved(tmp_path: Path) -> None:
    shop = CheckpointSetup(tmp_path, "checkpoints: {enabled: false}\n")
    shop.record(prompt())
    shop.close()
    assert shop.all(CheckpointTaken) == []


def test_a_rollback_puts_the_files_back_and_says_which(shop: CheckpointSetup) -> None:
    shop.record(prompt())
    (shop.tree / "cart.txt").write_text("spoilt\n")
    (shop.tree / "junk.txt").write_text("junk\n")
    shop.intervene(InterventionName.CHECKPOINT_ROLLBACK, checkpoint=shop.checkpoints()[0])
    [back] = shop.all(RolledBack)
    assert isinstance(back, RolledBack)
    assert (set(back.files), back.problem) == ({"cart.txt", "junk.txt"}, "")
    assert (shop.tree / "cart.txt").read_text() == "three apples\n"
    assert not (shop.tree / "junk.txt").exists()
    assert not shop.run.state.course.held


def test_a_rollback_takes_the_task_list_back_and_keeps_the_goal(shop: CheckpointSetup) -> None:
    shop.record(prompt("Fix the cart."))
    shop.record(TaskNoted(0.0, "t1", "pending", "Add a test"))
    (shop.tree / "cart.txt").write_text("better\n")
    shop.record(prompt("Now the total."))
    before = shop.checkpoints()[-1]
    shop.record(TaskNoted(0.0, "t1", "done", "Add a test"))
    (shop.tree / "cart.txt").write_text("spoilt\n")
    shop.intervene(InterventionName.CHECKPOINT_ROLLBACK, checkpoint=before)
    assert (shop.tree / "cart.txt").read_text() == "better\n"
    state = shop.run.state
    assert state.tasks == {"t1": "pending"}
    assert state.history.goal == "Fix the cart.\nNow the total."


def test_a_rollback_of_some_files_leaves_the_others_alone(shop: CheckpointSetup) -> None:
    shop.record(prompt())
    (shop.tree / "cart.txt").write_text("spoilt\n")
    (shop.tree / "good.txt").write_text("good work\n")
    files = (str(shop.tree / "cart.txt"), "/etc/hosts")
    shop.intervene(
        InterventionName.CHECKPOINT_ROLLBACK, checkpoint=shop.checkpoints()[0], files=files
    )
    [back] = shop.all(RolledBack)
    assert isinstance(back, RolledBack)
    assert (back.files, back.problem) == (("cart.txt",), "")
    assert (shop.tree / "good.txt").read_text() == "good work\n"


def test_a_rollback_that_cannot_be_done_says_why_and_lets_the_run_go_on(
    shop: CheckpointSetup,
) -> None:
    shop.intervene(InterventionName.CHECKPOINT_ROLLBACK, checkpoint="nowhere")
    [back] = shop.all(RolledBack)
    assert isinstance(back, RolledBack)
    assert back.problem
    assert not shop.run.state.course.held


def test_a_rollback_that_a_daemon_did_not_finish_is_done_by_the_next(shop: CheckpointSetup) -> None:
    shop.record(prompt())
    (shop.tree / "cart.txt").write_text("spoilt\n")
    done = Intervention(
        "i1", InterventionName.CHECKPOINT_ROLLBACK, LOOP, 4, checkpoint=shop.checkpoints()[0]
    )
    deaf = RunRegistry(shop.journal, Projects(shop.environ), clock=shop._clock)
    deaf.get(RUN, str(shop.tree)).record(Intervened(shop.time, done))
    shop.restart()
    assert shop.run.state.course.held
    shop.settle()
    assert (shop.tree / "cart.txt").read_text() == "three apples\n"
    assert not shop.run.state.course.held


def test_a_rollback_that_comes_too_late_does_not_take_away_what_was_done_since(
    shop: CheckpointSetup,
) -> None:
    shop.record(prompt())
    done = Intervention(
        "i1", InterventionName.CHECKPOINT_ROLLBACK, LOOP, 4, checkpoint=shop.checkpoints()[0]
    )
    deaf = RunRegistry(shop.journal, Projects(shop.environ), clock=shop._clock)
    deaf.get(RUN, str(shop.tree)).record(Intervened(shop.time, done))
    shop.time += 3600
    (shop.tree / "cart.txt").write_text("mended by a person\n")
    shop.restart()
    assert shop.run.state.course.held
    shop.settle()
    assert (shop.tree / "cart.txt").read_text() == "mended by a person\n"
    [back] = shop.all(RolledBack)
    assert isinstance(back, RolledBack)
    assert "too late" in back.problem
    assert not shop.run.state.course.held


def test_people_are_told_of_a_rollback_that_failed(tmp_path: Path) -> None:
    shop = CheckpointSetup(tmp_path, NOTIFY)
    shop.intervene(InterventionName.CHECKPOINT_ROLLBACK, checkpoint="nowhere")
    shop.close()
    assert ["not put back" in message.body for message in shop.told.messages] == [True]


def test_a_person_may_go_back_after_a_stop(shop: CheckpointSetup) -> None:
    shop.record(prompt())
    (shop.tree / "cart.txt").write_text("spoilt\n")
    shop.intervene(InterventionName.EMERGENCY_STOP, incident="inc-1")
    point = shop.checkpoints()[0]
    shop.record(IncidentResolved(shop.time, "inc-1", "rollback_and_retry", checkpoint=point))
    assert (shop.tree / "cart.txt").read_text() == "three apples\n"


def test_a_folder_that_cannot_be_saved_is_a_fault_and_no_more(shop: CheckpointSetup) -> None:
    shop.tree.rename(shop.tree.with_name("gone"))
    shop.record(prompt())
    faults = [event.kind for event in shop.all(FaultNoted) if isinstance(event, FaultNoted)]
    assert faults == ["checkpoint"]


def test_a_folder_that_cannot_be_saved_is_not_tried_after_every_action(
    shop: CheckpointSetup,
) -> None:
    shop.tree.rename(shop.tree.with_name("gone"))
    shop.record(prompt())
    for number in range(1, 30):
        shop.time += 1
        shop.act(number)
    tried = [event for event in shop.all(FaultNoted) if isinstance(event, FaultNoted)]
    assert len(tried) == 1


def test_a_folder_that_can_be_saved_again_is_saved(shop: CheckpointSetup) -> None:
    gone = shop.tree.with_name("gone")
    shop.tree.rename(gone)
    shop.record(prompt())
    gone.rename(shop.tree)
    shop.time += 2 * CHECKPOINT_SECONDS
    shop.act(1)
    assert len(shop.checkpoints()) == 1


def test_a_clock_that_was_set_back_does_not_end_saving(shop: CheckpointSetup) -> None:
    shop.record(prompt())
    shop.time -= 24 * 3600
    for number in range(1, CHECKPOINT_STEPS + 1):
        (shop.tree / "cart.txt").write_text(f"{number} apples\n")
        shop.act(number)
    assert len(shop.checkpoints()) == 2


def test_people_are_told_of_what_is_bad_enough(shop: CheckpointSetup) -> None:
    shop.settings(NOTIFY)
    shop.restart()
    for severity in (Severity.LOW, Severity.HIGH):
        finding = Finding("loop", severity, 0.9, says=f"{severity} trouble")
        shop.record(FindingMade(1.0, 3, finding))
    assert [message.body for message in shop.told.messages] == ["high trouble"]
    assert "shop" in shop.told.messages[0].title


def test_people_are_told_of_a_trouble_once(shop: CheckpointSetup) -> None:
    """It was told again after each intervention: eight messages for one loop."""
    shop.settings(NOTIFY)
    shop.restart()
    for step in range(3, 11):
        finding = Finding("loop", Severity.HIGH, 0.9, (step,), says=f"in a loop at step {step}")
        shop.record(FindingMade(1.0, step, finding))
    assert [message.body for message in shop.told.messages] == ["in a loop at step 3"]


def test_an_incident_is_one_message(shop: CheckpointSetup) -> None:
    shop.settings(NOTIFY)
    shop.restart()
    shop.run.record(FindingMade(1.0, 3, LOOP))
    shop.intervene(InterventionName.EMERGENCY_STOP, incident="inc-1")
    [message] = shop.told.messages
    assert message.urgent
    assert "handrail incident show inc-1" in message.body


def deploys(shop: CheckpointSetup, *, undo: Undo = Undo.NEEDLESS) -> ApprovalAsked:
    risk = Risk(0.1, Severity.NONE)
    effects = (Effect(Kind.SEND, "example.com", Severity.LOW, undo),)
    review = Review(Decision.ALLOW, risk, Rationality(0.6, 0.6, 0.6, 1.0, 1.0), effects)
    action = Action("Bash", {"command": "make deploy"}, str(shop.tree))
    asked = ApprovalAsked(shop.time, "7f3a9c01", "n", "Bash: make deploy", action, review)
    return msgspec.structs.replace(asked, until=shop.time + 60)


def test_an_action_that_waits_is_told_with_the_command_that_answers(
    shop: CheckpointSetup,
) -> None:
    shop.settings(NOTIFY)
    shop.restart()
    shop.record(deploys(shop))
    [message] = shop.told.messages
    assert message.title == f"Handrail · {shop.tree.name} is waiting for you"
    wants, where = message.body.splitlines()
    assert wants == "It wants to run: make deploy"
    assert where.startswith("Answer: handrail approve 7f3a9c01     It is denied at ")


def test_with_a_panel_the_message_leads_there_and_has_no_credential(shop: CheckpointSetup) -> None:
    shop.settings(NOTIFY)
    shop.restart()
    shop.panel = "http://127.0.0.1:47135/"
    event = deploys(shop, undo=Undo.IMPOSSIBLE)
    shop.record(event)
    [message] = shop.told.messages
    clock = moment(event.until, event.at)
    assert message.body == (
        "It wants to run: make deploy   (cannot be undone)\n"
        "Open: http://127.0.0.1:47135/approvals/7f3a9c01     "
        f"It is denied at {clock} if nobody answers."
    )


def test_the_settings_name_those_who_are_asked(shop: CheckpointSetup) -> None:
    shop.settings("notify: {urls: ['json://127.0.0.1'], approvals: ['ntfy://on-call']}\n")
    shop.restart()
    shop.record(deploys(shop))
    assert shop.told.to == [("ntfy://on-call",)]


@pytest.mark.parametrize("cleans", [True, False])
def test_a_stop_cleans_up_only_if_the_settings_say_so(tmp_path: Path, cleans: bool) -> None:
    said = "true" if cleans else "false"
    settings = f"interventions: {{emergency_stop: {{auto_cleanup: {said}}}}}\n"
    with closing(CheckpointSetup(tmp_path, settings)) as shop:
        lock = shop.tree / ".git" / "index.lock"
        lock.touch()
        os.utime(lock, (shop.time + 60, shop.time + 60))
        shop.intervene(InterventionName.EMERGENCY_STOP, incident="inc-1")
        record = IncidentFolders(shop.home.incidents).read("inc-1").record
        assert [each.path for each in record.leftovers] == [os.path.realpath(lock)]
        assert lock.exists() is not cleans
        assert (record.cleaned is not None) is cleans
        assert len(shop.all(CleanedUp)) == cleans


def test_an_incident_has_the_state_and_the_context_of_its_run(tmp_path: Path) -> None:
    settings = "scope: [src]\ninterventions: {context_reinforcement: {constraints: [no SQL]}}\n"
    with closing(CheckpointSetup(tmp_path, settings=settings)) as shop:
        look_at_context(shop)


def look_at_context(shop: CheckpointSetup) -> None:
    shop.record(prompt("Fix it with API_KEY=sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c"))
    shop.intervene(InterventionName.EMERGENCY_STOP, incident="inc-1")
    context = IncidentFolders(shop.home.incidents).read("inc-1").record.context
    assert context.goal.startswith("Fix it")
    assert (context.scope, context.constraints) == ((f"{shop.tree}/src",), ("no SQL",))
    assert context.settings
    kept = (Path(shop.home.incidents) / "inc-1" / "state.json").read_text()
    assert json.loads(kept)["run"] == RUN
    assert "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c" not in kept


def test_an_incident_has_the_peak_of_memory_and_all_tokens(shop: CheckpointSetup) -> None:
    shop.record(prompt())
    shop.record(UsageSampled(0.0, tokens=32_000, memory_mb=900.0))
    shop.record(UsageSampled(0.0, tokens=48_000, memory_mb=400.0))
    shop.intervene(InterventionName.EMERGENCY_STOP, incident="inc-1")
    used = IncidentFolders(shop.home.incidents).read("inc-1").record.usage
    assert (used.tokens, used.memory_mb) == (48_000, 900.0)


def test_a_stop_is_confirmed_written_down_and_told(shop: CheckpointSetup) -> None:
    shop.settings(NOTIFY)
    shop.restart()
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"], env={_SESSION: RUN}
    )
    try:
        shop.intervene(InterventionName.EMERGENCY_STOP, incident="inc-1")
        [confirmed] = shop.all(StopConfirmed)
        assert isinstance(confirmed, StopConfirmed)
        assert confirmed.left == ()
        assert [line.split()[0] for line in confirmed.ended] == [str(child.pid)]
        assert not psutil.pid_exists(child.pid) or child.poll() is not None
    finally:
        child.kill()
        child.wait()
    record = IncidentFolders(shop.home.incidents).read("inc-1").record
    assert (record.run, record.finding.kind) == (RUN, "loop")
    assert [message.urgent for message in shop.told.messages] == [True]
    report = json.loads((Path(shop.home.incidents) / "inc-1" / "incident.json").read_text())
    assert report["stop"]["ended"] == list(confirmed.ended)


def test_two_runs_whose_incidents_have_the_same_name_are_both_stopped(
    shop: CheckpointSetup,
) -> None:
    runs = [f"3f2a-{os.getpid()}-one", f"3f2a-{os.getpid()}-two"]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(600)"],
            env={_SESSION: run},
        )
        for run in runs
    ]
    try:
        stop = Intervention("i1", InterventionName.EMERGENCY_STOP, LOOP, 4, incident="inc-1")
        for run in runs:
            shop.runs.get(run, str(shop.tree)).record(Intervened(shop.time, stop))
        shop.stops.settle()
        assert [child.poll() is None for child in children] == [False, False]
    finally:
        for child in children:
            child.kill()
            child.wait()


def test_a_stop_that_cannot_be_written_down_is_a_stop_all_the_same(
    shop: CheckpointSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.settings(NOTIFY)
    shop.restart()

    def fail(*_: object) -> str:
        raise ValueError("it does not fit")

    monkeypatch.setattr(IncidentFolders, "save", fail)
    shop.intervene(InterventionName.EMERGENCY_STOP, incident="inc-1")
    assert len(shop.all(StopConfirmed)) == 1
    assert [message.urgent for message in shop.told.messages] == [True]
    assert [event.kind for event in shop.all(FaultNoted) if isinstance(event, FaultNoted)] == [
        "incident"
    ]


def test_people_are_told_what_a_stop_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = CheckpointSetup(tmp_path, NOTIFY)
    left = Gone((), ("4712 sleep 9",))
    monkeypatch.setattr(
        "handrail.server.control.emergency_stops.end_processes", lambda *_, **__: left
    )
    shop.intervene(InterventionName.EMERGENCY_STOP, incident="inc-1")
    shop.close()
    assert "could not be ended" in shop.told.messages[-1].body
    assert "4712 sleep 9" in shop.told.messages[-1].body


def test_a_process_of_somebody_else_is_left_alone(shop: CheckpointSetup) -> None:
    bystander = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"],
        env={_SESSION: "other"},
    )
    try:
        # Its number was given as the host's, which it is not.
        shop.record(RunStarted(1e12, "claude", str(shop.tree), pid=bystander.pid))
        shop.intervene(InterventionName.EMERGENCY_STOP, incident="inc-1")
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()
