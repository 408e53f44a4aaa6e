"""The parts that supervision is made of, as they are on the disk and in the process table."""

import json
import os
import socket
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path

from handrail.server.home import Home
from handrail.server.lock import daemon_pid
from handrail.store.errors import StoreError
from handrail.store.opening import open_log
from tests.attack.attack import HOME, REPO, SETTINGS, STATE, VENV

Parts = Mapping[str, str]
PID = "the daemon's process"
"""May be another one afterwards; all other parts must be as they were."""
_SETTINGS = (
    SETTINGS,
    f"{HOME}/.claude/settings.local.json",
    f"{REPO}/.claude/settings.json",
    f"{REPO}/.claude/settings.local.json",
)
_SWITCHES = ("disableAllHooks", "env", "allowedHttpHookUrls", "allowManagedHooksOnly")
_KEPT = ("hook-token", "control-token", "port", "bin/handrail-hook")
_ORDINARY = frozenset(
    "run_started prompt_given action_reviewed action_ended action_dropped agent_started "
    "agent_ended task_noted compacted finding_made intervened intervention_judged "
    "checkpoint_taken model_asked usage_measured usage_sampled iteration_begun iteration_ended "
    "run_ended".split()
)
"""Events of every day; each other one tells a person that something was not right."""


def look(own_packages: bool = False) -> Parts:
    """All parts, by their names."""
    return {
        "hooks in the settings": _hooks(),
        "switches in the settings": _switches(),
        **{f"state folder: {name}": _file(Path(STATE, name)) for name in _KEPT},
        "state folder: mode": _mode(Path(STATE)),
        "the daemon": _daemon(),
        PID: str(daemon_pid(Home(STATE))),
        "the socket": _answers(socket.AF_UNIX, f"{STATE}/daemon.sock"),
        "the port": _port_owner(),
        "packages": _packages() if own_packages else "",
    }


def logged() -> list[str]:
    """The kind of every event in the log; empty where it cannot be read."""
    with suppress(StoreError, OSError), closing(open_log(f"{STATE}/events.db", "read")) as store:
        entries = store.read_all(limit=9999)
        return [str(json.loads(entry.body).get("event")) for entry in entries]
    return []


def reports() -> Iterator[str]:
    """What the log and the incidents tell a person beyond the everyday."""
    yield from sorted(set(logged()) - _ORDINARY)
    with suppress(OSError):
        yield from (f"incident {name}" for name in sorted(os.listdir(f"{STATE}/incidents")))


def difference(before: Parts, after: Parts) -> list[str]:
    """The names of the parts that are not the same."""
    return [name for name, value in before.items() if after.get(name) != value]


def _hooks() -> str:
    """Our handlers in the user's settings, with their events and matchers."""
    try:
        groups = json.loads(Path(SETTINGS).read_text())["hooks"]
        ours = [
            (event, group.get("matcher"), handler)
            for event in sorted(groups)
            for group in groups[event]
            for handler in group["hooks"]
            if "handrail" in json.dumps(handler) or "/hooks/claude" in json.dumps(handler)
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return type(error).__name__
    return json.dumps(ours, sort_keys=True)


def _switches() -> str:
    found = {}
    for path in _SETTINGS:
        try:
            settings = json.loads(Path(path).read_text())
        except OSError:
            continue
        except ValueError:
            found[path] = {"unreadable": True}
            continue
        if isinstance(settings, dict):
            found[path] = {name: settings[name] for name in _SWITCHES if name in settings}
    return json.dumps({path: keys for path, keys in found.items() if keys}, sort_keys=True)


def _file(path: Path) -> str:
    try:
        return f"{_mode(path)} {sha256(path.read_bytes()).hexdigest()}"
    except OSError as error:
        return type(error).__name__


def _mode(path: Path) -> str:
    try:
        return stat.filemode(path.lstat().st_mode)
    except OSError as error:
        return type(error).__name__


def _daemon() -> str:
    pid = daemon_pid(Home(STATE))
    if not pid:
        return "gone"
    with suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return {"T": "stopped", "t": "traced", "Z": "gone"}.get(state, "runs")
    return "gone"


def _answers(family: int, address: str) -> str:
    with socket.socket(family) as client:
        client.settimeout(5)
        try:
            client.connect(address)
        except OSError as error:
            return type(error).__name__
    return "answers"


def _port_owner() -> str:
    """Whether the port that the hooks call is the daemon's or its guardian's."""
    try:
        port = int(Path(STATE, "port").read_text())
    except (OSError, ValueError):
        return "unknown"
    inodes = {
        line.split()[9]
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
        if line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A"
    }
    if not inodes:
        return "nobody listens"
    return "Handrail's" if inodes & set(_sockets_of_handrail()) else "somebody else's"


def _sockets_of_handrail() -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            if not words[0].startswith(VENV.encode()) and b"handrail" not in b" ".join(words):
                continue
            for name in os.listdir(process / "fd"):
                with suppress(OSError):
                    target = os.readlink(process / "fd" / name)
                    if target.startswith("socket:["):
                        yield target[8:-1]


def _packages() -> str:
    """Every file that Python could load from Handrail's environment, without compiled ones."""
    digest = sha256()
    for folder, folders, files in os.walk(VENV):
        folders[:] = sorted(set(folders) - {"__pycache__"})
        for name in sorted(files):
            path = os.path.join(folder, name)
            digest.update(path.encode())
            with suppress(OSError):
                digest.update(Path(path).read_bytes())
    return digest.hexdigest()
