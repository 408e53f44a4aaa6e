"""The doctor's checks of Claude Code, one function each. Every finding says what to do."""

from collections.abc import Iterator
from functools import reduce
from operator import and_
from pathlib import Path
from shlex import quote

from handrail.hosts.claude.handler import hooking_for
from handrail.hosts.claude.obstacles import find_obstacles, settings_files
from handrail.hosts.claude.settings import ENDPOINT, HTTP_SINCE, Style, hook_url, installed
from handrail.hosts.json_text import JsonTextError
from handrail.hosts.port import DoctorCheck, ExaminedHost
from handrail.hosts.settings_file import decode, is_broken, read

_INSTALL = "handrail install claude"


def check_program(who: ExaminedHost) -> Iterator[DoctorCheck]:
    """Check the installed Claude Code, and how it can call Handrail."""
    program = who.program
    if program is None:
        yield DoctorCheck("claude", "warn", "not found on this machine", "install Claude Code")
        return
    if program.version is None:
        yield DoctorCheck("claude", "warn", f"{program.path} does not say its version", "update it")
        return
    old = "" if program.version >= HTTP_SINCE else ", called as a command"
    yield DoctorCheck("claude", "ok", f"{program.says}, {who.short(program.path)}{old}")


def check_hooks(who: ExaminedHost) -> Iterator[DoctorCheck]:
    """Check that the hooks are in a settings file that applies here."""
    if is_broken(who.connection.installs):
        says = f"{who.connection.installs} cannot be read: hooks that are taken out are not missed"
        yield DoctorCheck("hooks", "bad", says, f"{_INSTALL}, which keeps the old one beside it")
    found = False
    for file in settings_files(who.environ, who.folder):
        name = who.short(file.path)
        try:
            data = read(file.path)
            text = None if data is None else decode(data)
            style = _style(text)
            state = installed(text, hooking_for(style, who.connection, who.program)).state
        except (OSError, JsonTextError) as error:
            yield DoctorCheck("hooks", "bad", f"{name}: {error}", f"correct it, then: {_INSTALL}")
            continue
        if state == "none":
            continue
        found = True
        option = f" --project {who.folder}" if file.scope == "local" else ""
        if text and who.connection.token in text and _others_can_read(file.path):
            says = f"others on this machine can read {name}, and the token of the hooks in it"
            yield DoctorCheck("hooks", "warn", says, f"chmod 600 {quote(file.path)}")
        if state == "complete":
            yield DoctorCheck("hooks", "ok", f"loaded from {name}")
            if style == "http" and _is_older(who):
                says = "this Claude Code lets a tool run when Handrail does not answer"
                yield DoctorCheck("hooks", "bad", says, f"{_INSTALL}{option}")
        else:
            kind = "lead elsewhere" if state == "stale" else "are not complete"
            yield DoctorCheck("hooks", "bad", f"those in {name} {kind}", f"{_INSTALL}{option}")
    if not found:
        yield DoctorCheck("hooks", "bad", "in no settings file that counts here", _INSTALL)


def check_obstacles(who: ExaminedHost) -> Iterator[DoctorCheck]:
    """Check that nothing keeps hooks from running in this folder."""
    url = hook_url(who.connection.port)
    for found in find_obstacles(who.environ, who.folder, url=url):
        where = f"{who.short(found.path)}: " if found.path else ""
        says, _, fix = found.says.partition(": ")
        yield DoctorCheck("project", "bad", f"{where}{says}; sessions here are NOT supervised", fix)


def _is_older(who: ExaminedHost) -> bool:
    """Return whether this version runs a tool when an HTTP hook gets no answer."""
    return bool(who.program and (who.program.version or HTTP_SINCE) < HTTP_SINCE)


def _style(text: str | None) -> Style:
    return "http" if text and ENDPOINT in text else "command"


def _others_can_read(path: str) -> bool:
    """Return whether a group or everybody can reach and read a file."""
    real = Path(path).resolve()
    enter = reduce(and_, (folder.stat().st_mode for folder in real.parents))
    # The right to enter a folder is two bits away from the right to read it.
    return bool(real.stat().st_mode & (enter << 2) & 0o044)
