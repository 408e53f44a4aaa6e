"""The lock between processes: one holder, whoever was killed holds nothing."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from handrail.fleet.workspaces.file_lock import hold_lock, lock_holder
from handrail.fleet.workspaces.workspace_errors import WorkspaceBusyError
from handrail.intervene.processes.process_tree import identity_of

_HOLDS = """
import subprocess, sys
from handrail.fleet.workspaces.file_lock import hold_lock
with hold_lock(sys.argv[1], "a test", wait=0) as file:
    child = None
    if len(sys.argv) > 2:
        child = subprocess.Popen(["sleep", "600"], pass_fds=(file,), stdout=subprocess.DEVNULL)
    print(child.pid if child else 0, flush=True)
    sys.stdin.read()
"""


def holder(path: Path, *more: str) -> "tuple[subprocess.Popen[str], int]":
    """A process that holds the lock, and its child that has inherited it."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDS, path, *more],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def test_one_process_holds_it_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    process, _ = holder(path)
    with (
        pytest.raises(WorkspaceBusyError, match=f"process {process.pid}"),
        hold_lock(str(path), "a test", wait=0.02),
    ):
        pass
    assert lock_holder(str(path)) == identity_of(process.pid)
    process.communicate()
    assert lock_holder(str(path)) is None
    with hold_lock(str(path), "a test", wait=0):
        assert lock_holder(str(path)) == identity_of(os.getpid())
    assert not path.exists()


def test_a_killed_holder_holds_nothing_once_its_children_have_ended(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    process, child = holder(path, "with a child")
    process.kill()
    process.communicate()
    with (
        pytest.raises(WorkspaceBusyError),
        hold_lock(str(path), "a test", wait=0),
    ):
        pass
    os.kill(child, signal.SIGKILL)
    with hold_lock(str(path), "a test", wait=60):
        pass
    assert not path.exists()


def test_two_holders_in_one_process_exclude_each_other(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    with (
        hold_lock(path, "a test", wait=0),
        pytest.raises(WorkspaceBusyError),
        hold_lock(path, "another", wait=0),
    ):
        pass
