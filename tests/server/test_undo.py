"""From a session's hooks to `handrail undo`, through a real daemon."""

import json

import pytest

from handrail.server.launcher import stop_daemon
from tests.hosts.claude.desk import SESSION
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


def git(place: DaemonSandbox, *words: str) -> str:
    person = ("-c", "user.name=Me", "-c", "user.email=me@example.invalid")
    ran = place.execute(["git", *person, *words])
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


COMMIT = "git -c user.name=Me -c user.email=me@example.invalid commit -q"


@pytest.fixture
def repository(place: DaemonSandbox) -> DaemonSandbox:
    """A session in a repository with one commit."""
    (place.project / "cart.py").write_text("total = 0\n")
    git(place, "init", "-q", "-b", "main")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "start")
    place.start()
    place.tell("SessionStart", source="startup")
    place.tell("UserPromptSubmit", prompt="work")
    return place


def test_a_commit_right_after_an_edit_is_undone_as_a_whole(repository: DaemonSandbox) -> None:
    """A checkpoint after the edit must not be taken in the middle of the commit."""
    place = repository
    start = git(place, "rev-parse", "HEAD")
    act(place, "sed -i s/0/1/ cart.py", "t1")
    act(place, f"{COMMIT} -a -m wip", "t2")
    place.tell("Stop")
    shown = place.run("undo", "--git", "--dry-run")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "git       branch main: " in shown.stdout
    undone = place.run("undo", "--git", "--yes")
    assert (undone.returncode, undone.stderr) == (0, "")
    assert git(place, "rev-parse", "HEAD") == start
    assert git(place, "status", "--porcelain") == " M cart.py\n"
    assert (place.project / "cart.py").read_text() == "total = 1\n"

    events = [json.loads(line) for line in place.run("log", "--json").stdout.splitlines()]
    (back,) = [each for each in events if each.get("event") == "rolled_back"]
    assert back["git"][0].startswith("branch main: ")

    assert place.run("redo", "--git", "--yes").returncode == 0
    assert git(place, "status", "--porcelain") == ""
    assert git(place, "rev-parse", "HEAD") != start


def test_an_earlier_action_on_the_repository_is_undone_by_its_number(
    repository: DaemonSandbox,
) -> None:
    place = repository
    act(place, "git branch one", "t1")
    act(place, "git branch two", "t2")
    act(place, "echo x > new.txt", "t3")
    place.tell("Stop")
    without = place.run("undo", "--action", "1", "--yes")
    assert without.returncode == 2
    assert "add --git" in without.stderr
    undone = place.run("undo", "--git", "--action", "1", "--yes")
    assert (undone.returncode, undone.stderr) == (0, "")
    assert git(place, "branch", "--format=%(refname:short)").split() == ["main", "two"]
    assert (place.project / "new.txt").exists()


def test_a_commit_of_a_person_since_is_left_alone(repository: DaemonSandbox) -> None:
    place = repository
    act(place, f"echo x > new.txt && git add new.txt && {COMMIT} -m agent", "t1")
    place.tell("Stop")
    place.run("undo", "--git", "--dry-run")  # which waits until the files are saved
    git(place, "commit", "-q", "--allow-empty", "-m", "person")
    top = git(place, "rev-parse", "HEAD")
    undone = place.run("undo", "--git", "--yes")
    assert (undone.returncode, undone.stderr) == (0, "")
    assert "left alone" in undone.stdout
    assert git(place, "rev-parse", "HEAD") == top


def test_a_commit_of_a_person_right_after_the_agent_stopped_is_left_alone(
    repository: DaemonSandbox,
) -> None:
    """Before its last checkpoint is taken, nobody knows whose it is."""
    place = repository
    act(place, f"echo x > new.txt && git add new.txt && {COMMIT} -m agent", "t1")
    place.tell("Stop")
    git(place, "commit", "-q", "--allow-empty", "-m", "person")
    top = git(place, "rev-parse", "HEAD")
    place.run("undo", "--git", "--yes")
    assert git(place, "rev-parse", "HEAD") == top


def test_what_no_checkpoint_holds_is_named_with_the_way_back(repository: DaemonSandbox) -> None:
    place = repository
    (place.project / ".gitignore").write_text("*.local\n")
    (place.project / "notes.local").write_text("mine\n")
    act(place, "echo gone > notes.local; sed -i s/0/1/ cart.py", "t1")
    place.tell("Stop")
    shown = place.run("undo", "--dry-run").stdout
    assert "handrail restore t1.over" in " ".join(shown.split())
    restored = place.run("restore", "t1.over")
    assert (restored.returncode, restored.stderr) == (0, "")
    assert (place.project / "notes.local").read_text() == "mine\n"


def test_an_error_names_the_run_as_the_status_does(repository: DaemonSandbox) -> None:
    place = repository
    act(place, "sed -i s/0/1/ cart.py", "t1")
    place.tell("Stop")
    (run,) = json.loads(place.run("status", "--json").stdout)["runs"]
    assert place.run("undo", "--yes").returncode == 0
    for args in (("--action", "9", "--run", run["name"]), ("--iteration", "--run", run["name"])):
        failed = place.run("undo", *args, "--yes")
        assert failed.returncode == 2
        assert f"run {run['name']} " in failed.stderr
        assert SESSION not in failed.stderr
