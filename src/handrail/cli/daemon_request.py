"""Requests to the daemon that may take a while."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

import click
import msgspec

from handrail.cli.output.terminal import clip

if TYPE_CHECKING:
    from handrail.api.client import ApiClient
    from handrail.server.home import Home

_TIMEOUT = 180.0
"""Seconds for the daemon: it may have to save a large project for the first time."""
_QUIET = 1.0
_WIDTH = 78


def ask_daemon(home: "Home", path: str, body: object, waiting_for: str) -> dict[str, object]:
    """Post a request and return the reply; a person who has to wait sees `waiting_for`."""
    from handrail.server.http.socket_client import call_daemon

    with ready_daemon(home, waiting_for):
        return call_daemon(home, "POST", path, msgspec.to_builtins(body), timeout=_TIMEOUT)


@contextmanager
def ready_api(home: "Home", waiting_for: str = "waiting for the daemon") -> Iterator["ApiClient"]:
    """Start the daemon if it does not run, and give its API; a refusal is said in one line."""
    from handrail.api.client import ApiRefusedError
    from handrail.server.http.api_connection import connect_api

    with ready_daemon(home, waiting_for):
        try:
            yield connect_api(home, seconds=_TIMEOUT)
        except ApiRefusedError as error:
            raise click.ClickException(str(error)) from None


@contextmanager
def ready_daemon(home: "Home", waiting_for: str = "starting the daemon") -> Iterator[None]:
    """Start the daemon if it does not run; tell the user in one line when it does not answer."""
    from handrail.server.http.socket_client import DaemonError
    from handrail.server.launcher import ensure_daemon

    try:
        with show_waiting(waiting_for):
            ensure_daemon(home)
            yield
    except DaemonError as error:
        raise click.ClickException(str(error)) from None


@contextmanager
def show_waiting(waiting_for: str, quiet: float = _QUIET) -> Iterator[None]:
    """On a terminal, show after `quiet` seconds what the command waits for, and how long."""
    if not sys.stderr.isatty():
        yield
        return
    over = threading.Event()
    thread = threading.Thread(target=_show, args=(waiting_for, quiet, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _show(waiting_for: str, quiet: float, over: threading.Event) -> None:
    began = monotonic()
    line = ""
    while not over.wait(quiet):
        line = clip(f" {waiting_for} … {monotonic() - began:.0f} s", _WIDTH)
        sys.stderr.write(f"\r{line}")
        sys.stderr.flush()
    if line:
        sys.stderr.write(f"\r{' ' * len(line)}\r")
        sys.stderr.flush()
