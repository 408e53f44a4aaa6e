"""`handrail doctor` in scratch homes: what is shown, what is repaired, and how it ends."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.server.daemon_sandbox import DaemonSandbox

from handrail.cli.diagnosis.live_probe import probe
from handrail.hosts.claude.host import HOST
from handrail.server.lock import daemon_pid
from handrail.store.port import NewEntry
from handrail.store.sqlite import SqliteStore
from handrail.supervise.log.topics import topic_of

pytestmark = pytest.mark.slow

Ran = subprocess.CompletedProcess[str]


@pytest.fixture
def place() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as made:
        yield made


def claude(place: DaemonSandbox, script: str) -> str:
    """A program that stands in for Claude Code."""
    program = place.root / "bin" / "claude"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


def doctor(place: DaemonSandbox, *args: str) -> Ran:
    path = f"{place.root / 'bin'}:{place.environ['PATH']}"
    return place.run("doctor", "--no-probe", *args, environ={"PATH": path})


@pytest.fixture
def installed(place: DaemonSandbox) -> DaemonSandbox:
    claude(place, "echo 2.1.325")
    path = f"{place.root / 'bin'}:{place.environ['PATH']}"
    ran = place.run("install", "claude", "--yes", environ={"PATH": path})
    assert ran.returncode == 0, ran.stderr
    return place


def test_where_all_is_well_every_line_says_so(installed: DaemonSandbox) -> None:
    ran = doctor(installed)
    assert (ran.returncode, ran.stderr) == (0, "")
    words = (line.split()[:2] for line in ran.stdout.splitlines())
    names = [line for line in words if line[0] in "✓!✗"]
    first, then = ("log", "daemon", "guardian", "port", "client"), ("settings", "claude", "hooks")
    # Here Handrail runs from its sources, which nobody installed.
    wanted = [*(["✓", name] for name in first), ["!", "packages"], *(["✓", name] for name in then)]
    assert names == wanted


def test_what_is_wrong_comes_with_what_to_do_and_an_exit_code(place: DaemonSandbox) -> None:
    claude(place, "echo 2.1.325")
    ran = doctor(place)
    assert ran.returncode == 1
    assert " ✗ hooks        in no settings file that counts here\n" in ran.stdout
    assert ran.stdout.endswith("                fix: handrail install claude\n")


def test_findings_are_there_for_programs(place: DaemonSandbox) -> None:
    ran = doctor(place, "--json")
    said = json.loads(ran.stdout)
    assert (ran.returncode, said["ok"]) == (1, False)
    assert {"name": "log", "mark": "ok"}.items() <= said["checks"][0].items()
    assert all(check.get("fix") for check in said["checks"] if check["mark"] != "ok")


def test_a_warning_alone_is_no_failure(installed: DaemonSandbox) -> None:
    home = Path(installed.environ["HOME"])
    for path in (home / ".claude" / "settings.json", home / ".claude", home, installed.root):
        path.chmod(0o755)
    ran = doctor(installed)
    assert ran.returncode == 0
    assert "!" in ran.stdout
    assert "fix: chmod 600 " in ran.stdout


def test_a_damaged_log_is_put_aside_and_the_daemon_started_anew(installed: DaemonSandbox) -> None:
    before = installed.pid
    with closing(SqliteStore(installed.home.log)) as store:
        store.append([NewEntry(topic_of("r1"), b"{")]).result()
    assert "entry 1 of run:r1" in doctor(installed).stdout
    ran = doctor(installed, "--fix")
    assert ran.returncode == 0, ran.stdout
    assert "moved the damaged log to" in ran.stdout
    assert list(Path(installed.home.path).glob("events.db.damaged-*"))
    assert installed.pid != before


def test_what_is_well_is_not_repaired(installed: DaemonSandbox) -> None:
    before = daemon_pid(installed.home)
    assert doctor(installed, "--fix").returncode == 0
    assert daemon_pid(installed.home) == before


def test_an_agent_may_not_repair(installed: DaemonSandbox) -> None:
    ran = installed.run("doctor", "--fix", "--no-probe", environ={"CLAUDECODE": "1"})
    assert ran.returncode == 2


# The probe, with something else in the place of Claude Code


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo no key; exit 3", "Claude Code did not get to the command: no key"),
        ("exit 3", "Claude Code did not get to the command: it ended with 3"),
    ],
)
def test_a_claude_code_that_gives_up_is_no_proof(
    place: DaemonSandbox, script: str, says: str
) -> None:
    place.home.prepare()
    found = probe(HOST, claude(place, script), str(place.project), place.home, place.environ)
    assert (found.enforced, found.says) == (False, says)


def test_a_claude_code_that_cannot_be_started_is_no_proof(place: DaemonSandbox) -> None:
    place.home.prepare()
    found = probe(HOST, "/nowhere/claude", str(place.project), place.home, place.environ)
    assert not found.enforced
    assert found.says.endswith("/nowhere/claude: No such file or directory")
