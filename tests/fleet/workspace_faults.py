"""Processes that make, remove and merge workspaces, and are killed at a chosen moment."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import count

from tests.checkpoint.faults import GitFault, RiggedGit

from .task_repository import TaskRepository

KILLS = (GitFault.KILLED_DURING, GitFault.KILLED_AFTER)
_MAX = 200
_WORKER = """
import asyncio, json, os, signal, sys
from handrail.fleet.merges.merge_work import MergeRequest
from handrail.fleet.merges.merging import Merging
from handrail.fleet.workspaces.workspaces import Workspaces

CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate",
           "os.symlink", "os.link", "subprocess.Popen"}

def kill_at(left):
    def count(event, args):
        nonlocal left
        writes = event == "open" and args[2] & (os.O_WRONLY | os.O_RDWR)
        if writes or event in CHANGES:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
    if left:
        sys.addaudithook(count)

def work(does, task, tree, root, trees, environ, moment, options):
    kill_at(moment)
    workspaces = Workspaces(tree, root, environ, trees=trees)
    if does == "create":
        print(workspaces.create(task).name, flush=True)
    elif does == "remove":
        workspaces.remove(workspaces.of_task(task)[-1], **options)
    else:
        merging = Merging(tree, root, environ, trees=trees)
        request = MergeRequest(task=task, commit=f"handrail/{task}", target="main", **options)
        print(type(asyncio.run(merging.merge(request))).__name__, flush=True)

for line in sys.stdin:
    child = os.fork()
    if not child:
        try:
            work(*json.loads(line))
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", flush=True)
        finally:
            os._exit(0)
    print(f"ended {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}", flush=True)
"""
"""Starts a process for each line: much sooner than a new Python would be there."""


class WorkspaceWorker:
    """Does things in processes of their own."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _WORKER],
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self,
        does: str,
        shop: TaskRepository,
        *,
        task: str = "a",
        git: RiggedGit | None = None,
        at: int = 0,
        options: dict[str, object] | None = None,
    ) -> str:
        """Return what the process says, or "killed"; `at`: at which change of its own it is."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        environ = {**shop.environ, **({"PATH": git.path} if git else {})}
        asked: list[object] = [does, task, str(shop.tree), str(shop.root)]
        asked += [str(shop.trees), environ, at, options or {}]
        self._process.stdin.write(f"{json.dumps(asked)}\n")
        self._process.stdin.flush()
        lines: list[str] = []
        for line in self._process.stdout:
            if line.startswith("ended "):
                return "killed" if line == f"ended -{signal.SIGKILL:d}\n" else "".join(lines)
            lines.append(line)
        raise AssertionError("the worker has ended")

    def close(self) -> None:
        self._process.communicate()


def moments() -> Iterator[int]:
    """One after the other, until the process lives."""
    for moment in count(1):
        assert moment < _MAX
        yield moment
