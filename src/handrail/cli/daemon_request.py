"""Asking the daemon for something that may take a while."""

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
    from handrail.server.home import Home

_PATIENCE = 180.0
"""Seconds for the daemon: it may save a large project for the first time before."""
_QUIET = 1.0
_WIDTH = 78


def ask_daemon(home: "Home", path: str, body: msgspec.Struct, says: str) -> dict[str, object]:
    """What the daemon answers; `says` is shown to a person who has to wait for it."""
    from handrail.server.http.socket_client import DaemonError, call
    from handrail.server.launcher import ensure_daemon

    try:
        with show_waiting(says):
            ensure_daemon(home)
            return call(home, "POST", path, msgspec.to_builtins(body), timeout=_PATIENCE)
    except DaemonError as error:
        raise click.ClickException(str(error)) from None


@contextmanager
def show_waiting(says: str, quiet: float = _QUIET) -> Iterator[None]:
    """On a terminal, say what is waited for once it takes longer than a second, and how long."""
    if not sys.stderr.isatty():
        yield
        return
    over = threading.Event()
    thread = threading.Thread(target=_tell, args=(says, quiet, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _tell(says: str, quiet: float, over: threading.Event) -> None:
    began = monotonic()
    line = ""
    while not over.wait(quiet):
        line = clip(f" {says} … {monotonic() - began:.0f} s", _WIDTH)
        sys.stderr.write(f"\r{line}")
        sys.stderr.flush()
    if line:
        sys.stderr.write(f"\r{' ' * len(line)}\r")
        sys.stderr.flush()
