"""What the doctor finds, in scratch homes: every finding says what to do."""

import json
import os
import socket
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.server.daemon_sandbox import DaemonSandbox, answering, http
from tests.server.integrity.python_environment import PythonEnvironment
from tests.server.units.fake_systemctl import FakeSystemctl

from handrail import __version__
from handrail.cli.diagnosis.checks import (
    ExaminedSetup,
    check_client,
    check_daemon,
    check_guardian,
    check_log,
    check_packages,
    check_port,
    check_units,
    diagnose_packages,
    find_setup,
)
from handrail.hosts.claude.doctor import check_hooks, check_obstacles, check_program
from handrail.hosts.claude.host import HOST
from handrail.hosts.claude.settings import HTTP_SINCE, HookOptions, Style, add, hook_url
from handrail.hosts.port import DoctorCheck, ExaminedHost, HostProgram
from handrail.model.event import PromptGiven
from handrail.redact import Redactor
from handrail.server.hook_connection import hook_connection
from handrail.server.launcher import stop_daemon
from handrail.server.units.service_manager import SYSTEMD
from handrail.server.units.unit_installation import installing_units, plan_units
from handrail.store.journal import Journal
from handrail.store.port import NewEntry
from handrail.store.sqlite import SqliteStore
from handrail.supervise.log.topics import topic_of

pytestmark = pytest.mark.slow

CLAUDE = HostProgram("/opt/claude", HTTP_SINCE)
OLD = HostProgram("/opt/claude", (2, 0, 76))


@pytest.fixture
def place() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as made:
        yield made


def examine(
    place: DaemonSandbox,
    check: Callable[[ExaminedSetup], Iterator[DoctorCheck]],
    **environ: str,
) -> list[DoctorCheck]:
    """What one look at a place finds."""
    given = {**place.environ, **environ}
    return list(check(ExaminedSetup(place.home, str(place.project), given, ((HOST, CLAUDE),))))


def examine_host(
    place: DaemonSandbox,
    check: Callable[[ExaminedHost], Iterator[DoctorCheck]],
    claude: HostProgram | None = CLAUDE,
    **environ: str,
) -> list[DoctorCheck]:
    """What one look at Claude Code finds there."""
    given = {**place.environ, **environ}
    folder = str(place.project)
    short = ExaminedSetup(place.home, folder, given, ()).short
    return list(check(ExaminedHost(claude, hook_connection(place.home), folder, given, short)))


def healthy(**said: object) -> bytes:
    """What a daemon answers that is well but for what is said."""
    well = {"version": __version__, "ok": True, "problem": "", "pid": 1, "memory_mb": 40.0}
    return http(json.dumps({**well, **said}).encode())


def write_log(place: DaemonSandbox, *bodies: bytes) -> None:
    """A log with one good event, and others of one run."""
    place.home.prepare()
    with closing(SqliteStore(place.home.log)) as store:
        event = PromptGiven(1.0, "go")
        Journal(store).append(topic_of("good"), event, Redactor()).receipt.result()
        for body in bodies:
            store.append([NewEntry(topic_of("other"), body)]).result()


def settings(place: DaemonSandbox, text: str, name: str = "settings.json") -> Path:
    """The user's settings of Claude Code."""
    file = Path(place.environ["HOME"], ".claude", name)
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    file.chmod(0o600)
    return file


def hooks(
    place: DaemonSandbox, style: Style = "http", port: int = 0, text: str | None = None
) -> str:
    """Settings with our hooks in them."""
    home = place.home
    url = hook_url(port or home.port)
    return add(text, HookOptions(style, url, home.hook_token, home.client_path, HTTP_SINCE))


# The log


def test_a_log_that_is_not_there_is_empty(place: DaemonSandbox) -> None:
    assert examine(place, check_log) == [DoctorCheck("log", "ok", "empty: no run yet")]


def test_a_log_that_can_be_read_is_counted(place: DaemonSandbox) -> None:
    write_log(place)
    (found,) = examine(place, check_log)
    assert (found.mark, found.says.partition(",")[0]) == ("ok", "1 run")


def test_a_file_that_is_no_log_is_to_be_put_aside(place: DaemonSandbox) -> None:
    place.home.prepare()
    Path(place.home.log).write_bytes(b"not a database" * 1000)
    (found,) = examine(place, check_log)
    assert (found.mark, found.fix) == ("bad", "handrail doctor --fix")


@pytest.mark.parametrize(
    "body", [b"{", b'{"event":"nonsense","at":1}', b'{"event":"prompt_given"}']
)
def test_an_event_that_cannot_be_read_is_found_and_named(place: DaemonSandbox, body: bytes) -> None:
    write_log(place, body)
    (found,) = examine(place, check_log)
    assert (found.mark, found.fix) == ("bad", "handrail doctor --fix")
    assert "entry 2 of run:other" in found.says


def test_a_log_of_a_newer_version_is_no_damage(place: DaemonSandbox) -> None:
    write_log(place)
    with closing(sqlite3.connect(place.home.log)) as connection:
        connection.execute("PRAGMA user_version = 999")
    (found,) = examine(place, check_log)
    assert found.mark == "bad"
    assert "--fix" not in found.fix


# The daemon


def test_a_daemon_that_does_not_run_is_started(place: DaemonSandbox) -> None:
    (found,) = examine(place, check_daemon)
    assert (found.mark, found.says[:28]) == ("ok", "was not running, now started")
    (found,) = examine(place, check_daemon)
    assert (found.mark, found.says[:8]) == ("ok", "running,")


def test_a_daemon_that_cannot_start_says_why_and_where_to_look(place: DaemonSandbox) -> None:
    with socket.create_server(("127.0.0.1", place.home.port)):
        (found,) = examine(place, check_daemon)
    assert found.mark == "bad"
    assert "another program uses it" in found.says
    assert place.home.daemon_log in found.fix


def test_a_daemon_of_another_version_is_to_be_restarted(place: DaemonSandbox) -> None:
    with answering(place, healthy(version="0.0.1")):
        (found,) = examine(place, check_daemon)
    assert (found.mark, found.fix) == ("bad", "handrail serve --restart")
    assert found.says == f"has version 0.0.1, but this is {__version__}"


def test_a_daemon_with_a_problem_says_which(place: DaemonSandbox) -> None:
    with answering(place, healthy(ok=False, problem="the log is damaged")):
        (found,) = examine(place, check_daemon)
    assert found == DoctorCheck("daemon", "bad", "the log is damaged", "handrail doctor --fix")


@pytest.mark.parametrize(("seconds", "says"), [(90, "up 1 min"), (7300, "up 2 h")])
def test_a_daemon_says_how_long_it_is_up(place: DaemonSandbox, seconds: int, says: str) -> None:
    with answering(place, healthy(up_seconds=seconds)):
        (found,) = examine(place, check_daemon)
    assert found.says == f"running, 40.0 MB, {says}"


# The port


def test_the_port_of_the_daemon_leads_to_it(place: DaemonSandbox) -> None:
    place.start()
    (found,) = examine(place, check_port)
    assert (found.mark, found.says) == ("ok", f"127.0.0.1:{place.home.port} leads to the daemon")


def test_a_port_on_which_nobody_listens_is_told(place: DaemonSandbox) -> None:
    with answering(place, healthy()):
        (found,) = examine(place, check_port)
    assert (found.mark, found.fix) == ("bad", "handrail serve --restart")
    assert found.says.startswith(f"nobody answers on 127.0.0.1:{place.home.port}")


def test_another_program_beside_the_daemon_is_told(place: DaemonSandbox) -> None:
    with DaemonSandbox() as other:
        other.home.prepare()
        port = Path(other.home.path, "port")
        port.write_text(str(place.home.port))
        for name in ("hook-token", "control-token"):
            Path(other.home.path, name).write_text(place.home.hook_token)
        other.start()
        with answering(place, healthy()):
            (found,) = examine(place, check_port)
    assert found.mark == "bad"
    assert found.says == f"another program answers on 127.0.0.1:{place.home.port}"
    assert found.fix == "end that program, then: handrail serve --restart"


def test_another_program_in_the_place_of_the_daemon_is_told_loudly(place: DaemonSandbox) -> None:
    with socket.create_server(("127.0.0.1", place.home.port)):
        (found,) = examine(place, check_port)
    assert found.mark == "bad"
    assert "ANOTHER PROGRAM" in found.says
    assert f"lsof -i :{place.home.port}" in found.fix


def test_without_a_daemon_nobody_answers_on_the_port(place: DaemonSandbox) -> None:
    (found,) = examine(place, check_port)
    assert (found.mark, found.fix) == ("bad", "handrail serve --restart")


def test_a_daemon_with_a_guardian_is_started_again(place: DaemonSandbox) -> None:
    place.start()
    (found,) = examine(place, check_guardian)
    assert (found.mark, found.says) == ("ok", "starts the daemon again if it ends")


def test_a_daemon_without_a_guardian_is_told(place: DaemonSandbox) -> None:
    with answering(place, healthy()):
        (found,) = examine(place, check_guardian)
    assert (found.mark, found.fix) == ("bad", "handrail serve --restart")


def test_without_units_nothing_is_said_of_them(place: DaemonSandbox) -> None:
    assert examine(place, check_units) == []


@pytest.fixture
def systemctl(place: DaemonSandbox) -> FakeSystemctl:
    """A service manager that has taken the units of this place."""
    systemctl = FakeSystemctl(place.root)
    place.environ.update(systemctl.environ)
    plan = plan_units(place.home, SYSTEMD, place.environ, 47100)
    with installing_units(plan, place.home, place.environ):
        pass
    return systemctl


@pytest.mark.usefixtures("systemctl")
def test_units_that_hold_the_sockets_are_well(place: DaemonSandbox) -> None:
    (found,) = examine(place, check_units)
    assert (found.mark, found.says.split()[0]) == ("ok", "systemd")


def test_units_that_do_not_hold_the_sockets_are_a_warning(
    place: DaemonSandbox, systemctl: FakeSystemctl
) -> None:
    systemctl.fail_at("is-active")
    (found,) = examine(place, check_units)
    assert (found.mark, found.fix) == ("warn", "handrail serve --restart")


@pytest.mark.usefixtures("systemctl")
def test_a_unit_that_was_changed_is_bad(place: DaemonSandbox) -> None:
    (unit,) = Path(place.environ["HOME"]).glob(".config/systemd/user/*.service")
    unit.write_text("[Service]\n")
    (found,) = examine(place, check_units)
    assert (found.mark, found.fix) == ("bad", "handrail install claude")
    assert found.says.startswith("~/.config/systemd/user/handrail-")


# Claude Code and the client


def test_a_claude_code_that_is_not_there_is_a_warning(place: DaemonSandbox) -> None:
    (found,) = examine_host(place, check_program, claude=None)
    assert (found.mark, found.fix) == ("warn", "install Claude Code")


def test_a_claude_code_without_a_version_is_a_warning(place: DaemonSandbox) -> None:
    (found,) = examine_host(place, check_program, claude=HostProgram("/opt/claude", None))
    assert (found.mark, found.fix) == ("warn", "update it")


def test_a_claude_code_is_named_as_a_person_would(place: DaemonSandbox) -> None:
    path = f"{place.environ['HOME']}/bin/claude"
    assert examine_host(place, check_program, claude=HostProgram(path, HTTP_SINCE)) == [
        DoctorCheck("claude", "ok", "2.1.295, ~/bin/claude")
    ]
    assert examine_host(place, check_program, claude=OLD)[0].says.endswith(", called as a command")


def test_the_patient_has_the_claude_code_of_its_path(place: DaemonSandbox) -> None:
    program = place.root / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 2.1.300\n")
    program.chmod(0o755)
    environ = {**place.environ, "PATH": str(program.parent)}
    hosts = find_setup(place.home, "/", environ).hosts
    assert hosts == ((HOST, HostProgram(str(program), (2, 1, 300))),)


def test_a_missing_curl_is_told(place: DaemonSandbox) -> None:
    (found,) = examine(place, check_client, PATH="/nowhere")
    assert (found.mark, found.fix) == ("bad", "install curl")


def test_a_client_that_was_written_is_fine(place: DaemonSandbox) -> None:
    place.home.client(place.environ)
    (found,) = examine(place, check_client)
    assert (found.mark, found.says) == ("ok", "curl and handrail-hook found")


def test_a_client_is_missed_where_hooks_are_installed(place: DaemonSandbox) -> None:
    (found,) = examine(place, check_client)
    assert found.mark == "ok"
    assert place.run("install", "claude", "--yes", "--handler", "command").returncode == 0
    stop_daemon(place.home)  # it would put the client back
    os.unlink(place.home.client_path)
    (found,) = examine(place, check_client)
    assert (found.mark, found.fix) == ("bad", "handrail doctor --fix")


def test_packages_are_compared_with_what_was_installed(tmp_path: Path) -> None:
    env = PythonEnvironment(tmp_path / "pipx" / "venvs" / "handrail")
    assert diagnose_packages(env.packages).mark == "ok"
    rules = env.site / "handrail" / "review" / "rules.py"
    rules.write_text("RULES = 0\n")
    found = diagnose_packages(env.packages)
    assert (found.mark, found.fix) == ("bad", "pipx reinstall handrail")
    assert str(rules) in found.says


def test_packages_that_nobody_installed_are_told(place: DaemonSandbox) -> None:
    (found,) = examine(place, check_packages)
    assert found.mark == "warn", "here Handrail runs from its sources"


# The hooks


def test_hooks_that_are_nowhere_are_told(place: DaemonSandbox) -> None:
    assert examine_host(place, check_hooks) == [
        DoctorCheck(
            "hooks", "bad", "in no settings file that counts here", "handrail install claude"
        )
    ]


@pytest.mark.parametrize("style", ["http", "command"])
def test_hooks_that_are_loaded_are_named_with_their_file(
    place: DaemonSandbox, style: Style
) -> None:
    settings(place, hooks(place, style))
    assert examine_host(place, check_hooks) == [
        DoctorCheck("hooks", "ok", "loaded from ~/.claude/settings.json")
    ]


def test_a_record_that_cannot_be_read_is_told(place: DaemonSandbox) -> None:
    settings(place, hooks(place))
    Path(place.home.installs).write_text("{broken")
    found = examine_host(place, check_hooks)[0]
    assert (found.mark, found.says) == (
        "bad",
        f"{place.home.installs} cannot be read: hooks that are taken out are not missed",
    )
    assert found.fix.startswith("handrail install claude")


def test_hooks_that_lead_elsewhere_are_to_be_installed_again(place: DaemonSandbox) -> None:
    settings(place, hooks(place, port=1))
    (found,) = examine_host(place, check_hooks)
    assert (found.mark, found.fix) == ("bad", "handrail install claude")
    assert found.says == "those in ~/.claude/settings.json lead elsewhere"


def test_hooks_that_are_not_complete_are_to_be_installed_again(place: DaemonSandbox) -> None:
    whole = json.loads(hooks(place))
    del whole["hooks"]["PostToolUse"]
    settings(place, json.dumps(whole))
    (found,) = examine_host(place, check_hooks)
    assert (found.mark, found.fix) == ("bad", "handrail install claude")
    assert found.says == "those in ~/.claude/settings.json are not complete"


def test_hooks_of_a_project_are_put_back_there(place: DaemonSandbox) -> None:
    file = place.project / ".claude" / "settings.local.json"
    file.parent.mkdir()
    file.write_text(hooks(place, port=1))
    (found,) = examine_host(place, check_hooks)
    assert found.says == "those in ./.claude/settings.local.json lead elsewhere"
    assert found.fix == f"handrail install claude --project {place.project}"


def test_settings_with_a_mistake_are_to_be_corrected_first(place: DaemonSandbox) -> None:
    settings(place, "{")
    found = examine_host(place, check_hooks)[0]
    assert (found.mark, found.fix) == ("bad", "correct it, then: handrail install claude")
    assert found.says.startswith("~/.claude/settings.json: ")


def test_http_hooks_of_an_old_claude_code_are_told(place: DaemonSandbox) -> None:
    settings(place, hooks(place))
    found = examine_host(place, check_hooks, claude=OLD)[-1]
    assert (found.mark, found.fix) == ("bad", "handrail install claude")
    assert "lets a tool run when Handrail does not answer" in found.says


# Who may read the token


def opened(place: DaemonSandbox, style: Style, *, folders: int, file: int) -> list[DoctorCheck]:
    """The findings about settings with these modes."""
    path = settings(place, hooks(place, style))
    path.chmod(file)
    for folder in (path.parent, path.parent.parent, place.root):
        folder.chmod(folders)
    return [found for found in examine_host(place, check_hooks) if found.mark == "warn"]


@pytest.mark.parametrize(("folders", "file"), [(0o755, 0o644), (0o750, 0o640), (0o711, 0o604)])
def test_a_token_that_others_can_read_is_told(
    place: DaemonSandbox, folders: int, file: int
) -> None:
    (found,) = opened(place, "http", folders=folders, file=file)
    path = f"{place.environ['HOME']}/.claude/settings.json"
    assert found.fix == f"chmod 600 {path}"
    assert "the token of the hooks" in found.says


@pytest.mark.parametrize(
    ("folders", "file"), [(0o755, 0o600), (0o700, 0o644), (0o750, 0o604), (0o705, 0o640)]
)
def test_a_token_that_nobody_else_can_reach_is_fine(
    place: DaemonSandbox, folders: int, file: int
) -> None:
    assert opened(place, "http", folders=folders, file=file) == []


def test_a_file_without_a_token_may_be_read_by_everybody(place: DaemonSandbox) -> None:
    assert opened(place, "command", folders=0o755, file=0o644) == []


def test_a_settings_file_that_install_makes_is_private(place: DaemonSandbox) -> None:
    (place.root / "bin").mkdir()
    ran = place.run("install", "claude", "--yes", environ={"CLAUDE_CONFIG_DIR": ""})
    assert ran.returncode == 0, ran.stderr
    mode = os.stat(f"{place.environ['HOME']}/.claude/settings.json").st_mode
    assert stat.S_IMODE(mode) == 0o600


# What keeps hooks from running


def test_a_switch_of_a_project_is_told_with_the_cure(place: DaemonSandbox) -> None:
    file = place.project / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"disableAllHooks": true}')
    (found,) = examine_host(place, check_obstacles)
    assert found.mark == "bad"
    assert found.says.startswith("./.claude/settings.json: disableAllHooks is true")
    assert found.says.endswith("sessions here are NOT supervised")
    assert found.fix.startswith("remove it")


def test_a_switch_of_the_environment_is_told(place: DaemonSandbox) -> None:
    (found,) = examine_host(place, check_obstacles, CLAUDE_CODE_SIMPLE="1")
    assert found.says.startswith("CLAUDE_CODE_SIMPLE is set")


def test_where_nothing_stands_in_the_way_nothing_is_said(place: DaemonSandbox) -> None:
    assert examine_host(place, check_obstacles) == []
