"""`handrail status` with a fleet: who needs a person first, then who works where."""

import os
import time

import pytest
from tests.cli.conftest import HandrailShell
from tests.cli.fleet_log import FLEET, FleetLog, sample_fleet
from tests.cli.logbook import NOON, RunLog, open_logbook
from tests.cli.test_main import imported

from handrail.cli.fleet.fleet_status import FleetStatus, find_fleets, show_fleets
from handrail.cli.output.terminal import TerminalOutput
from handrail.fleet.engine import events
from handrail.fleet.engine.backups import write_backup
from handrail.fleet.engine.events import AttemptOutcome
from handrail.fleet.engine.state_loading import load_fleet, topic_of
from handrail.model.event import LoopBegun, LoopEnded
from handrail.server.home import Home
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, Snapshot


@pytest.fixture
def log() -> FleetLog:
    return sample_fleet(MemoryStore(clock=lambda: NOON), NOON)


def fleets_of(log: FleetLog, home: str = "/nowhere") -> list[FleetStatus]:
    return find_fleets(log.store, Home(home), NOON)


def shown(
    log: FleetLog, capsys: pytest.CaptureFixture[str], width: int = 80, home: str = "/nowhere"
) -> list[str]:
    show_fleets(TerminalOutput(colour=False, width=width), fleets_of(log, home), {"run-cart": 3})
    return capsys.readouterr().out.splitlines()


def test_a_fleet_says_who_needs_a_person_and_who_works_where(
    log: FleetLog, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(log, capsys) == [
        "",
        " shop-1a2b3c4d · 2 slots used · $0.42 · 1 needs you, 1 failed, 2 working, 2",
        "   ready, 1 waiting, 1 merged",
        " ▲ ports   needs you  Which port may I use?                              10 min",
        " ✗ broken  failed     the tests fail                                     10 min",
        " ● cart    working    Do cart well                                        1 min",
        "   slot 1 · iteration 3 · handrail/cart · /w/trees/cart",
        " ● login   working    Do login well                                       1 min",
        "   slot 3 · handrail/login · /w/trees/login",
        "   and 4 more: handrail task list",
    ]


def test_a_paused_fleet_says_so_first(log: FleetLog, capsys: pytest.CaptureFixture[str]) -> None:
    log.write(events.DispatchClosed(NOON, "ada", "lunch"))
    assert shown(log, capsys)[1].startswith(" shop-1a2b3c4d · paused by ada: lunch · 2 slots used")


def test_a_large_fleet_takes_few_lines(log: FleetLog, capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"task-{number:03}" for number in range(200)]
    log.add(*names)
    for name in names:
        log.claim(name)
        log.finish(name, AttemptOutcome.BLOCKED, "which one?")
    lines = shown(log, capsys)
    assert len(lines) == 12
    assert lines[-1] == "   and 200 more: handrail task list"


@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_no_line_is_wider_than_the_terminal(
    log: FleetLog, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    assert all(len(line) <= width for line in shown(log, capsys, width))


def test_a_fleet_without_open_tasks_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    log = FleetLog(MemoryStore(), NOON)
    log.add("docs")
    assert fleets_of(log)
    log.claim("docs")
    log.finish("docs", AttemptOutcome.DONE)
    assert fleets_of(log) == []
    log.write(events.MergeChanged(NOON, "docs", "conflict", "main"))
    assert [each.name for each in fleets_of(log)] == [FLEET]


def test_a_damaged_snapshot_is_told_with_what_was_recovered(
    log: FleetLog, capsys: pytest.CaptureFixture[str]
) -> None:
    log.store.save_snapshot(topic_of(FLEET), Snapshot(5, b"damaged")).result(5)
    lines = shown(log, capsys)
    assert (
        "   recovered from the events: the snapshot cannot be used: its checksum does not" in lines
    )
    assert "   tasks complete: 8" in lines
    assert "   conversation complete: 5 runs known" in lines


def test_a_backup_says_what_is_lost_by_kind(
    log: FleetLog, capsys: pytest.CaptureFixture[str], tmp_path: os.PathLike[str]
) -> None:
    state = load_fleet(log.store, FLEET, "").state
    write_backup(os.path.join(tmp_path, "fleet", FLEET), state)
    log.store.append([NewEntry(topic_of(FLEET), b"damaged")]).result(5)
    lines = shown(log, capsys, home=str(tmp_path))
    assert lines[3].startswith("   recovered from the last backup: the events cannot be read: ")
    kinds = [line.split()[:2] for line in lines if " complete" in line or "as of" in line]
    assert kinds == [["state", "partly:"], ["tasks", "partly:"], ["workspaces", "partly:"],
                     ["conversation", "partly:"]]  # fmt: skip
    assert "   agents lost: their tasks are pending again" in lines


def test_json_and_the_short_form_count_the_tasks(shell: HandrailShell) -> None:
    now = time.time()
    with open_logbook(shell, now - 60) as book:
        book.start("run-cart", "do cart", cwd="/w/trees/cart")
        book.start("other", "look around")
        sample_fleet(book.store, now)
    told = shell.run("status", "--json").json
    (fleet,) = told["fleets"]
    assert fleet["fleet"] == FLEET
    assert (fleet["slots"], fleet["paused"], fleet["recovery"]) == ([1, 3], False, None)
    assert fleet["counts"]["needs you"] == 1
    assert [task["id"] for task in fleet["tasks"]] == ["ports", "broken", "cart", "login"]
    cart = fleet["tasks"][2]
    assert (cart["slot"], cart["attempt"], cart["iteration"]) == (1, 1, 2)
    assert (cart["workspace"], cart["branch"]) == ("/w/trees/cart", "handrail/cart")
    assert {run["run"]: run.get("task", "") for run in told["runs"]} == {
        "run-cart": "cart",
        "other": "",
    }
    assert "▲ 1 task needs you  ● 2 tasks working" in shell.run("status", "--short").out
    assert "   task cart\n" in shell.run("status").out


def test_a_run_that_its_task_does_without_is_over(shell: HandrailShell) -> None:
    now = time.time()
    with open_logbook(shell, now - 60) as book:
        for run, task in (("run-cart", "cart"), ("before", "cart"), ("run-ports", "ports")):
            log = RunLog(book, run, "/w")
            log.note(LoopBegun(book.now, f"do {task}", 10, mode="issue", issue=task, driver=9))
            log.note(LoopEnded(book.now, "done", "STUCK", says="Which port?"))
        fleet = sample_fleet(book.store, now)
    shown = shell.run("status").out
    assert shown.count("Which port?") == 1, "cart is at work again; only ports waits for a person"
    assert 'handrail task retry ports --message "your answer"' in shown
    assert "1 needs you" in shown
    with open_logbook(shell, now) as book:
        FleetLog(book.store, now, fleet.fleet).write(events.TaskCancelled(now, "ports", "ada"))
    assert "Which port?" not in shell.run("status").out


def test_the_short_form_with_a_fleet_still_imports_little(shell: HandrailShell) -> None:
    with open_logbook(shell, time.time()) as book:
        sample_fleet(book.store, time.time())
    names = imported(["status", "--short"], shell.project)
    assert "handrail.fleet.engine.fleet_state" in names
    assert names.isdisjoint({"rich", "asyncio", "http", "uvicorn", "yaml", "tree_sitter"})
    assert names.isdisjoint({"handrail.shell", "handrail.review", "handrail.config"})


def test_without_a_fleet_its_rooms_are_not_imported(shell: HandrailShell) -> None:
    with open_logbook(shell, time.time()) as book:
        book.start("other", "look around")
    assert "handrail.fleet.engine.fleet_state" not in imported(["status", "--short"], shell.project)
