"""A real `systemd --user`, in namespaces of its own; only root can make them."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

import pytest

from tests.server.daemon_sandbox import DaemonSandbox

_PROGRAM = "/usr/lib/systemd/systemd"
_SECONDS = 10.0
_CGROUPS = """\
mount -t cgroup2 none /sys/fs/cgroup && mkdir "/sys/fs/cgroup/$0" &&
echo $$ > "/sys/fs/cgroup/$0/cgroup.procs" && exec unshare -mCpf --mount-proc --kill-child "$@"
"""
# It wants to see a machine that systemd has booted; as process 1 it would be the machine's own.
_MANAGER = f"""\
umount /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup && mount -t tmpfs none /run &&
mkdir -p /run/systemd/system "$XDG_RUNTIME_DIR" && {_PROGRAM} --user &
wait
"""
_REMOVE = """\
mount -t cgroup2 none /sys/fs/cgroup && find "/sys/fs/cgroup/$0" -depth -type d -exec rmdir {} +
"""


class UserManager:
    """Runs programs beside a user's systemd, which is gone after the block."""

    def __init__(self, place: DaemonSandbox) -> None:
        self._place = place
        self._environ = {
            **place.environ,
            "XDG_RUNTIME_DIR": "/run/user/0",
            "HANDRAIL_HOME": place.home.path,
        }
        self._cgroup = place.root.name
        for program in (_PROGRAM, "systemctl", "unshare", "nsenter"):
            if shutil.which(program) is None:
                pytest.skip(f"{program} is not here: apt-get install systemd util-linux")
        if os.getuid() != 0:
            pytest.skip("only root can make the namespaces for a systemd of its own")

    def __enter__(self) -> Self:
        manager = ["/bin/sh", "-c", _MANAGER]
        self._process = subprocess.Popen(
            ["unshare", "-m", "/bin/sh", "-c", _CGROUPS, self._cgroup, *manager],
            env=self._environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + _SECONDS
        while self.systemctl("show", "--property=Version").returncode != 0:
            if time.monotonic() > until or self._process.poll() is not None:
                self.__exit__()
                pytest.skip("no systemd --user can be started on this machine")
            time.sleep(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        first = self._first()
        self._process.kill()  # anything milder it keeps from its child, and waits
        self._process.wait()
        until = time.monotonic() + _SECONDS
        while os.path.exists(f"/proc/{first}") and time.monotonic() < until:
            time.sleep(0.02)  # a group with processes cannot be removed
        command = ["unshare", "-m", "/bin/sh", "-c", _REMOVE, self._cgroup]
        subprocess.run(command, check=False, capture_output=True)

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """Run a program where the manager is."""
        inside = ["nsenter", f"--target={self._first()}", "-m", "-p", "-C", "--", *command]
        return self._place.execute(inside, environ=self._environ)

    def systemctl(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return self.run("systemctl", "--user", *words)

    def handrail(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return self.run(sys.executable, "-m", "handrail", *words)

    def kill(self, number: signal.Signals, pid: str) -> None:
        self.run("/bin/kill", f"-{number}", pid)

    def processes(self) -> list[str]:
        """The command lines of all processes of Handrail in the namespace."""
        return [line for line in self.run("ps", "-eo", "args").stdout.splitlines() if _OURS in line]

    def _first(self) -> int:
        """The first process of the namespace; its parent is the one that was started."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        try:
            return int(children.read_text().split()[0])
        except (OSError, IndexError):
            return self._process.pid  # it is not there yet


_OURS = "-m handrail"
