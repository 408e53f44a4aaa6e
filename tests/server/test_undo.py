"""From a session's hooks to `handrail undo`, through a real daemon."""

import pytest

from handrail.server.launcher import stop_daemon
from tests.server.daemon_sandbox import DaemonSandbox

pytestmark = pytest.mark.slow


def act(place: DaemonSandbox, command: str, call: str) -> None:
    """An action that the agent takes, as it is let through."""
    answer = place.before(command, call)
    given = answer.get("hookSpecificOutput", {}).get("updatedInput", {"command": command})
    place.execute(["bash", "-c", given["command"]])
    place.tell(
        "PostToolUse",
        tool_name="Bash",
        tool_input=given,
        tool_use_id=call,
        tool_response={"stdout": "", "stderr": "", "interrupted": False},
    )


def test_what_a_shell_command_did_is_undone_and_redone(place: DaemonSandbox) -> None:
    plan, cart = place.project / "plan.md", place.project / "cart.py"
    plan.write_text("never committed\n")
    cart.write_text("total = 0\n")
    place.start()
    place.tell("SessionStart", source="startup")
    place.tell("UserPromptSubmit", prompt="clean up")
    act(place, "mv plan.md old.md && echo 'total = 1' > cart.py", "t1")
    place.tell("Stop")
    assert not plan.exists()

    shown = place.run("undo", "--dry-run")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "   restore   plan.md " in shown.stdout
    undone = place.run("undo", "--yes")
    assert (undone.returncode, undone.stderr) == (0, "")
    assert (plan.read_text(), cart.read_text()) == ("never committed\n", "total = 0\n")

    listed = place.run("checkpoints").stdout
    assert "↶" in listed
    assert place.run("redo", "--yes").returncode == 0
    assert (plan.exists(), cart.read_text()) == (False, "total = 1\n")


def test_a_daemon_that_was_started_anew_knows_whose_changes_they_are(place: DaemonSandbox) -> None:
    cart = place.project / "cart.py"
    cart.write_text("total = 0\n")
    place.start()
    place.tell("SessionStart", source="startup")
    place.tell("UserPromptSubmit", prompt="fix it")
    act(place, "sed -i s/0/1/ cart.py", "t1")
    stop_daemon(place.home)
    place.start()
    act(place, "touch made.txt", "t2")
    undone = place.run("undo", "--task", "--yes")
    assert (undone.returncode, undone.stderr) == (0, "")
    assert cart.read_text() == "total = 0\n"
    assert not (place.project / "made.txt").exists()
