"""Units that systemd takes, and a plist that launchd could take."""

import os
import plistlib
import subprocess
from pathlib import Path

import pytest

from handrail.server.units.unit_texts import GuardedService, launchd_plist, systemd_units
from tests.checkers import checker


def service(root: Path, name: str = "handrail", **environ: str) -> GuardedService:
    """A service that can be verified: its program is there."""
    program = root / "a program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    command = (str(program), "-m", "handrail", "serve")
    return GuardedService(name, f"{root}/daemon.sock", 47100, command, environ)


def verify(root: Path, texts: dict[str, bytes]) -> str:
    """What systemd says against units."""
    for name, text in texts.items():
        (root / name).write_bytes(text)
    ran = subprocess.run(
        [checker("systemd-analyze"), "--user", "verify", *(str(root / name) for name in texts)],
        env={"PATH": os.environ["PATH"], "HOME": str(root), "XDG_RUNTIME_DIR": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    ours = [line for line in ran.stderr.splitlines() if str(root) in line or "handrail" in line]
    return "\n".join(ours) or ("" if ran.returncode == 0 else ran.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["handrail", "handrail-0123456789ab"])
def test_systemd_takes_the_units(tmp_path: Path, name: str) -> None:
    assert verify(tmp_path, systemd_units(service(tmp_path, name, HOME="/home/me"))) == ""


@pytest.mark.slow
def test_a_mistake_in_a_unit_would_be_told(tmp_path: Path) -> None:
    texts = systemd_units(service(tmp_path))
    wrong = {name: text.replace(b"WatchdogSec", b"WatchdogSex") for name, text in texts.items()}
    assert "WatchdogSex" in verify(tmp_path, wrong)


@pytest.mark.slow
def test_systemd_reads_awkward_values_as_they_are_meant(tmp_path: Path) -> None:
    folder = tmp_path / '50% $HOME "it\'s"'
    folder.mkdir()
    assert verify(tmp_path, systemd_units(service(folder, A='a "b" \\ 100% $c', B="x\ny"))) == ""


def test_what_systemd_would_take_for_its_own_is_escaped(tmp_path: Path) -> None:
    given = GuardedService("handrail", "/50%/s", 1, ("/a b", "$x", "50%"), {"A": 'q"\\%$\n'})
    texts = systemd_units(given)
    assert b"ListenStream=/50%%/s\n" in texts["handrail.socket"]
    assert b'ExecStart=/usr/bin/env "/a b" "$$x" "50%%"\n' in texts["handrail.service"]
    assert b'Environment="A=q\\"\\\\%%$\\n"\n' in texts["handrail.service"]


def test_the_socket_is_private_and_nothing_limits_starts(tmp_path: Path) -> None:
    texts = systemd_units(service(tmp_path))
    for line in ("SocketMode=0600", "ListenStream=127.0.0.1:47100", "TriggerLimitIntervalSec=0"):
        assert f"\n{line}\n".encode() in texts["handrail.socket"]
    for line in ("StartLimitIntervalSec=0", "Restart=always", "KillMode=mixed", "Type=notify"):
        assert f"\n{line}\n".encode() in texts["handrail.service"]


def test_the_agent_of_launchd_has_both_sockets_and_is_kept_alive() -> None:
    given = GuardedService("handrail", "/s/daemon.sock", 47100, ("/p", "serve"), {"HOME": "/h"})
    ((name, data),) = launchd_plist(given).items()
    assert name == "dev.handrail.plist"
    assert plistlib.loads(data) == {
        "Label": "dev.handrail",
        "ProgramArguments": ["/p", "serve"],
        "EnvironmentVariables": {"HOME": "/h"},
        "Sockets": {
            "socket": {"SockPathName": "/s/daemon.sock", "SockPathMode": 0o600},
            "port": {
                "SockNodeName": "127.0.0.1",
                "SockServiceName": "47100",
                "SockFamily": "IPv4",
            },
        },
        "KeepAlive": True,
        "ThrottleInterval": 1,
        "ExitTimeOut": 20,
    }
