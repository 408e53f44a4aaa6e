"""systemd as the guardian, as far as that can be tried without one that runs."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from handrail.server.http.socket_client import daemon_health
from tests.hosts.claude.desk import decision
from tests.server.daemon_sandbox import PATIENCE, DaemonSandbox

pytestmark = pytest.mark.slow
DOCS = Path(__file__).parents[2] / "docs" / "hosts.md"


def tool(name: str) -> str:
    """The path of one of systemd's tools; without it the test is skipped, and says so."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def test_the_units_in_the_docs_are_valid(tmp_path: Path) -> None:
    analyze = tool("systemd-analyze")
    found = re.findall(r"/user/(handrail\.\w+)`:\n\n```ini\n(.+?)```", DOCS.read_text(), re.DOTALL)
    assert [name for name, _ in found] == ["handrail.socket", "handrail.service"]
    for name, text in found:
        (tmp_path / name).write_text(text)
    units = [str(tmp_path / name) for name, _ in found]
    environ = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    ran = subprocess.run(
        [analyze, "--user", "verify", *units],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not [line for line in ran.stderr.splitlines() if str(tmp_path) in line], ran.stderr
    assert ran.returncode == 0, ran.stderr


def test_a_daemon_takes_over_sockets_that_systemd_has_bound(place: DaemonSandbox) -> None:
    activate = tool("systemd-socket-activate")
    place.home.prepare()
    told = place.root / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as system:
        system.bind(str(told))
        system.settimeout(PATIENCE)
        passed = [f"-E{name}={value}" for name, value in place.environ.items()]
        listens = ["-l", place.home.socket, "-l", f"127.0.0.1:{place.home.port}"]
        command = [activate, *passed, f"-ENOTIFY_SOCKET={told}", *listens]
        serve = [sys.executable, "-m", "handrail", "serve"]
        with subprocess.Popen([*command, *serve], stderr=subprocess.DEVNULL) as process:
            try:
                until = time.monotonic() + PATIENCE
                while (said := daemon_health(place.home)) is None:
                    assert time.monotonic() < until, "nobody answers"
                    assert process.poll() is None
                    time.sleep(0.02)
                assert (said["guarded_by"], said["pid"]) == ("system", process.pid)
                assert decision(place.before("rm -rf /")) == "deny"
                assert [system.recv(64), system.recv(64)] == [b"READY=1", b"WATCHDOG=1"]
                assert place.guardian == 0
            finally:
                process.terminate()
