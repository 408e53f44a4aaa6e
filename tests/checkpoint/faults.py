"""Processes that save and are killed, and a git that fails, at a chosen moment."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from enum import StrEnum
from pathlib import Path

from handrail.checkpoint.git.repository import CheckpointRepository

from .conftest import CheckpointProject

_WORKER = """
import json, os, signal, sys
from handrail.checkpoint import CheckpointInfo, CheckpointStore, UndoLevel, RestoreTarget
from handrail.config.checkpoints import Checkpoints as Settings

CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate",
           "os.symlink", "os.link", "os.utime", "subprocess.Popen", "fcntl.flock"}

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

def work(does, folder, tree, environ, moment):
    checkpoints = CheckpointStore(folder, tree, Settings(keep=3, quota_mb=1), environ)
    kill_at(moment)
    if does == "save":
        print(checkpoints.save(CheckpointInfo(why="in a process")).record.id, flush=True)
    elif does == "tidy":
        print(*checkpoints.tidy().forgotten, flush=True)
    else:
        way = RestoreTarget(UndoLevel.CHECKPOINT, checkpoints.find(does))
        print(*checkpoints.restore(way, over=True).files, flush=True)

for line in sys.stdin:
    child = os.fork()
    if not child:
        try:
            work(*json.loads(line))
        finally:
            os._exit(0)
    print(f"ended {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}", flush=True)
"""
"""Starts a process for each line: much sooner than a new Python would be there."""


class GitFault(StrEnum):
    """What a rigged git does, as the lines of a shell script; $git is the real one."""

    KILLED_DURING = 'kill -9 $PPID; exec "$git" "$@"'
    """The process is dead, and git goes on without it."""
    KILLED_AFTER = '"$git" "$@"; kill -9 $PPID'
    GIT_KILLED = "kill -9 $$"
    """Only git is dead."""
    NO_SPACE = "echo 'fatal: write error: No space left on device' >&2; exit 128"
    NO_SPACE_AFTER = (
        '"$git" "$@" >/dev/null; echo "error: unable to write file: No space left on device" >&2;'
        " exit 128"
    )


class RiggedGit:
    """A program `git` that is the real one, but for its n-th call."""

    def __init__(self, folder: Path, at: int, fault: GitFault) -> None:
        self.calls = folder / "calls"
        self.calls.mkdir(parents=True)
        self._at = at
        program = folder / "git"
        # A folder is made by one process alone, even where two are started at once.
        program.write_text(
            f"#!/bin/sh\ngit={shutil.which('git')}\nn=1\n"
            f'while ! mkdir "{self.calls}/$n" 2>/dev/null; do n=$((n+1)); done\n'
            f'[ $n -eq {at} ] || exec "$git" "$@"\n{fault.value}\n'
        )
        program.chmod(0o755)
        self.path = f"{folder}:{os.environ['PATH']}"

    @property
    def was_reached(self) -> bool:
        return (self.calls / f"{self._at}").exists()


class Worker:
    """Saves, tidies and restores in processes of their own."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _WORKER],
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, does: str, bench: CheckpointProject, *, git: RiggedGit | None = None, at: int = 0
    ) -> str:
        """What a process says that does something, or "killed"; `at`: at which change it is.

        `adds_effect`: "save", "tidy", or the id of a checkpoint that is gone back to.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        environ = {**bench.environ, **({"PATH": git.path} if git else {})}
        asked = json.dumps([does, str(bench.folder), str(bench.tree), environ, at])
        self._process.stdin.write(f"{asked}\n")
        self._process.stdin.flush()
        lines: list[str] = []
        for line in self._process.stdout:
            if line.startswith("ended "):
                return "killed" if line == f"ended -{signal.SIGKILL:d}\n" else "".join(lines)
            lines.append(line)
        raise AssertionError("the worker has ended")

    def close(self) -> None:
        self._process.communicate()


class StoreOverQuota:
    """A private folder with more than its quota allows, as it is again before each kill."""

    def __init__(self, bench: CheckpointProject, *, borrows: bool = False) -> None:
        self.bench = bench
        bench.repository()
        self.repository = hash_of(bench.tree / ".git")
        bench.save()
        if not borrows:
            bench.checkpoints.tidy()
        for number in range(6):
            bench.write("noise.bin", os.urandom(300_000))
            bench.write(f"{number}.txt", f"{number}")
            bench.save()
        self.last = list(bench.checkpoints.newest_first())[:3]
        self._copy = bench.folder.with_name("copy")
        shutil.copytree(bench.folder, self._copy)

    def fill(self) -> None:
        """As it was, once a git that goes on without its process has come to its end."""
        private = CheckpointRepository(str(self.bench.folder), self.bench.environ)
        with private.open_for_packing(60, wait=60), private.open_store(60):
            pass
        shutil.rmtree(self.bench.folder)
        shutil.copytree(self._copy, self.bench.folder)

    def check(self) -> None:
        """Nothing that is kept is damaged, and nothing else was touched."""
        assert list(self.bench.checkpoints.newest_first())[:3] == self.last
        directory = self.bench.folder / "git"
        # It fails where anything is missing that these or a ref need.
        kept = [each.git_commit for each in self.last]
        self.bench.git("rev-list", "--objects", "--quiet", "--all", *kept, at=directory)
        assert hash_of(self.bench.tree / ".git") == self.repository


def hash_of(folder: Path) -> str:
    """Of every name, kind, time and byte in it.

    But not of the times of objects: git makes one look new that it would have had to write.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        found = path.lstat()
        is_object = path.parts[-3] == "objects" and path.is_file()
        time = 0 if is_object else found.st_mtime_ns
        digest.update(f"{path} {found.st_mode} {time}\0".encode(errors="replace"))
        if path.is_symlink():
            digest.update(os.fsencode(os.readlink(path)))
        elif path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()
