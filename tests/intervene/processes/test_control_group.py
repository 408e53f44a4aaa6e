"""A control group holds what a run has started, whatever it sheds: parent, session, environment."""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.intervene.processes.control_group import (
    ControlGroup,
    group_in_systemd,
    is_group_of,
    make_group,
    members_of,
    remove_group,
)
from handrail.intervene.processes.process_tree import ProcessFamily, end_processes
from tests.intervene.process_spawner import is_alive, until

pytestmark = pytest.mark.slow
HIDE = "(env -i setsid sh -c 'echo $$ > hidden; exec sleep 600' > /dev/null &) & wait"


@pytest.fixture
def run() -> str:
    return str(uuid.uuid4())


@pytest.fixture
def group(run: str) -> Iterator[ControlGroup]:
    made = make_group(run, os.environ)
    if made is None:
        pytest.skip("no control group (version 2) can be written here, so none can be tried")
    yield made
    end_processes(ProcessFamily({}, group=made.path))
    remove_group(made.path)
    assert not os.path.exists(made.path)


def start(group: ControlGroup, script: str, folder: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([*group.start, "/bin/sh", "-c", script], cwd=folder)


def hide(group: ControlGroup, folder: Path) -> int:
    """Start a process that is no child of anybody here, and has no mark; its parent is gone."""
    with start(group, HIDE, folder) as parent:
        parent.wait()
    until(lambda: (folder / "hidden").exists() and (folder / "hidden").read_text())
    return int((folder / "hidden").read_text())


def test_a_process_that_hides_from_every_search_is_found_and_ended(
    group: ControlGroup, tmp_path: Path
) -> None:
    hidden = hide(group, tmp_path)
    blind = ProcessFamily({"HANDRAIL_TEST_SESSION": str(tmp_path)})
    assert (blind.is_complete, blind.look()) == (False, [])
    family = ProcessFamily({}, group=group.path)
    assert (family.is_complete, family.has_group) == (True, True)
    assert [each.pid for each in family.look()] == [hidden]
    ended = end_processes(family)
    assert (len(ended.ended), ended.left) == (1, ())
    assert not is_alive(hidden)


def test_processes_that_multiply_in_the_group_are_all_ended(
    group: ControlGroup, tmp_path: Path
) -> None:
    script = "trap '' TERM; for i in 1 2 3 4; do env -i setsid sleep 600 & done; wait"
    with start(group, script, tmp_path) as parent:
        until(lambda: len(members_of(group.path)) == 5)
        assert end_processes(ProcessFamily({}, group=group.path)).left == ()
        parent.wait()
    assert members_of(group.path) == set()


def test_handrail_s_own_processes_in_the_group_stay_with_all_that_they_start(
    group: ControlGroup, tmp_path: Path
) -> None:
    """The hook of an agent may have started the daemon, which runs git."""
    with start(group, "sleep 600 & wait", tmp_path) as daemon:
        until(lambda: len(members_of(group.path)) == 2)
        own = members_of(group.path)
        hidden = hide(group, tmp_path)
        family = ProcessFamily({}, group=group.path, apart=(daemon.pid,))
        assert [each.pid for each in family.look()] == [hidden]
        assert end_processes(family).left == ()
        assert [is_alive(pid) for pid in sorted(own)] == [True, True]
        end_processes(ProcessFamily({}, group=group.path))


def test_a_spared_process_stays_and_its_children_end(group: ControlGroup, tmp_path: Path) -> None:
    with start(group, "sleep 600 & wait; exec sleep 600", tmp_path) as driver:
        until(lambda: len(members_of(group.path)) == 2)
        assert end_processes(ProcessFamily({}, group=group.path, spared=(driver.pid,))).left == ()
        assert is_alive(driver.pid)
        end_processes(ProcessFamily({}, group=group.path))


def test_a_group_that_was_removed_is_made_anew_by_the_next_start(
    group: ControlGroup, run: str, tmp_path: Path
) -> None:
    remove_group(group.path)
    assert not is_group_of(group.path, run)
    assert not ProcessFamily({}, group=group.path).is_complete
    hidden = hide(group, tmp_path)
    assert is_group_of(group.path, run)
    assert members_of(group.path) == {hidden}
    remove_group(group.path)
    assert members_of(group.path) == {hidden}, "one with processes stays"


def test_only_a_control_group_with_the_name_of_the_run_is_its_group(
    group: ControlGroup, run: str, tmp_path: Path
) -> None:
    assert is_group_of(group.path, run)
    assert not is_group_of(group.path, str(uuid.uuid4()))
    assert not is_group_of(os.path.dirname(group.path), run)
    impostor = tmp_path / os.path.basename(group.path)
    impostor.mkdir()
    assert not is_group_of(str(impostor), run)


def test_a_folder_that_is_gone_has_no_members(tmp_path: Path) -> None:
    assert members_of(str(tmp_path / "gone")) == set()


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="needs namespaces of root")
def test_where_no_group_can_be_written_there_is_none(run: str) -> None:
    code = (
        "import os; from handrail.intervene.processes.control_group import make_group; "
        f"print(make_group({run!r}, os.environ))"
    )
    hidden = "for m in $(grep -o '/sys/fs/cgroup[^ ]*' /proc/mounts | sort -r); do umount $m; done"
    shell = ["unshare", "-m", "/bin/sh", "-c", f'{hidden}; exec "$@"', "sh"]
    ran = subprocess.run(
        [*shell, sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    if ran.returncode != 0 and "unshare" in ran.stderr:
        pytest.skip(f"no namespace can be made here: {ran.stderr.strip()}")
    assert ran.stdout == "None\n", ran.stderr


def test_a_systemd_that_cannot_be_asked_gives_no_group(run: str, tmp_path: Path) -> None:
    nowhere = {"PATH": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    assert group_in_systemd(run, nowhere) is None
    assert group_in_systemd(run, {"PATH": os.environ["PATH"]}) is None


def test_a_group_that_starts_nothing_is_not_used(run: str) -> None:
    assert make_group(run, {"PATH": "/nowhere"}) is None
