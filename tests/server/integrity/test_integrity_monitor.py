"""What is lost is put back and said; who did it is named only where it is certain."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.hosts.settings_file import save_installs
from tests.server.integrity.bench import INSTALL, IntegrityBench, replace

pytestmark = pytest.mark.slow

OFF = '{"disableAllHooks": true}'


@pytest.fixture
def bench(tmp_path: Path) -> IntegrityBench:
    return IntegrityBench(tmp_path)


# A call did it


def test_hooks_that_a_call_took_out_are_put_back_and_the_run_is_stopped(
    bench: IntegrityBench,
) -> None:
    before = bench.settings.read_bytes()
    bench.start()
    bench.begin(7)
    bench.settings.write_text("{}\n")
    bench.end(7)
    waits = [bench.monitor.is_unsettled]
    bench.later()
    waits.append(bench.monitor.is_unsettled)
    assert waits == [True, False], "hooks wait until it is settled"
    assert bench.settings.read_bytes() == before
    assert bench.stopped == ["r1"]
    finding = bench.consequences.stopped[0][1]
    assert finding.evidence == (7,)
    assert "step 7, Bash" in finding.says
    assert str(bench.settings) in finding.says
    [notice] = bench.notices.unseen()
    assert (notice.run, notice.incident) == ("r1", "incident-of-r1")


@pytest.mark.parametrize("text", ["", "{", "no settings", '{"hooks": {}}'])
def test_whatever_a_call_leaves_of_the_file_the_hooks_come_back(
    bench: IntegrityBench, text: str
) -> None:
    bench.start()
    bench.begin()
    bench.settings.write_text(text)
    bench.end()
    bench.later()
    assert bench.is_installed()
    json.loads(bench.settings.read_text())


@pytest.mark.parametrize("text", ["", "{}", "{", None])
def test_settings_that_a_call_has_emptied_come_back_whole(tmp_path: Path, text: str | None) -> None:
    bench = IntegrityBench(tmp_path)
    was = bench.install('{"model": "opus", "permissions": {"deny": ["WebFetch"]}}')
    bench.start()
    bench.begin()
    if text is None:
        bench.settings.unlink()
    else:
        bench.settings.write_text(text)
    bench.end()
    bench.later()
    assert bench.settings.read_text() == was


def test_what_a_call_left_beside_the_hooks_stays(tmp_path: Path) -> None:
    bench = IntegrityBench(tmp_path)
    bench.install('{"model": "opus"}')
    bench.start()
    bench.begin()
    bench.settings.write_text('{"model": "sonnet"}')
    bench.end()
    bench.later()
    assert bench.is_installed()
    assert json.loads(bench.settings.read_text())["model"] == "sonnet"


def make_a_folder(settings: Path) -> None:
    settings.unlink()
    settings.mkdir()


def make_a_pipe(settings: Path) -> None:
    settings.unlink()
    os.mkfifo(settings)


@pytest.mark.parametrize("make", [make_a_folder, make_a_pipe])
def test_what_stands_in_the_place_of_the_settings_is_moved_aside(
    bench: IntegrityBench, make: Callable[[Path], None]
) -> None:
    was = bench.settings.read_text()
    bench.start()
    bench.begin()
    make(bench.settings)
    bench.end()
    bench.later()
    assert bench.settings.read_text() == was
    assert bench.stopped == ["r1"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
@pytest.mark.parametrize("name", ["settings.json", ""])
def test_settings_that_a_call_has_closed_are_opened_again(bench: IntegrityBench, name: str) -> None:
    was = bench.settings.read_text()
    bench.start()
    bench.begin()
    (bench.settings.parent / name).chmod(0)
    bench.end()
    bench.later()
    assert bench.settings.read_text() == was


def test_a_deleted_folder_of_the_host_is_made_again(bench: IntegrityBench) -> None:
    bench.start()
    bench.begin()
    bench.settings.unlink()
    bench.settings.parent.rmdir()
    bench.end()
    bench.later()
    assert bench.is_installed()
    assert bench.stopped == ["r1"]


def test_a_single_hook_that_leads_elsewhere_is_a_loss(bench: IntegrityBench) -> None:
    bench.start()
    bench.begin()
    text = bench.settings.read_text()
    bench.settings.write_text(text.replace(f":{bench.home.port}/", ":9/", 3))
    bench.end()
    bench.later()
    assert bench.settings.read_text() == text
    assert bench.stopped == ["r1"]


def test_what_else_stands_in_the_file_stays_as_it_is(bench: IntegrityBench) -> None:
    bench.start()
    bench.begin()
    bench.settings.write_text('{"model" :  "opus"}')
    bench.end()
    bench.later()
    assert '"model" :  "opus"' in bench.settings.read_text()
    assert bench.is_installed()


def test_a_switch_that_a_call_put_in_is_taken_out_again(bench: IntegrityBench) -> None:
    local = bench.project / ".claude" / "settings.local.json"
    bench.start()
    bench.begin()
    local.parent.mkdir()
    local.write_text('{"model": "opus", "disableAllHooks": true}')
    bench.end()
    bench.later()
    assert json.loads(local.read_text()) == {"model": "opus"}
    assert bench.stopped == ["r1"]


def test_a_token_that_a_call_opened_for_all_is_closed_again(bench: IntegrityBench) -> None:
    token = Path(bench.home.path, "control-token")
    assert bench.home.control_token
    bench.start()
    bench.monitor.turn()
    bench.begin()
    token.chmod(0o644)
    bench.end()
    bench.later()
    assert token.stat().st_mode & 0o777 == 0o600
    assert bench.stopped == ["r1"]


def test_a_hook_client_that_a_call_replaced_is_put_back(bench: IntegrityBench) -> None:
    client = Path(bench.home.client_path)
    before = client.read_bytes()
    bench.start()
    bench.begin()
    client.write_text("#!/bin/sh\necho {}\n")
    bench.end()
    bench.later()
    assert client.read_bytes() == before
    assert bench.stopped == ["r1"]


def test_of_two_runs_with_a_call_under_way_none_is_blamed(bench: IntegrityBench) -> None:
    bench.start("r1")
    bench.start("r2")
    bench.begin(1, "r1")
    bench.begin(1, "r2")
    bench.settings.write_text("{}")
    bench.end(1, "r1")
    bench.later()
    assert bench.stopped == []
    assert bench.is_installed()
    assert "Somebody did that" in bench.says[0]


@pytest.mark.parametrize("command", ["ls", "sleep 60", "git status"])
def test_a_call_that_only_reads_is_not_blamed(bench: IntegrityBench, command: str) -> None:
    bench.start()
    bench.begin(command=command)
    bench.settings.write_text("{}")
    bench.end()
    bench.later()
    assert bench.stopped == []
    assert bench.is_installed()


# Nobody's call did it


def test_between_two_calls_it_was_somebody(bench: IntegrityBench) -> None:
    bench.start()
    bench.settings.write_text("{}")
    bench.later()
    assert bench.stopped == []
    assert bench.is_installed()
    assert "Somebody did that" in bench.says[0]


def test_without_a_run_nothing_is_put_back_and_the_way_out_is_said(bench: IntegrityBench) -> None:
    bench.settings.write_text("{}")
    bench.later()
    assert bench.settings.read_text() == "{}"
    assert bench.stopped == []
    assert "NOT supervised" in bench.says[0]
    assert INSTALL in bench.says[0]
    assert "handrail uninstall claude" in bench.says[0]


def test_the_same_loss_is_said_once(bench: IntegrityBench) -> None:
    bench.settings.write_text("{}")
    for _ in range(3):
        bench.later()
    assert len(bench.says) == 1


def test_a_file_under_version_control_is_not_rewritten(tmp_path: Path) -> None:
    bench = IntegrityBench(tmp_path)
    project = bench.project / ".claude" / "settings.json"
    git(bench.project, "init", "-q")
    bench.install(path=project)
    git(bench.project, "add", "-A")
    bench.start()
    bench.begin(command="git checkout other")
    project.write_text("{}")
    bench.end()
    bench.later()
    assert project.read_text() == "{}"
    assert bench.stopped == []
    assert "under version control" in bench.says[0]
    assert "NOT supervised" in bench.says[0]


def test_a_tool_that_writes_the_file_back_gets_its_way_after_two_repairs(
    bench: IntegrityBench,
) -> None:
    bench.start()
    for _ in range(3):
        bench.settings.write_text('{"by": "a dotfile tool"}')
        bench.later()
    assert bench.settings.read_text() == '{"by": "a dotfile tool"}'
    assert bench.stopped == []
    assert "another tool owns the file" in bench.says[-1]
    bench.later(700)
    bench.settings.write_text('{"by": "a dotfile tool", "again": 1}')
    bench.later()
    assert not bench.is_installed(), "it was said, and a person has to settle it"


def test_install_settles_a_loss(bench: IntegrityBench) -> None:
    bench.settings.write_text("{}")
    bench.later()
    bench.install()
    bench.start()
    bench.later()
    bench.settings.write_text("{}")
    bench.later()
    assert bench.is_installed()


def test_uninstall_is_no_loss(bench: IntegrityBench) -> None:
    bench.start()
    bench.begin()
    bench.settings.write_text("{}")
    save_installs(bench.home.installs, [])
    bench.end()
    bench.later()
    assert bench.says == []
    assert bench.stopped == []
    assert bench.settings.read_text() == "{}"


# Everyday life


def test_a_person_may_edit_the_settings_while_a_call_runs(bench: IntegrityBench) -> None:
    bench.start(attended=True)
    bench.begin(attended=True)
    text = bench.settings.read_text()
    edited = text.replace('"hooks"', '"model": "opus", "hooks"', 1).replace("600", "300")
    # An editor writes in steps: what is there in between is no loss.
    bench.settings.write_text("")
    bench.monitor.turn()
    bench.settings.write_text(edited)
    bench.end(attended=True)
    bench.later()
    assert bench.settings.read_text() == edited
    assert (bench.says, bench.stopped) == ([], [])


def test_the_host_may_save_a_permission(bench: IntegrityBench) -> None:
    local = bench.project / ".claude" / "settings.local.json"
    bench.install(path=local)
    bench.start(attended=True)
    bench.begin(attended=True)
    # It rewrites the file with its own idea of spaces.
    found = json.loads(local.read_text())
    replace(local, json.dumps({**found, "permissions": {"allow": ["Bash(ls)"]}}, indent=4))
    bench.end(attended=True)
    bench.later()
    assert "permissions" in json.loads(local.read_text())
    assert (bench.says, bench.stopped) == ([], [])


def test_a_person_who_switches_hooks_off_at_the_host_is_told_and_not_overruled(
    bench: IntegrityBench,
) -> None:
    local = bench.project / ".claude" / "settings.local.json"
    bench.start(attended=True)
    bench.begin(attended=True)
    local.parent.mkdir()
    local.write_text(OFF)
    bench.end(attended=True)
    bench.later()
    assert local.read_text() == OFF
    assert bench.stopped == []
    assert "disableAllHooks" in bench.says[0]


def test_a_branch_with_other_settings_stops_nothing(tmp_path: Path) -> None:
    bench = IntegrityBench(tmp_path)
    git(bench.project, "init", "-q")
    settings = bench.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{}")
    git(bench.project, "add", "-A")
    bench.start()
    bench.begin(command="git switch other")
    settings.write_text('{"env": {"A": "b"}}')
    bench.end()
    bench.later()
    assert (bench.says, bench.stopped) == ([], [])


@pytest.mark.parametrize("before", [None, "", '{\n    "model": "opus"\n}\n'])
def test_a_branch_that_switches_hooks_off_is_overruled_for_this_machine(
    tmp_path: Path, before: str | None
) -> None:
    bench = IntegrityBench(tmp_path)
    settings, local = committed_settings(bench)
    if before is not None:
        local.write_text(before)
    bench.start()
    bench.begin(command="git switch other")
    settings.write_text(OFF)
    bench.end()
    bench.later()
    assert settings.read_text() == OFF, "it belongs to the repository"
    assert json.loads(local.read_text()) == {
        **json.loads(before or "{}"),
        "disableAllHooks": False,
    }
    assert bench.stopped == [], "a branch may have brought it"
    assert str(local) in bench.says[0]
    assert git(bench.project, "status", "--porcelain", "--", ".claude/settings.local.json") == ""
    bench.later()
    assert len(bench.says) == 1


def test_a_branch_that_a_person_switched_to_is_only_reported(tmp_path: Path) -> None:
    bench = IntegrityBench(tmp_path)
    settings, local = committed_settings(bench)
    bench.start()
    settings.write_text(OFF)
    bench.later()
    assert not local.exists()
    assert "NOT supervised" in bench.says[0]


@pytest.mark.parametrize("theirs", ['{"disableAllHooks": true}', "no settings"])
def test_what_the_file_of_this_machine_says_stays(tmp_path: Path, theirs: str) -> None:
    bench = IntegrityBench(tmp_path)
    settings, local = committed_settings(bench)
    local.write_text(theirs)
    bench.start()
    bench.begin(command="git switch other")
    settings.write_text(OFF)
    bench.end()
    bench.later()
    assert local.read_text() == theirs


def committed_settings(bench: IntegrityBench) -> tuple[Path, Path]:
    """The shared settings of the project, in git, and those of this machine."""
    settings = bench.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{}")
    git(bench.project, "init", "-q")
    git(bench.project, "add", "-A")
    return settings, settings.with_name("settings.local.json")


def test_the_client_may_be_written_again_by_another_terminal(bench: IntegrityBench) -> None:
    bench.start()
    bench.begin()
    bench.home.client({"PATH": "/opt/bin:/usr/bin:/bin", "HOME": os.path.dirname(bench.home.path)})
    bench.end()
    bench.later()
    assert (bench.says, bench.stopped) == ([], [])


def git(folder: Path, *arguments: str) -> str:
    return subprocess.check_output(["git", "-C", str(folder), *arguments], text=True)
