"""The checks of the doctor. Every problem comes with a fix."""

import http.client
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from time import monotonic, sleep

import msgspec

from handrail import __version__
from handrail.cli.output.file_changes import short_path
from handrail.config import ConfigError
from handrail.hosts import find_host
from handrail.hosts.port import DoctorCheck, ExaminedHost, HostAdapter, HostProgram
from handrail.hosts.settings_file import load_installs
from handrail.model.host import known_hosts
from handrail.server.home import Home
from handrail.server.hook_connection import hook_connection
from handrail.server.http.port_connection import can_tell_owners
from handrail.server.http.socket_client import DaemonError, daemon_health, port_answers
from handrail.server.integrity.notices import unseen_notices
from handrail.server.integrity.package_files import Packages, reinstall_command, says_changed
from handrail.server.integrity.packages import find_own_changes, has_own_files, own_packages
from handrail.server.launcher import ensure_daemon
from handrail.server.lock import guardian_pid, is_running
from handrail.server.units.unit_installation import are_active, damaged_unit, installed_units
from handrail.store.decoding import decode as decode_event
from handrail.store.errors import DamagedError, StoreError
from handrail.store.opening import open_log
from handrail.supervise.log.topics import RUNS
from handrail.supervise.runs.settings_trust import trust_of, trusted_settings, untrusted_notice
from handrail.words.amounts import count
from handrail.words.hosts import with_hosts
from handrail.words.times import date_and_time

_RUNS_LOOKED_AT = 20
_EVENTS_LOOKED_AT = 100
_NOTICES_SHOWN = 5
_SEEN = "Once you have read it: handrail status --seen"
"""The doctor reads the last events of the last runs: open sessions need these."""
_FIXES = (
    ("the log is damaged", "handrail doctor --fix"),
    ("the disk is full", "make room on the disk; nothing needs a restart"),
    ("a newer Handrail", "upgrade Handrail"),
)
"""By words in what the daemon says of its log, what helps."""

_GUARDIAN_SECONDS = 3.0
"""Longer than a daemon needs to start a guardian again."""


class ExaminedSetup(msgspec.Struct, frozen=True):
    """One user's Handrail, as sessions in one folder see it."""

    home: Home
    folder: str
    environ: Mapping[str, str]
    hosts: tuple[tuple[HostAdapter, HostProgram | None], ...]
    """Every known host, with its program in the user's PATH."""

    def short(self, path: str) -> str:
        """Shorten a path for a person in this folder."""
        return short_path(path, self.folder, self.environ)


def find_setup(home: Home, folder: str, environ: Mapping[str, str]) -> ExaminedSetup:
    """Look up the hosts for a folder."""
    adapters = [find_host(each.name) for each in known_hosts()]
    hosts = tuple((host, host.find_program(environ)) for host in adapters)
    return ExaminedSetup(home, folder, environ, hosts)


def check_log(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Can the event log be read?"""
    try:
        with closing(open_log(who.home.log, "read")) as store:
            size = store.size()
            topics = store.topics(RUNS)
            for topic in topics[:_RUNS_LOOKED_AT]:
                for stored in store.read(topic.name, topic.seq - _EVENTS_LOOKED_AT):
                    decode_event(stored)
    except DamagedError as error:
        yield DoctorCheck("log", "bad", str(error), "handrail doctor --fix")
    except StoreError as error:
        yield DoctorCheck(
            "log", "bad", str(error), "make the file readable, and free some disk space"
        )
    else:
        runs = f"{count(len(topics), 'run')}, {size / 1e6:.1f} MB"
        yield DoctorCheck("log", "ok", runs if size else "empty: no run yet")


def check_daemon(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Does the daemon run, and is it this version's?"""
    started = ""
    said = daemon_health(who.home)
    if said is None:
        try:
            ensure_daemon(who.home, who.environ)
        except DaemonError as error:
            yield DoctorCheck("daemon", "bad", str(error), f"read {who.home.daemon_log}")
            return
        started = "was not running, now started, "
        said = daemon_health(who.home) or {}
    if said.get("version") != __version__:
        says = f"has version {said.get('version')}, but this is {__version__}"
        yield DoctorCheck("daemon", "bad", says, "handrail serve --restart")
        return
    if problem := str(said.get("problem") or ""):
        fix = next((fix for words, fix in _FIXES if words in problem), "handrail serve --restart")
        yield DoctorCheck("daemon", "bad", problem, fix)
        return
    minutes = int(str(said.get("up_seconds", 0))) // 60
    up = f"up {minutes // 60} h" if minutes >= 60 else f"up {minutes} min"
    yield DoctorCheck("daemon", "ok", f"{started or 'running, '}{said.get('memory_mb')} MB, {up}")


def check_guardian(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Does a guardian restart the daemon?"""
    until = monotonic() + _GUARDIAN_SECONDS
    while (pid := guardian_pid(who.home)) is None and monotonic() < until:
        sleep(0.05)  # the daemon is just starting another one
    if pid is None:
        says = "there is none: nobody starts the daemon again if it ends"
        yield DoctorCheck("guardian", "bad", says, "handrail serve --restart")
    else:
        yield DoctorCheck("guardian", "ok", "starts the daemon again if it ends")


def check_units(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Does the service manager keep the guardian, if it was asked to?"""
    record = installed_units(who.home)
    if record is None:
        return
    manager = record.manager
    if path := damaged_unit(record):
        says = f"{who.short(path)} is missing or was changed, so {manager} may not start Handrail"
        yield DoctorCheck("units", "bad", says, with_hosts("handrail install $host"))
    elif are_active(record, who.environ):
        says = f"{manager} holds the sockets and starts the guardian again if it ends"
        yield DoctorCheck("units", "ok", says)
    else:
        says = f"{manager} does not hold the sockets, so Handrail's own processes do"
        yield DoctorCheck("units", "warn", says, "handrail serve --restart")


def check_port(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Does our own daemon answer on the port?"""
    socket_side = daemon_health(who.home)
    if socket_side is None:
        fix = "handrail serve --restart"
        says = f"nobody answers on 127.0.0.1:{who.home.port}"
        if not is_running(who.home) and port_answers(who.home):
            says = (
                f"ANOTHER PROGRAM answers on 127.0.0.1:{who.home.port}. Open sessions ask it "
                "instead of Handrail, and it may allow everything"
            )
            fix = f"end that program (lsof -i :{who.home.port}), then: handrail serve --background"
        yield DoctorCheck("port", "bad", says, fix)
        return
    connection = http.client.HTTPConnection("127.0.0.1", who.home.port, timeout=2)
    try:
        connection.request("GET", "/healthz", headers=_bearer(who.home.hook_token))
        port_side = json.loads(connection.getresponse().read())
    except (OSError, ValueError, http.client.HTTPException) as error:
        fix = "handrail serve --restart"
        yield DoctorCheck(
            "port", "bad", f"nobody answers on 127.0.0.1:{who.home.port}: {error}", fix
        )
        return
    finally:
        connection.close()
    if not isinstance(port_side, dict) or port_side.get("pid") != socket_side.get("pid"):
        says = f"another program answers on 127.0.0.1:{who.home.port}"
        yield DoctorCheck("port", "bad", says, "end that program, then: handrail serve --restart")
        return
    yield DoctorCheck("port", "ok", f"127.0.0.1:{who.home.port} leads to the daemon")
    if not can_tell_owners():
        says = (
            "this system does not tell which process a connection belongs to, so any program of "
            "yours with the hook token can tell of tools in the name of a session"
        )
        yield DoctorCheck("senders", "warn", says, "reinstall with --handler command")


def check_settings(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Do the settings here count as they were written?"""
    if problem := trust_of(who.environ).problem:
        yield DoctorCheck("settings", "bad", problem, "delete the file, then confirm again")
        return
    try:
        found = trusted_settings(who.folder, who.environ)
    except ConfigError as error:
        yield DoctorCheck("settings", "bad", str(error.problems[0]), "handrail config check")
        return
    if notice := untrusted_notice(found.withheld):
        yield DoctorCheck("settings", "warn", notice, "handrail config trust")
    elif found.laxer:
        says = f"you have confirmed that handrail.yaml loosens {count(len(found.laxer), 'setting')}"
        yield DoctorCheck("settings", "ok", says)
    else:
        yield DoctorCheck("settings", "ok", "valid, and nothing is loosened by this project")


def check_client(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Can the hook client do its work?"""
    if shutil.which("curl", path=who.environ.get("PATH")) is None:
        yield DoctorCheck("client", "bad", "hooks need curl, which is missing", "install curl")
    elif os.access(who.home.client_path, os.X_OK):
        yield DoctorCheck("client", "ok", "curl and handrail-hook found")
    elif load_installs(who.home.installs):
        says = f"{who.short(who.home.client_path)} is missing, so hooks cannot start the daemon"
        yield DoctorCheck("client", "bad", says, "handrail doctor --fix")
    else:
        yield DoctorCheck("client", "ok", "curl found; the hook client comes with an install")


def check_packages(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Are the files that Handrail consists of those that were installed?"""
    yield diagnose_packages(own_packages())


def diagnose_packages(packages: Packages | None) -> DoctorCheck:
    """Compare some packages with what was installed; None: no installer has left a record."""
    if packages is None or not has_own_files(packages):
        says = "Handrail runs from a work tree; nobody watches its files"
        return DoctorCheck("packages", "warn", says, "install it with pipx")
    if changes := find_own_changes(packages):
        return DoctorCheck(
            "packages", "bad", says_changed(changes), reinstall_command(packages.python)
        )
    return DoctorCheck("packages", "ok", "as they were installed")


def check_hosts(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Does each host load and run our hooks?"""
    for host, program in who.hosts:
        here = ExaminedHost(program, hook_connection(who.home), who.folder, who.environ, who.short)
        yield from host.diagnose(here)


def check_notices(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Did Handrail notice a change of its own parts that nobody has seen yet?"""
    for each in unseen_notices(who.home)[-_NOTICES_SHOWN:]:
        fix = f"{each.fix} {_SEEN}".lstrip()
        yield DoctorCheck("noticed", "warn", f"{date_and_time(each.at)} {each.says}", fix)


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
