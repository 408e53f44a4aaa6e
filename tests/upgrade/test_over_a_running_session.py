"""An upgrade while sessions are under way: the next daemon goes on where the last one was killed.

The hooks are those of the old installation: its client, its socket, its port, its token.
"""

import http.client
import json
from typing import Any

import pytest

from tests.upgrade.machine import (
    Background,
    Machine,
    Session,
    over_client,
    over_port,
    over_socket,
    until,
)

OPEN = "5a0e7c21-0000-4000-8000-000000000021"
"""A command is under way, and a person waits for the pause that they asked for."""
HELD = "5a0e7c22-0000-4000-8000-000000000022"
"""It is paused; a call of the agent is held."""
SAVING = "5a0e7c23-0000-4000-8000-000000000023"
"""The files were being saved before a deletion; the agent waits for that."""
DRIVEN = "5a0e7c24-0000-4000-8000-000000000024"
"""Handrail drives it; its first iteration is under way."""


def test_the_old_hook_client_starts_todays_daemon(running: Machine) -> None:
    session = Session(running, OPEN, running.shop, over_client(running))
    said = session.tell("SessionStart", source="resume", model="claude-sonnet-4-5")
    assert "Handrail reviews every tool call" in json.dumps(said)
    assert running.call("GET", "/healthz")["ok"] is True
    assert [each["event"] for each in events(running, OPEN)].count("run_started") == 2


def test_an_old_hook_that_finds_no_daemon_refuses_and_starts_one(running: Machine) -> None:
    session = Session(running, OPEN, running.shop, over_client(running))
    with pytest.raises(AssertionError, match="exit code 2: Handrail was not running"):
        session.before("Bash", {"command": "touch made"}, "toolu_new")
    assert running.call("GET", "/healthz")["ok"] is True


def test_a_command_ends_and_the_pause_asked_for_before_is_confirmed(running: Machine) -> None:
    running.start()
    asked = only(running, OPEN, "control_asked")
    assert not of_kind(running, OPEN, "control_answered")
    session = Session(running, OPEN, running.shop, over_port(running))
    session.after("Bash", {"command": "make count", "description": "count"}, "7", "toolu_open")

    answered = until(lambda: of_kind(running, OPEN, "control_answered"), "it is paused")[0]
    assert answered["request"] == asked["request"]
    assert (answered["command"], answered["standing"]) == ("pause", "paused")
    result = running.call("GET", f"/control/{asked['request']}?wait=1")["messages"][-1]
    assert (result["type"], result["payload"]["status"]) == ("RESULT", "success")
    assert [each["step"] for each in of_kind(running, OPEN, "action_ended")] == [1, 2]

    held = Background(lambda: session.before("Bash", {"command": "ls"}, "toolu_next"))
    until(lambda: of_kind(running, OPEN, "action_held"), "the next call is held")
    running.control("resume", OPEN)
    assert "deny" not in json.dumps(held.result())
    assert [each["step"] for each in of_kind(running, OPEN, "action_reviewed")] == [1, 2, 3]


def test_a_call_that_was_held_is_made_again_and_held_again(running: Machine) -> None:
    running.start()
    session = Session(running, HELD, running.shop, over_client(running))
    given = {"command": "echo 3 > price"}
    held = Background(lambda: session.before("Bash", given, "toolu_again"))
    until(lambda: "toolu_again" in running.says("log", HELD, "--json"), "it is held again")
    assert held.is_alive()
    assert running.control("resume", HELD)["payload"]["status"] == "success"
    assert "deny" not in json.dumps(held.result())
    session.after("Bash", given, {"stdout": "", "stderr": ""}, "toolu_again")
    assert [each["step"] for each in of_kind(running, HELD, "action_ended")] == [1, 2]


def test_files_are_saved_before_a_deletion_that_had_to_wait_for_that(running: Machine) -> None:
    running.start()
    notes = {path.name: path.read_text() for path in (running.shop / "notes").iterdir()}
    assert "late 7.md" in notes
    session = Session(running, SAVING, running.shop, over_client(running))
    given = {"command": "find notes -name '*.md' -delete", "description": "clean up"}
    said = session.before("Bash", given, "toolu_saving")
    assert "deny" not in json.dumps(said)
    saved = of_kind(running, SAVING, "checkpoint_taken")[-1]["checkpoint"]
    for name in notes:
        (running.shop / "notes" / name).unlink()
    session.after("Bash", given, {"stdout": "", "stderr": ""}, "toolu_saving")
    running.says("rollback", saved["id"], "--yes")
    assert {p.name: p.read_text() for p in (running.shop / "notes").iterdir()} == notes


def test_a_driven_run_goes_on_in_its_iteration(running: Machine) -> None:
    running.start()
    loop = {"goal": "Sort the apples", "cwd": str(running.shop), "max": 3}
    assert running.call("POST", f"/runs/{DRIVEN}/loop", loop)["iteration"] == 1
    go = running.call("POST", f"/runs/{DRIVEN}/iterations?iteration=2&wait=0")
    assert (go["standing"], go["goal"]) == ("running", "Sort the apples")
    session = Session(running, DRIVEN, running.shop, over_socket(running))
    session.begin("Sort the apples (2)")
    session.bash("ls")
    running.call("POST", f"/runs/{DRIVEN}/reports", {"kind": "done", "reason": "COMPLETE"})
    status = next(run for run in running.json("status", "--all")["runs"] if run["run"] == DRIVEN)
    assert (status["state"], status["loop"]["iteration"]) == ("done", 2)


def test_the_old_token_opens_the_port_and_another_one_does_not(running: Machine) -> None:
    running.start()
    payload = {"session_id": OPEN, "cwd": str(running.shop), "hook_event_name": "Stop"}
    port = int((running.state / "port").read_text())
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {"Authorization": "Bearer another"}
    connection.request("POST", "/hooks/claude", json.dumps(payload), headers)
    assert connection.getresponse().status == http.client.UNAUTHORIZED
    connection.close()
    assert over_port(running)(payload) == {}


def events(machine: Machine, run: str) -> list[dict[str, Any]]:
    """What the log tells of a run."""
    found: list[dict[str, Any]] = machine.json("log", run)
    return found


def of_kind(machine: Machine, run: str, kind: str) -> list[dict[str, Any]]:
    """Its events of one kind."""
    return [each for each in events(machine, run) if each["event"] == kind]


def only(machine: Machine, run: str, kind: str) -> dict[str, Any]:
    """Its only event of a kind."""
    (found,) = of_kind(machine, run, kind)
    return found
