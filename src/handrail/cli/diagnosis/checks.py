"""What the doctor looks at, one function each. Every finding says what to do."""

import http.client
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing

import msgspec

from handrail import __version__
from handrail.cli.output.file_changes import connection, short
from handrail.hosts import HOSTS, find_host
from handrail.hosts.port import DoctorCheck, ExaminedHost, HostAdapter, HostProgram
from handrail.server.home import Home
from handrail.server.http.socket_client import DaemonError, health, port_answers
from handrail.server.launcher import ensure_daemon
from handrail.server.lock import holder
from handrail.store.decoding import decode as decode_event
from handrail.store.errors import DamagedError, StoreError
from handrail.store.opening import open_log
from handrail.supervise.topics import RUNS
from handrail.words.amounts import count

_RUNS_LOOKED_AT = 20
_EVENTS_LOOKED_AT = 100
"""The last runs, and the last events of each: what sessions that are open need."""


class ExaminedSetup(msgspec.Struct, frozen=True):
    """What is examined: one user's Handrail, as it is for sessions in one folder."""

    home: Home
    folder: str
    environ: Mapping[str, str]
    hosts: tuple[tuple[HostAdapter, HostProgram | None], ...]
    """Every host that Handrail knows, with the program that a terminal there would start."""

    def short(self, path: str) -> str:
        """A path as a person would write it there."""
        return short(path, self.folder, self.environ)


def patient(home: Home, folder: str, environ: Mapping[str, str]) -> ExaminedSetup:
    """The patient, with the hosts that a terminal there would start."""
    hosts = tuple((host, host.find_program(environ)) for host in map(find_host, HOSTS))
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
        yield DoctorCheck("log", "bad", str(error), "make the file readable, and room on the disk")
    else:
        runs = f"{count(len(topics), 'run')}, {size / 1e6:.1f} MB"
        yield DoctorCheck("log", "ok", runs if size else "empty: nothing has been recorded yet")


def check_daemon(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Does the daemon run, and is it this version's?"""
    started = ""
    said = health(who.home)
    if said is None:
        try:
            ensure_daemon(who.home, who.environ)
        except DaemonError as error:
            yield DoctorCheck("daemon", "bad", str(error), f"look into {who.home.daemon_log}")
            return
        started = "was not running; started now, "
        said = health(who.home) or {}
    if said.get("version") != __version__:
        says = f"is of version {said.get('version')}, this is {__version__}"
        yield DoctorCheck("daemon", "bad", says, "handrail serve --restart")
        return
    if problem := said.get("problem"):
        yield DoctorCheck("daemon", "bad", str(problem), "handrail doctor --fix")
        return
    minutes = int(str(said.get("up_seconds", 0))) // 60
    up = f"up {minutes // 60} h" if minutes >= 60 else f"up {minutes} min"
    yield DoctorCheck("daemon", "ok", f"{started or 'running, '}{said.get('memory_mb')} MB, {up}")


def check_port(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Is it our daemon that answers on the port in the settings?"""
    socket_side = health(who.home)
    if socket_side is None:
        if holder(who.home) is None and port_answers(who.home):
            says = (
                f"ANOTHER PROGRAM answers on 127.0.0.1:{who.home.port}: open sessions ask it in "
                "Handrail's place, and it may let everything run"
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


def check_client(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Can the hook client do its work?"""
    if shutil.which("curl", path=who.environ.get("PATH")) is None:
        yield DoctorCheck("client", "bad", "curl is missing, which hooks use", "install curl")
    elif os.path.exists(who.home.client_path):
        yield DoctorCheck("client", "ok", "curl and handrail-hook are there")


def check_hosts(who: ExaminedSetup) -> Iterator[DoctorCheck]:
    """Does each host load our hooks, and does anything keep them from running?"""
    for host, program in who.hosts:
        here = ExaminedHost(program, connection(who.home), who.folder, who.environ, who.short)
        yield from host.diagnose(here)


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
