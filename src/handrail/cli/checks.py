"""What the doctor looks at, one function each. Every finding says what to do."""

import http.client
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import reduce
from operator import and_
from pathlib import Path
from shlex import quote
from typing import Literal

import msgspec

from handrail import __version__
from handrail.cli.changes import short
from handrail.hosts.claude.obstacles import find_obstacles, settings_files
from handrail.hosts.claude.program import Program, find_claude
from handrail.hosts.claude.settings import (
    ENDPOINT,
    HTTP_SINCE,
    Hooking,
    Style,
    hook_url,
    installed,
)
from handrail.hosts.jsontext import JsonTextError
from handrail.hosts.settings_file import decode, is_broken, read
from handrail.server.client import DaemonError, health, port_answers
from handrail.server.home import Home
from handrail.server.lock import holder
from handrail.server.start import ensure_daemon
from handrail.store.decoding import decode as decode_event
from handrail.store.errors import DamagedError, StoreError
from handrail.store.opening import open_log
from handrail.supervise.topics import RUNS
from handrail.tui.amounts import count

Mark = Literal["ok", "warn", "bad"]
_INSTALL = "handrail install claude"
_RUNS_LOOKED_AT = 20
_EVENTS_LOOKED_AT = 100
"""The last runs, and the last events of each: what sessions that are open need."""


class Check(msgspec.Struct, frozen=True, omit_defaults=True):
    """One finding."""

    name: str
    mark: Mark
    says: str
    fix: str = ""


class Patient(msgspec.Struct, frozen=True):
    """What is examined: one user's Handrail, as it is for sessions in one folder."""

    home: Home
    folder: str
    environ: Mapping[str, str]
    claude: Program | None

    def short(self, path: str) -> str:
        """A path as a person would write it there."""
        return short(path, self.folder, self.environ)


def patient(home: Home, folder: str, environ: Mapping[str, str]) -> Patient:
    """The patient, with the Claude Code that a terminal there would start."""
    return Patient(home, folder, environ, find_claude(environ))


def check_log(who: Patient) -> Iterator[Check]:
    """Can the event log be read?"""
    try:
        with closing(open_log(who.home.log, "read")) as store:
            size = store.size()
            topics = store.topics(RUNS)
            for topic in topics[:_RUNS_LOOKED_AT]:
                for stored in store.read(topic.name, topic.seq - _EVENTS_LOOKED_AT):
                    decode_event(stored)
    except DamagedError as error:
        yield Check("log", "bad", str(error), "handrail doctor --fix")
    except StoreError as error:
        yield Check("log", "bad", str(error), "make the file readable, and room on the disk")
    else:
        runs = f"{count(len(topics), 'run')}, {size / 1e6:.1f} MB"
        yield Check("log", "ok", runs if size else "empty: nothing has been recorded yet")


def check_daemon(who: Patient) -> Iterator[Check]:
    """Does the daemon run, and is it this version's?"""
    started = ""
    said = health(who.home)
    if said is None:
        try:
            ensure_daemon(who.home, who.environ)
        except DaemonError as error:
            yield Check("daemon", "bad", str(error), f"look into {who.home.daemon_log}")
            return
        started = "was not running; started now, "
        said = health(who.home) or {}
    if said.get("version") != __version__:
        says = f"is of version {said.get('version')}, this is {__version__}"
        yield Check("daemon", "bad", says, "handrail serve --restart")
        return
    if problem := said.get("problem"):
        yield Check("daemon", "bad", str(problem), "handrail doctor --fix")
        return
    minutes = int(str(said.get("up_seconds", 0))) // 60
    up = f"up {minutes // 60} h" if minutes >= 60 else f"up {minutes} min"
    yield Check("daemon", "ok", f"{started or 'running, '}{said.get('memory_mb')} MB, {up}")


def check_port(who: Patient) -> Iterator[Check]:
    """Is it our daemon that answers on the port in the settings?"""
    socket_side = health(who.home)
    if socket_side is None:
        if holder(who.home) is None and port_answers(who.home):
            says = (
                f"ANOTHER PROGRAM answers on 127.0.0.1:{who.home.port}: open sessions ask it in "
                "Handrail's place, and it may let everything run"
            )
            fix = f"end that program (lsof -i :{who.home.port}), then: handrail serve --background"
            yield Check("port", "bad", says, fix)
        return
    connection = http.client.HTTPConnection("127.0.0.1", who.home.port, timeout=2)
    try:
        connection.request("GET", "/healthz", headers=_bearer(who.home.hook_token))
        port_side = json.loads(connection.getresponse().read())
    except (OSError, ValueError, http.client.HTTPException) as error:
        fix = "handrail serve --restart"
        yield Check("port", "bad", f"nobody answers on 127.0.0.1:{who.home.port}: {error}", fix)
        return
    finally:
        connection.close()
    if not isinstance(port_side, dict) or port_side.get("pid") != socket_side.get("pid"):
        says = f"another program answers on 127.0.0.1:{who.home.port}"
        yield Check("port", "bad", says, "end that program, then: handrail serve --restart")
        return
    yield Check("port", "ok", f"127.0.0.1:{who.home.port} leads to the daemon")


def check_claude(who: Patient) -> Iterator[Check]:
    """Which Claude Code is there, and how may it be called?"""
    claude = who.claude
    if claude is None:
        yield Check("claude", "warn", "not found on this machine", "install Claude Code")
        return
    if claude.version is None:
        yield Check("claude", "warn", f"{claude.path} does not say its version", "update it")
        return
    old = "" if claude.version >= HTTP_SINCE else ", called as a command"
    yield Check("claude", "ok", f"{claude.says}, {who.short(claude.path)}{old}")


def check_client(who: Patient) -> Iterator[Check]:
    """Can the hook client do its work?"""
    if shutil.which("curl", path=who.environ.get("PATH")) is None:
        yield Check("client", "bad", "curl is missing, which hooks use", "install curl")
    elif os.path.exists(who.home.client_path):
        yield Check("client", "ok", "curl and handrail-hook are there")


def check_hooks(who: Patient) -> Iterator[Check]:
    """Are the hooks in a settings file that counts here?"""
    if is_broken(who.home.installs):
        says = f"{who.home.installs} cannot be read: hooks that are taken out are not missed"
        yield Check("hooks", "bad", says, f"{_INSTALL}, which keeps the old one beside it")
    found = False
    for file in settings_files(who.environ, who.folder):
        name = who.short(file.path)
        try:
            data = read(file.path)
            text = None if data is None else decode(data)
            style = _style(text)
            state = installed(text, _hooking(who, style)).state
        except (OSError, JsonTextError) as error:
            yield Check("hooks", "bad", f"{name}: {error}", f"correct it, then: {_INSTALL}")
            continue
        if state == "none":
            continue
        found = True
        option = f" --project {who.folder}" if file.scope == "local" else ""
        if text and who.home.hook_token in text and _others_can_read(file.path):
            says = f"others on this machine can read {name}, and the token of the hooks in it"
            yield Check("hooks", "warn", says, f"chmod 600 {quote(file.path)}")
        if state == "complete":
            yield Check("hooks", "ok", f"loaded from {name}")
            if style == "http" and who.claude and (who.claude.version or HTTP_SINCE) < HTTP_SINCE:
                says = "this Claude Code lets a tool run when Handrail does not answer"
                yield Check("hooks", "bad", says, f"{_INSTALL}{option}")
        else:
            kind = "lead elsewhere" if state == "stale" else "are not complete"
            yield Check("hooks", "bad", f"those in {name} {kind}", f"{_INSTALL}{option}")
    if not found:
        yield Check("hooks", "bad", "in no settings file that counts here", _INSTALL)


def check_obstacles(who: Patient) -> Iterator[Check]:
    """Does anything keep hooks from running in this folder?"""
    url = _hooking(who, "http").url
    for found in find_obstacles(who.environ, who.folder, url=url):
        where = f"{who.short(found.path)}: " if found.path else ""
        says, _, fix = found.says.partition(": ")
        yield Check("project", "bad", f"{where}{says}; sessions here are NOT supervised", fix)


def _hooking(who: Patient, style: Style) -> Hooking:
    home, version = who.home, who.claude.version if who.claude else None
    return Hooking(style, hook_url(home.port), home.hook_token, home.client_path, version)


def _style(text: str | None) -> Style:
    return "http" if text and ENDPOINT in text else "command"


def _others_can_read(path: str) -> bool:
    """Whether a group or everybody has a way to a file, and may read it."""
    real = Path(path).resolve()
    enter = reduce(and_, (folder.stat().st_mode for folder in real.parents))
    # The right to pass through a folder is two bits away from the right to read.
    return bool(real.stat().st_mode & (enter << 2) & 0o044)


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
