"""`handrail install` and `uninstall`, with the real daemon and a stand-in for `claude`."""

import json
import os
import pty
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from handrail.cli.commands.install import command as install
from handrail.cli.commands.uninstall import command as uninstall
from handrail.server.home import Home
from handrail.server.hook_connection import hook_connection
from handrail.server.http.socket_client import daemon_health
from handrail.server.launcher import stop_daemon

pytestmark = pytest.mark.slow

TABS = b'{\r\n\t"model": "opus",\r\n\t"hooks": {"Stop": []}\r\n}'


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """One state folder and daemon for all tests here; each has a home of its own."""
    home = Home(str(tmp_path_factory.mktemp("state") / "h"))
    yield home
    stop_daemon(home)


class InstallHome:
    """A home with settings, a project, and a `claude` that says its version."""

    def __init__(self, root: Path, state: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = root / "home"
        self.project = self.home / "shop"
        self.project.mkdir(parents=True)
        self.settings = self.home / ".claude/settings.json"
        self.local = self.project / ".claude/settings.local.json"
        self.state = state
        self._bin = root / "bin"
        self._bin.mkdir()
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "CLAUDE_CONFIG_DIR"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(self.home))
        monkeypatch.setenv("HANDRAIL_HOME", state.path)
        monkeypatch.setenv("PATH", f"{self._bin}:/usr/bin:/bin")
        monkeypatch.chdir(self.project)
        self.claude("2.1.325 (Claude Code)")

    def claude(self, says: str) -> None:
        program = self._bin / "claude"
        program.write_text(f"#!/bin/sh\necho '{says}'\n")
        program.chmod(0o755)

    def no_claude(self) -> None:
        (self._bin / "claude").unlink()

    def write(self, data: bytes) -> None:
        self.settings.parent.mkdir(exist_ok=True)
        self.settings.write_bytes(data)

    def run(self, command: click.Command, *args: str) -> str:
        """What a command prints; it must end well."""
        result = CliRunner().invoke(command, ["claude", *args], standalone_mode=False)
        if result.exception:
            raise result.exception
        assert result.return_value == 0
        assert all(len(line) <= 80 for line in result.output.splitlines() if "{" not in line[:1])
        return result.output

    def answer(self, command: click.Command, *args: str) -> Any:
        return json.loads(self.run(command, "--json", *args))

    def kinds(self, path: Path) -> set[str]:
        """The kinds of handlers that decide about tools."""
        groups = json.loads(path.read_bytes())["hooks"]["PreToolUse"]
        return {handler["type"] for group in groups for handler in group["hooks"]}


@pytest.fixture
def world(tmp_path: Path, state: Home, monkeypatch: pytest.MonkeyPatch) -> InstallHome:
    return InstallHome(tmp_path, state, monkeypatch)


def test_installing_shows_the_change_and_makes_it(world: InstallHome) -> None:
    world.write(TABS)
    out = world.run(install, "--yes")
    assert "+++ ~/.claude/settings.json" in out
    assert "✓ Installed in ~/.claude/settings.json. The daemon is running." in out
    assert "handrail doctor" in out
    assert world.kinds(world.settings) == {"http"}
    assert daemon_health(world.state) is not None


def test_the_token_is_not_shown(world: InstallHome) -> None:
    shown = world.run(install, "--yes", "--dry-run") + world.run(install, "--yes")
    shown += json.dumps(world.answer(uninstall, "--dry-run"))
    assert "Bearer …" in shown
    assert world.state.hook_token in world.settings.read_text()
    assert world.state.hook_token not in shown


def test_installing_twice_changes_nothing(world: InstallHome) -> None:
    world.write(TABS)
    world.run(install, "--yes")
    once = world.settings.read_bytes()
    assert "is already installed in ~/.claude/settings.json" in world.run(install)
    assert world.settings.read_bytes() == once


def test_a_broken_record_is_told_kept_and_replaced(world: InstallHome) -> None:
    world.write(TABS)
    world.run(install, "--yes")
    record = Path(world.state.installs)
    record.write_text("{broken")
    out = world.run(install)
    assert "Handrail keeps it and starts a new one" in " ".join(out.split())
    asides = list(record.parent.glob("installs.json.damaged-*"))
    assert [aside.read_text() for aside in asides] == ["{broken"]
    assert "is kept beside" not in world.run(install)
    world.run(uninstall, "--yes")
    assert json.loads(world.settings.read_bytes()) == json.loads(TABS)


def test_uninstalling_gives_the_file_back_byte_for_byte(world: InstallHome) -> None:
    world.write(TABS)
    world.run(install, "--yes")
    out = world.run(uninstall, "--yes")
    assert "is what it was before, byte for byte" in out
    assert world.settings.read_bytes() == TABS
    assert "is not installed in ~/.claude/settings.json" in world.run(uninstall)


def test_uninstalling_takes_only_ours_from_a_file_that_was_changed(world: InstallHome) -> None:
    world.write(b'{"model": "opus"}')
    world.run(install, "--yes")
    world.write(world.settings.read_bytes().replace(b"opus", b"haiku"))
    assert "Removed only Handrail's hooks" in world.run(uninstall, "--yes")
    assert world.settings.read_bytes() == b'{"model": "haiku"}'


def test_uninstalling_works_without_the_state_folder(
    world: InstallHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write(TABS)
    world.run(install, "--yes")
    monkeypatch.setenv("HANDRAIL_HOME", str(tmp_path / "gone"))
    world.run(uninstall, "--yes")
    assert world.settings.read_bytes() == TABS
    assert not (tmp_path / "gone").exists()


def test_a_settings_file_that_was_made_goes_again(world: InstallHome) -> None:
    world.run(install, "--yes")
    assert "it held only Handrail's hooks" in world.run(uninstall, "--yes")
    assert not world.settings.parent.exists()


@pytest.mark.parametrize("command", [install, uninstall])
def test_without_a_terminal_consent_must_be_given(
    world: InstallHome, command: click.Command
) -> None:
    if command is uninstall:
        world.run(install, "--yes")
    before = world.settings.read_bytes() if world.settings.exists() else None
    for args in ((), ("--json",)):
        with pytest.raises(click.UsageError, match="add --yes"):
            world.run(command, *args)
    assert (world.settings.read_bytes() if world.settings.exists() else None) == before


def test_a_dry_run_changes_nothing_at_all(
    world: InstallHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDRAIL_HOME", str(tmp_path / "fresh"))
    out = world.run(install, "--dry-run")
    assert '"PostToolBatch"' in out
    assert "more lines" not in out
    assert "Nothing was changed" in out
    assert not world.settings.exists()
    assert not (tmp_path / "fresh").exists()


def test_the_result_for_programs(world: InstallHome) -> None:
    done = world.answer(install, "--yes")
    assert {key: done[key] for key in ("host", "path", "changed", "done", "handler")} == {
        "host": "claude",
        "path": str(world.settings),
        "changed": True,
        "done": True,
        "handler": "http",
    }
    assert done["claude"]["version"] == [2, 1, 325]
    assert "+++ ~/.claude/settings.json" in done["diff"]
    again = world.answer(install)
    assert (again["changed"], again["diff"]) == (False, "")
    gone = world.answer(uninstall, "--yes")
    assert (gone["changed"], gone["done"], gone["exact"]) == (True, True, True)


# How Claude Code is to call us


def test_an_older_version_calls_a_command(world: InstallHome) -> None:
    world.claude("2.0.76 (Claude Code)")
    assert "called as a command, as before 2.1.295" in world.run(install, "--yes")
    assert world.kinds(world.settings) == {"command"}
    assert "PostToolBatch" not in world.settings.read_text()


def test_a_version_that_would_run_the_original_command_is_refused(world: InstallHome) -> None:
    world.claude("1.0.128 (Claude Code)")
    with pytest.raises(click.UsageError, match=r"2\.0\.10 or newer is needed"):
        world.run(install, "--yes")
    assert not world.settings.exists()


def test_an_older_version_cannot_be_made_to_call_by_http(world: InstallHome) -> None:
    world.claude("2.1.294 (Claude Code)")
    with pytest.raises(click.UsageError, match=r"needs Claude Code 2\.1\.295"):
        world.run(install, "--yes", "--handler", "http")
    assert not world.settings.exists()


def test_a_version_that_is_not_known_gets_what_every_version_understands(
    world: InstallHome,
) -> None:
    world.claude("hello")
    assert "version unknown" in world.run(install, "--yes")
    assert world.kinds(world.settings) == {"command"}
    assert "ConfigChange" not in world.settings.read_text()


def test_without_claude_the_newest_is_assumed(world: InstallHome) -> None:
    world.no_claude()
    assert "Claude Code was not found" in world.run(install, "--yes")
    assert world.kinds(world.settings) == {"http"}


def test_a_command_can_be_asked_for(world: InstallHome) -> None:
    world.run(install, "--yes", "--handler", "command")
    assert world.kinds(world.settings) == {"command"}
    assert world.state.hook_token not in world.settings.read_text()


def test_with_a_proxy_it_is_a_command(world: InstallHome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    assert "because HTTPS_PROXY is set" in world.run(install, "--yes")
    assert world.kinds(world.settings) == {"command"}


def test_changing_how_it_is_called_replaces_the_old_hooks(world: InstallHome) -> None:
    world.write(TABS)
    world.run(install, "--yes", "--handler", "command")
    world.run(install, "--yes")
    assert world.kinds(world.settings) == {"http"}
    world.run(uninstall, "--yes")
    assert world.settings.read_bytes() == TABS


def test_the_hooks_lead_to_the_client_that_is_there(world: InstallHome) -> None:
    assert hook_connection(world.state).client == world.state.client()


# In a project


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_a_project_gets_settings_of_this_machine(world: InstallHome) -> None:
    out = world.run(install, "--yes", "--project")
    assert "./.claude/settings.local.json" in out
    assert "handrail uninstall claude --project ." in out
    assert world.kinds(world.local) == {"http"}
    assert not world.settings.exists()
    world.run(uninstall, "--yes", "--project", ".")
    assert not world.local.parent.exists()


def test_git_does_not_pick_the_settings_up(world: InstallHome) -> None:
    _git(world.project, "init", "-q")
    exclude = world.project / ".git/info/exclude"
    before = exclude.read_bytes() if exclude.exists() else b""
    out = world.run(install, "--yes", "--project")
    assert "so that git ignores it" in out
    assert "+/.claude/settings.local.json" in out
    assert _git(world.project, "status", "--short") == ""
    world.run(uninstall, "--yes", "--project")
    assert (exclude.read_bytes() if exclude.exists() else b"") == before


def test_settings_that_git_tracks_are_left_alone(world: InstallHome) -> None:
    _git(world.project, "init", "-q")
    world.local.parent.mkdir()
    world.local.write_text("{}")
    _git(world.project, "add", "-f", ".claude/settings.local.json")
    with pytest.raises(click.ClickException, match="git rm --cached"):
        world.run(install, "--yes", "--project")
    assert world.local.read_text() == "{}"


def test_a_token_in_a_repository_of_settings_is_warned_of(world: InstallHome) -> None:
    world.write(b"{}")
    _git(world.settings.parent, "init", "-q")
    assert "Do not commit the token" in world.run(install, "--dry-run")
    assert "the token" not in world.run(install, "--dry-run", "--handler", "command")


def test_other_places_are_named(world: InstallHome) -> None:
    world.run(install, "--yes", "--project")
    world.run(install, "--yes")
    out = world.run(uninstall, "--yes")
    assert "Still installed in ./.claude/settings.local.json" in out
    world.run(uninstall, "--yes", "--project")


def test_a_place_must_be_clear(world: InstallHome) -> None:
    with pytest.raises(click.UsageError, match="use --user or --project"):
        world.run(install, "--user", "--project", ".")
    with pytest.raises(click.UsageError, match="no such folder"):
        world.run(install, "--project", "nowhere")


# What is in the way


def test_what_keeps_hooks_from_running_is_said(world: InstallHome) -> None:
    world.write(b'{"disableAllHooks": true, "allowedHttpHookUrls": []}')
    out = world.run(install, "--dry-run")
    assert "! ~/.claude/settings.json: disableAllHooks is true" in out
    assert "! ~/.claude/settings.json: allowedHttpHookUrls lacks ours" in out
    assert len(world.answer(install, "--dry-run")["problems"]) == 2


def test_a_file_with_comments_is_left_alone(world: InstallHome) -> None:
    world.write(b'{\n  // mine\n  "a": 1\n}')
    for command in (install, uninstall):
        with pytest.raises(click.ClickException, match="line 2, column 3: a comment"):
            world.run(command, "--yes")
    assert world.settings.read_bytes() == b'{\n  // mine\n  "a": 1\n}'


def test_a_file_that_is_read_only_is_left_alone(world: InstallHome) -> None:
    world.write(b"{}")
    world.settings.chmod(0o444)
    with pytest.raises(PermissionError, match="nothing was changed"):
        world.run(install, "--yes")
    assert world.settings.read_bytes() == b"{}"


def test_without_a_daemon_nothing_is_installed(
    world: InstallHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = tmp_path / "taken"
    monkeypatch.setenv("HANDRAIL_HOME", str(taken))
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken.mkdir(mode=0o700)
        (taken / "port").write_text(str(other.getsockname()[1]))
        with pytest.raises(click.ClickException, match="Nothing was changed"):
            world.run(install, "--yes")
    assert not world.settings.exists()


# On a terminal


def _at_terminal(world: InstallHome, module: str, keys: bytes) -> tuple[int, str]:
    """Run a command on a terminal of its own and type when it asks."""
    script = f"import sys; from {module} import command; sys.exit(command(standalone_mode=False))"
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", script, "claude"], stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    said = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        said += data
        if b"[Y/n]" in data:
            os.write(ours, keys)
    os.close(ours)
    return child.wait(60), said.decode()


def test_on_a_terminal_it_asks_and_no_means_no(world: InstallHome) -> None:
    code, said = _at_terminal(world, "handrail.cli.commands.install", b"n\n")
    assert "Install? [Y/n]" in said
    assert (code, "Nothing was changed" in said) == (1, True)
    assert not world.settings.exists()


def test_on_a_terminal_it_asks_and_enter_means_yes(world: InstallHome) -> None:
    code, said = _at_terminal(world, "handrail.cli.commands.install", b"\n")
    assert (code, "Installed in" in said) == (0, True)
    assert "\x1b[32m" in said
    code, said = _at_terminal(world, "handrail.cli.commands.uninstall", b"\n")
    assert (code, "Uninstall? [Y/n]" in said) == (0, True)
    assert not world.settings.exists()


def test_without_colour_nothing_is_coloured(
    world: InstallHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    _, said = _at_terminal(world, "handrail.cli.commands.install", b"n\n")
    assert "\x1b[" not in said
