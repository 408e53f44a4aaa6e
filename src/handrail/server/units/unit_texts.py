"""The content of the unit files."""

import os
import plistlib
import re
from collections.abc import Mapping
from typing import NamedTuple

from handrail.server.launchd_sockets import SOCKETS, launchd_label
from handrail.server.listening_sockets import BACKLOG

_PLAIN = re.compile(r"[\w@+=:,./-]+", re.ASCII)
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "%": "%%"})

_SOCKET = """\
# Written by `handrail install`.
[Unit]
Description=Where the hooks of AI agents reach Handrail

[Socket]
ListenStream={socket}
ListenStream=127.0.0.1:{port}
SocketMode=0600
DirectoryMode=0700
Backlog={backlog}
RemoveOnStop=yes
# However often somebody ends the service, the sockets stay.
TriggerLimitIntervalSec=0

[Install]
WantedBy=sockets.target
"""
# By way of env: systemd takes the path of a program only without quotes and the like.
_SERVICE = """\
# Written by `handrail install`.
[Unit]
Description=Handrail supervises AI agents
Requires={name}.socket
After={name}.socket
StartLimitIntervalSec=0

[Service]
Type=notify
ExecStart=/usr/bin/env {command}
{environ}
Restart=always
RestartSec=250ms
# The guardian watches the daemon; this is for a guardian that nobody wakes up.
WatchdogSec=30
WatchdogSignal=SIGKILL
# The guardian is told to end, and ends the daemon.
KillMode=mixed
TimeoutStopSec=20
"""


class GuardedService(NamedTuple):
    """What the unit files say about Handrail."""

    name: str
    """The name of the units, without a suffix."""
    socket: str
    port: int | str
    command: tuple[str, ...]
    environ: Mapping[str, str]


def systemd_units(service: GuardedService) -> dict[str, bytes]:
    """Return both units, by file name."""
    socket = _SOCKET.format(
        socket=service.socket.replace("%", "%%"), port=service.port, backlog=BACKLOG
    )
    environ = [f"Environment={_quoted(f'{k}={v}')}" for k, v in sorted(service.environ.items())]
    text = _SERVICE.format(
        name=service.name,
        command=" ".join(_quoted(word).replace("$", "$$") for word in service.command),
        environ="\n".join(environ),
    )
    texts = {f"{service.name}.socket": socket, f"{service.name}.service": text}
    return {name: os.fsencode(text) for name, text in texts.items()}


def _quoted(word: str) -> str:
    return word if _PLAIN.fullmatch(word) else f'"{word.translate(_ESCAPES)}"'


def launchd_plist(service: GuardedService) -> dict[str, bytes]:
    """Return the agent for launchd, by file name."""
    path, port = SOCKETS
    agent = {
        "Label": launchd_label(service.name),
        "ProgramArguments": list(service.command),
        "EnvironmentVariables": dict(service.environ),
        "Sockets": {
            path: {"SockPathName": service.socket, "SockPathMode": 0o600},
            port: {
                "SockNodeName": "127.0.0.1",
                "SockServiceName": str(service.port),
                "SockFamily": "IPv4",
            },
        },
        "KeepAlive": True,
        "ThrottleInterval": 1,
        "ExitTimeOut": 20,
    }
    return {f"{agent['Label']}.plist": plistlib.dumps(agent)}
