"""Processes that save and are killed, and a git that fails, at a chosen moment."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from enum import StrEnum
from pathlib import Path

from .conftest import Bench

_WORKER = """
import os, signal, sys
from handrail.checkpoint import About, Checkpoints
from handrail.config.checkpoints import Checkpoints as Settings

does, folder, tree, kill_at = sys.argv[1:]
left = int(kill_at)
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate",
           "os.symlink", "os.link", "os.utime", "subprocess.Popen", "fcntl.flock"}

def count(event, args):
    global left
    writes = event == "open" and args[2] & (os.O_WRONLY | os.O_RDWR)
    if writes or event in CHANGES:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

checkpoints = Checkpoints(folder, tree, Settings(keep=3, quota_mb=1))
if left:
    sys.addaudithook(count)
if does == "save":
    print(checkpoints.save(About(why="in a process")).record.id)
else:
    print(*checkpoints.tidy().forgotten)
"""


class Fault(StrEnum):
    """What a rigged git does, as the lines of a shell script; $git is the real one."""

    KILLED_BEFORE = "kill -9 $PPID"
    KILLED_DURING = 'kill -9 $PPID; exec "$git" "$@"'
    """The process is dead, and git goes on without it."""
    KILLED_AFTER = '"$git" "$@"; kill -9 $PPID'
    NO_SPACE = "echo 'fatal: write error: No space left on device' >&2; exit 128"
    NO_SPACE_AFTER = (
        '"$git" "$@" >/dev/null; echo "error: unable to write file: No space left on device" >&2;'
        " exit 128"
    )


class RiggedGit:
    """A program `git` that is the real one, but for its n-th call."""

    def __init__(self, folder: Path, at: int, fault: Fault) -> None:
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


def run(
    does: str,
    bench: Bench,
    *,
    git: RiggedGit | None = None,
    kill_at: int = 0,
    tree: Path | None = None,
) -> str:
    """Save or tidy in a process; what it printed, or "killed"."""
    environ = {**bench.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    if git is not None:
        environ["PATH"] = git.path
    ran = subprocess.run(
        [sys.executable, "-c", _WORKER, does, bench.folder, tree or bench.tree, f"{kill_at}"],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode == -signal.SIGKILL:
        return "killed"
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def hash_of(folder: Path) -> str:
    """Of every name, kind, time and byte in it."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        found = path.lstat()
        digest.update(f"{path} {found.st_mode} {found.st_mtime_ns}\0".encode(errors="replace"))
        if path.is_symlink():
            digest.update(os.fsencode(os.readlink(path)))
        elif path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()
