"""Hooks that are no longer in force are noticed from the files alone."""

import json
from pathlib import Path

import pytest

from handrail.hosts.claude.guard import hooks_problem
from handrail.hosts.claude.settings import HookOptions, add, remove
from handrail.hosts.json_text import MAX_CHARACTERS

URL = "http://127.0.0.1:47100/hooks/claude"
HOOKING = HookOptions("http", URL, "token", "/state/bin/handrail-hook", (2, 1, 325))


class Machine:
    """A home with Handrail in its settings, and a project."""

    def __init__(self, root: Path) -> None:
        self.user = root / "home" / ".claude" / "settings.json"
        self.project = root / "project"
        self.local = self.project / ".claude" / "settings.local.json"
        for file in (self.user, self.local):
            file.parent.mkdir(parents=True)
        self.user.write_text(add('{"model": "sonnet"}', HOOKING))
        self.environ = {"HOME": str(root / "home")}

    def problem(self, *installed: Path) -> str:
        paths = [str(path) for path in installed or (self.user,)]
        return hooks_problem(self.environ, str(self.project), paths, url=URL)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_an_installation_as_it_was_made_is_fine(machine: Machine) -> None:
    assert machine.problem() == ""


def test_hooks_that_were_taken_out_are_missed(machine: Machine) -> None:
    machine.user.write_text(remove(machine.user.read_text()))
    assert "were taken out of" in machine.problem()


def test_a_deleted_file_is_missed(machine: Machine) -> None:
    machine.user.unlink()
    assert str(machine.user) in machine.problem()


def test_a_file_that_does_not_load_is_missed(machine: Machine) -> None:
    machine.user.write_text(machine.user.read_text() + "}")
    assert "were taken out of" in machine.problem()


@pytest.mark.parametrize("field", ["onFailure", "url"])
def test_a_handler_that_was_made_harmless_is_missed(machine: Machine, field: str) -> None:
    settings = json.loads(machine.user.read_text())
    for group in settings["hooks"]["PreToolUse"]:
        for handler in group["hooks"]:
            handler.pop(field, None)
    machine.user.write_text(json.dumps(settings))
    assert "were taken out of" in machine.problem()


def test_a_matcher_that_was_narrowed_is_missed(machine: Machine) -> None:
    settings = json.loads(machine.user.read_text())
    settings["hooks"]["PreToolUse"][1]["matcher"] = "NoSuchTool"
    machine.user.write_text(json.dumps(settings))
    assert "were taken out of" in machine.problem()


def test_a_project_that_switches_hooks_off_is_found(machine: Machine) -> None:
    machine.local.write_text('{"disableAllHooks": true}')
    assert "disableAllHooks" in machine.problem()


@pytest.mark.parametrize(
    "text",
    [
        '{"disableAllHooks": false, "disableAllHooks": true}',
        '{"disableAllHooks": true, "x": ' + "[" * 200 + "]" * 200 + "}",
        '\ufeff{"disableAllHooks": true, "x": ' + "9" * 5000 + "}",
    ],
    ids=["twice", "deep", "long-number"],
)
def test_hooks_are_found_switched_off_however_odd_the_file_is(machine: Machine, text: str) -> None:
    """Claude Code takes all of these."""
    machine.local.write_text(text)
    assert "disableAllHooks" in machine.problem()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"disableAllHooks": false' + " " * MAX_CHARACTERS + "}", "too large"),
        ('{"x": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    ],
    ids=["large", "deep"],
)
def test_a_file_that_cannot_be_looked_through_is_not_taken_for_harmless(
    machine: Machine, text: str, says: str
) -> None:
    machine.local.write_text(text)
    assert says in machine.problem()


def test_a_huge_file_is_not_read_to_its_end(machine: Machine) -> None:
    with machine.local.open("w") as file:
        file.truncate(2**33)
    assert "too large" in machine.problem()


def test_a_project_that_names_a_proxy_is_found(machine: Machine) -> None:
    machine.local.write_text('{"env": {"HTTPS_PROXY": "http://127.0.0.1:1"}}')
    assert "HTTPS_PROXY" in machine.problem()


def test_hooks_that_came_another_way_are_not_missed(machine: Machine) -> None:
    machine.user.write_text("{}")
    assert machine.problem(machine.project / "elsewhere.json") == ""
