"""The agent cannot reach the controls: no tool and no shell path changes Handrail or its hooks.

The tables stand in self_protection.yaml.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml
from _pytest.mark import ParameterSet

from handrail.config import Config
from handrail.config.panel import PanelSettings
from handrail.config.schema import Rules, StepReviewer
from handrail.model import Action, Decision, Kind, Review, Severity
from handrail.review import Reviewer
from handrail.review.protection.controls import PROGRAM
from handrail.supervise.decision.verdict import overrulable

TABLES = yaml.safe_load((Path(__file__).parent / "self_protection.yaml").read_text("utf-8"))
PORT, PID = "48127", "3141592"
NO_RULES = Config(step_reviewer=StepReviewer(rules=Rules(builtin="none")))


class Guarded:
    """A project with hooks and settings, a home, and a state folder whose name says nothing."""

    def __init__(self, folder: Path) -> None:
        self.home, self.state, self.project = folder / "home", folder / "var/g", folder / "work"
        hooks = json.dumps({"hooks": {"PreToolUse": [{"url": "http://127.0.0.1/handrail"}]}})
        files = {
            self.state: {
                "port": PORT,
                "daemon.lock": json.dumps({"pid": int(PID)}),
                "control-token": "c",
                "hook-token": "h",
                "read-token": "r",
                "panel-sessions.json": "{}",
                "panel-link-0123456789abcdef.html": "",
                "secrets.env": "ANTHROPIC_API_KEY=k",
                "events.db": "",
                "daemon.log": "",
            },
            self.home: {
                ".claude/settings.json": hooks,
                ".config/handrail/handrail.yaml": "",
                ".config/systemd/user/handrail.service": "",
            },
            self.project: {
                "handrail.yaml": "goal: x\n",
                ".claude/settings.json": hooks,
                ".claude/settings.local.json": hooks,
                ".claude/commands/old.md": "# old",
                "src/app.py": "print()\n",
                ".gitignore": "build\n",
                "tools/loosen.py": "from pathlib import Path\nPath('handrail.yaml').unlink()\n",
                "tools/loosen": "#!/usr/bin/env python3\nimport os\nos.remove('handrail.yaml')\n",
                "tools/loosen.js": "require('fs').rmSync('.claude/settings.json')\n",
                "tools/loosen.sh": "rm -rf .claude\n",
                "tools/count.py": "print(len(open('handrail.yaml').read()))\n",
            },
        }
        for root, texts in files.items():
            for name, text in texts.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
        (self.project / "linked").symlink_to(self.home / ".claude")
        for words in ("init -q", "add handrail.yaml .gitignore src .claude/settings.json"):
            subprocess.run(["git", *words.split()], check=True, cwd=self.project)
        self.environ = {"HOME": str(self.home), "HANDRAIL_HOME": str(self.state), "USER": "me"}
        self.reviewer = Reviewer(environ=self.environ)
        self.without_rules = Reviewer(NO_RULES, environ=self.environ)

    def filled(self, text: str) -> str:
        """A line of the tables with the names put in."""
        names = {
            "{port}": PORT,
            "{pid}": PID,
            "{home}": str(self.home),
            "{state}": str(self.state),
            "{state_parent}": str(self.state.parent),
            "{state_name}": self.state.name,
            "{project}": str(self.project),
            "↵": "\n",
        }
        for name, value in names.items():
            text = text.replace(name, value)
        return text

    def review(self, command: str, reviewer: Reviewer | None = None) -> Review:
        """What Handrail says to a command in the project."""
        action = Action("Bash", {"command": self.filled(command)}, str(self.project))
        return (reviewer or self.reviewer).review(action)

    def use(self, tool: str, fields: dict[str, object]) -> Review:
        """What Handrail says to the call of a tool in the project."""
        given = json.loads(self.filled(json.dumps(fields, ensure_ascii=False)))
        return self.reviewer.review(Action(tool, given, str(self.project)))


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Guarded:
    return Guarded(tmp_path_factory.mktemp("guarded"))


def _lines(table: str, *, without: str = "") -> list[ParameterSet]:
    return [
        pytest.param(line, id=f"{group}-{index}")
        for group, text in TABLES[table].items()
        for index, line in enumerate(text.splitlines())
        if group != without
    ]


def _uses(table: str) -> list[ParameterSet]:
    return [
        pytest.param(tool, fields, id=f"{tool}-{index}")
        for index, (tool, fields) in enumerate(TABLES[table])
    ]


@pytest.mark.parametrize("command", _lines("ways"))
def test_no_command_reaches_the_controls(guarded: Guarded, command: str) -> None:
    _assert_refused(guarded.review(command))


@pytest.mark.parametrize("command", _lines("ways", without="other rules stop these"))
def test_no_rule_that_is_switched_off_opens_the_controls(guarded: Guarded, command: str) -> None:
    assert guarded.review(command, guarded.without_rules).decision is Decision.BLOCK


@pytest.mark.parametrize(("tool", "fields"), _uses("tool_ways"))
def test_no_tool_reaches_the_controls(
    guarded: Guarded, tool: str, fields: dict[str, object]
) -> None:
    _assert_refused(guarded.use(tool, fields))


def _assert_refused(review: Review) -> None:
    assert review.decision is Decision.BLOCK, review.effects
    assert review.rewrite is None
    assert not review.faults
    assert review.reasons
    assert review.alternative


REMOTE = Config(panel=PanelSettings(url="https://box.example.net", listen="127.0.0.1:8443"))


@pytest.mark.parametrize(
    "command",
    [
        "curl https://box.example.net/api/v1/runs",
        "curl https://BOX.example.net:443/",
        "curl -k https://localhost:8443/api/v1/session",
    ],
)
def test_the_panels_other_addresses_are_controls_too(guarded: Guarded, command: str) -> None:
    _assert_refused(guarded.review(command, Reviewer(REMOTE, environ=guarded.environ)))


def test_other_ports_and_hosts_beside_the_panel_are_none(guarded: Guarded) -> None:
    reviewer = Reviewer(REMOTE, environ=guarded.environ)
    for command in ("curl http://localhost:8444/", "curl https://example.net/"):
        assert not guarded.review(command, reviewer).decision.stops


@pytest.mark.parametrize("command", _lines("neighbours"))
def test_the_work_beside_them_goes_on(guarded: Guarded, command: str) -> None:
    review = guarded.review(command)
    assert not review.decision.stops, review.reasons


@pytest.mark.parametrize(("tool", "fields"), _uses("tool_neighbours"))
def test_other_tools_go_on(guarded: Guarded, tool: str, fields: dict[str, object]) -> None:
    review = guarded.use(tool, fields)
    assert not review.decision.stops, review.reasons


def test_what_is_no_control_in_the_hosts_folder_is_deleted_like_any_other_file(
    guarded: Guarded,
) -> None:
    assert guarded.review("rm .claude/commands/old.md").rewrite is not None


@pytest.mark.parametrize("command", ["cat {state}/secrets.env", "echo x >> {state}/secrets.env"])
def test_no_person_is_asked_about_the_passwords_either(guarded: Guarded, command: str) -> None:
    """The state folder lies in the temp folder here, where an agent may do most things."""
    assert not overrulable(guarded.review(command))


@pytest.mark.parametrize("command", ["git stash -u", "git clean -fdx", "git checkout main -- ."])
def test_git_sweeps_where_no_control_lies_in_its_way(tmp_path: Path, command: str) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.local.json").write_text('{"model": "sonnet"}')
    review = Reviewer(environ={"HOME": str(tmp_path / "home")}).review(
        Action("Bash", {"command": command}, str(tmp_path))
    )
    assert review.decision is not Decision.BLOCK


def test_a_port_is_learnt_when_the_daemon_has_chosen_it(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "HANDRAIL_HOME": str(tmp_path / "state")}
    reviewer = Reviewer(environ=environ)
    action = Action("Bash", {"command": f"curl http://localhost:{PORT}/"}, str(tmp_path))
    assert reviewer.review(action).decision is Decision.ALLOW
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "port").write_text(PORT)
    assert reviewer.review(action).decision is Decision.BLOCK


def test_a_host_may_have_its_settings_elsewhere(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path / "home"), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    command = f"echo '{{}}' > {tmp_path}/claude/settings.json"
    action = Action("Bash", {"command": command}, str(tmp_path), environ)
    assert Reviewer(environ=environ).review(action).decision is Decision.BLOCK


def test_a_process_is_known_by_its_present_number(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "HANDRAIL_HOME": str(tmp_path / "state")}
    reviewer = Reviewer(environ=environ)
    daemon = tmp_path / "state" / "daemon.lock"
    daemon.parent.mkdir()
    for pid in (4711, 4712):
        daemon.write_text(json.dumps({"pid": pid}))
        ends = Action("Bash", {"command": f"kill {pid}"}, str(tmp_path))
        assert reviewer.review(ends).decision is Decision.BLOCK


def test_settings_that_nobody_supervises_by_are_only_an_agents_settings(guarded: Guarded) -> None:
    """In a session of another machine nobody can tell whether hooks are loaded from a file."""
    blind = Reviewer(environ={"HOME": "/home/me"}, see_disk=False)
    action = Action("Bash", {"command": "echo '{}' > ~/.claude/settings.json"}, "/work")
    worst = max(blind.review(action).effects, key=lambda effect: effect.severity)
    assert (worst.kind, worst.severity) == (Kind.PERSIST, Severity.HIGH)


def test_the_running_program_is_a_control_wherever_it_was_installed_from(tmp_path: Path) -> None:
    action = Action("Bash", {"command": f"touch {PROGRAM}__init__.py"}, str(tmp_path))
    review = Reviewer(environ={"HOME": str(tmp_path)}).review(action)
    assert review.decision is Decision.BLOCK
    assert "Handrail's own file" in review.explanation


def test_whoever_works_on_handrail_may_change_it(tmp_path: Path) -> None:
    action = Action("Bash", {"command": f"touch {PROGRAM}__init__.py"}, PROGRAM.rstrip("/"))
    config = Config(scope=(os.path.dirname(PROGRAM.rstrip("/")),))
    assert (
        Reviewer(config, environ={"HOME": str(tmp_path)}).review(action).decision is Decision.ALLOW
    )
