"""The first process of a bed: brings the world up, plays a story, and tells what it saw.

It reads a task from its input and answers in JSON. It is the init of its pid namespace: nobody in
there can signal it, and everything in there ends with it.
"""

import ctypes
import fcntl
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from tests.attack.attack import HOME, REPO, VENV
from tests.attack.attacking import try_attacks
from tests.attack.days import live
from tests.attack.world import World

LIMIT = 380
_PR_CAP_AMBIENT, _CLEAR_ALL = 47, 4
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1


def main() -> None:
    """Plays the story of the task in stdin; the last word of the line is the lifeline's number."""
    answer = os.dup(1)
    os.dup2(2, 1)
    task = json.load(sys.stdin)
    threading.Thread(target=_end_with, args=(int(sys.argv[1]),), daemon=True).start()
    threading.Thread(target=_end_late, daemon=True).start()
    found: dict[str, object] = {"problem": _problem()}
    if not found["problem"]:
        _prepare(own_packages=bool(task.get("own_packages")))
        found = _play(task)
    os.write(answer, json.dumps(found).encode())
    os._exit(0)


def _play(task: dict[str, object]) -> dict[str, object]:
    if task.get("look"):
        return {"problem": _missing()}
    threading.Thread(target=_reap, daemon=True).start()
    world = World()
    days, attacks = task.get("days"), task.get("attacks")
    if isinstance(days, list):
        return live(world, days)
    assert isinstance(attacks, list)
    return try_attacks(world, attacks)


def _prepare(*, own_packages: bool) -> None:
    os.makedirs(REPO)
    os.makedirs(os.path.dirname(VENV))
    if own_packages:
        shutil.copytree("/mnt/installation", VENV, symlinks=True)
    else:
        os.mkdir(VENV)
        subprocess.run(["mount", "--bind", "/mnt/installation", VENV], check=True)
    with socket.socket() as any_socket:
        request = struct.pack("16sH14x", b"lo", _IFF_UP)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, request)
    # This process keeps its rights; what it starts has none.
    ctypes.CDLL(None).prctl(_PR_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0)


def _problem() -> str:
    """Why this is no place for an attack."""
    if os.getpid() != 1 or os.getuid() != 1000:
        return "the first process is not the init of its own pid namespace"
    others = [path for path in Path("/proc").glob("[0-9]*") if path.name != "1"]
    if others:
        return "processes of the machine can be seen"
    roots = ("/", "/etc", "/usr", "/opt", "/var", "/srv", "/mnt/lib/tests", "/mnt/installation")
    if found := [root for root in roots if os.access(root, os.W_OK)]:
        return f"{', '.join(found)} could be written from inside"
    if Path("/proc/net/route").read_text().count("\n") > 1:
        return "there is a way to the network"
    return ""


def _missing() -> str:
    """What does not work in here."""
    for program in ("/mnt/claude", f"{VENV}/bin/handrail"):
        done = subprocess.run(
            [program, "--version"],
            env={"HOME": HOME, "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            return f"{program} does not run: {done.stderr[-500:]}"
    return ""


def _reap() -> None:
    """Ended orphans must not look as if they lived; whoever waits for a child loses its code."""
    while True:
        with suppress(ChildProcessError):
            orphan = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
            time.sleep(0.2)  # for whoever waits for it
            if orphan:
                with suppress(ChildProcessError):
                    os.waitpid(orphan.si_pid, os.WNOHANG)
            continue
        time.sleep(0.1)


def _end_with(lifeline: int) -> None:
    os.read(lifeline, 1)
    os._exit(3)


def _end_late() -> None:
    time.sleep(LIMIT)
    os._exit(4)
