"""The daemon's side of its guardian."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest

from handrail import __version__
from handrail.server.guardian.link import Link, Message, make_link
from handrail.server.guardian_link import GuardianLink, Refused
from handrail.server.listening_sockets import ListeningSockets
from handrail.server.threads.supervision_thread import SupervisionThread
from tests.server.daemon_sandbox import DaemonSandbox


@pytest.fixture
def supervision() -> Iterator[SupervisionThread]:
    with closing(SupervisionThread()) as thread:
        yield thread


def converse(
    place: DaemonSandbox, supervision: SupervisionThread, *says: Message, until: str = "supervision"
) -> tuple[list[str], Refused]:
    """What a daemon says to a guardian that says this, and what it has heard of refused calls."""
    ours, theirs = make_link()
    told: Refused = []

    async def talk() -> list[str]:
        with socket.socket() as port, socket.socket(socket.AF_UNIX) as path:
            sockets = ListeningSockets(path, port, ours)
            link = GuardianLink(
                place.home, place.environ, sockets, supervision, answers={}, refused=told.extend
            )
            guardian = Link(theirs)
            for message in says:
                fields = {name: value for name, value in message.items() if name != "is"}
                guardian.send(message["is"], None, **fields)
            keeping = asyncio.create_task(link.keep())
            heard: list[str] = []
            while until not in heard:
                await asyncio.sleep(0.01)
                heard += [message["is"] for message in guardian.receive() or ()]
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping
            return heard

    with ours, theirs:
        return asyncio.run(talk()), told


def test_it_says_who_it_is_and_then_that_it_is_well(
    place: DaemonSandbox, supervision: SupervisionThread
) -> None:
    said, _ = converse(place, supervision)
    assert said[:3] == ["hello", "loop", "supervision"]


def test_it_hears_of_calls_that_were_refused_and_not_of_unknown_things(
    place: DaemonSandbox, supervision: SupervisionThread
) -> None:
    refused: Message = {"is": "refused", "calls": [{"run": "r1"}]}
    _, told = converse(place, supervision, {"is": "whatever"}, refused)
    assert told == [{"run": "r1"}]


@pytest.mark.parametrize("version", [__version__, "0.0.0"])
def test_a_guardian_of_another_version_is_ended(
    place: DaemonSandbox, supervision: SupervisionThread, version: str
) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as guardian:
        welcome: Message = {
            "is": "welcome",
            "pid": guardian.pid,
            "version": version,
            "socket": None,
        }
        converse(place, supervision, welcome)
        guardian.communicate(b"\n")
    assert (guardian.returncode == 0) is (version == __version__)


@pytest.mark.parametrize("is_welcomed", [False, True])
def test_it_ends_with_a_guardian_that_somebody_else_keeps_or_may_keep(
    place: DaemonSandbox, supervision: SupervisionThread, *, is_welcomed: bool
) -> None:
    ours, theirs = make_link()
    if is_welcomed:
        fields = {"pid": os.getpid(), "version": __version__, "socket": None, "kept": True}
        Link(theirs).send("welcome", None, **fields)
    theirs.close()

    async def live() -> bool:
        ended = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
        with socket.socket() as port, socket.socket(socket.AF_UNIX) as path:
            sockets = ListeningSockets(path, port, ours)
            link = GuardianLink(
                place.home, place.environ, sockets, supervision, answers={}, refused=lambda _: None
            )
            await link.keep()
        return ended.is_set() or await asyncio.wait_for(ended.wait(), 60)

    assert asyncio.run(live())
