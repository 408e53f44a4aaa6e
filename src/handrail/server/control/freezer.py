"""Freezes and thaws the processes of a run, also across a restart of the daemon.

Before a freeze, the freezer saves which processes were stopped already; afterwards, which ones it
stopped. A thaw continues exactly those. If a daemon ended in the middle of a freeze, the thaw
continues every stopped process of the run, except those stopped before. Without a record, nothing
was frozen. With an unreadable record, the thaw continues all processes of the run: that is better
than a run that stands still for ever.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from handrail.control.command_actions import CommandOutcome
from handrail.intervene.processes.freezing import (
    freeze_processes,
    stopped_processes,
    thaw_processes,
)
from handrail.intervene.processes.process_tree import ProcessFamily, ProcessIdentity
from handrail.model.decodable import decodable
from handrail.server.home import Home
from handrail.store.private_files import make_folder, replace_file

_MAX_SHOWN = 50


@decodable
class FreezeRecord(msgspec.Struct, frozen=True):
    """The record of the last freeze of a run."""

    before: tuple[ProcessIdentity, ...] = ()
    """The processes that were stopped before, and must stay so."""
    stopped: tuple[ProcessIdentity, ...] | None = None
    """The processes that the freeze stopped; None if it did not finish."""


class RunFreezer:
    """Freezes runs. Used from one thread at a time for each run."""

    def __init__(self, home: Home) -> None:
        self._folder = os.path.join(home.path, "frozen")

    def freeze(self, run: str, family: ProcessFamily) -> CommandOutcome:
        """Stop all processes of a run; a second call changes nothing."""
        kept = self._read(run)
        if kept is None or kept.stopped is not None:
            ours = () if kept is None else kept.stopped or ()
            kept = FreezeRecord(stopped_processes(family, ours))
            self._write(run, kept)
        try:
            frozen = freeze_processes(family, kept.before)
            self._write(run, FreezeRecord(kept.before, frozen.stopped))
        except BaseException:  # nobody may stand still in a run that is not known to be frozen
            thaw_processes(stopped_processes(family, kept.before))
            raise
        if frozen.loose:
            return CommandOutcome(
                ok=False, says=_named("Not frozen, these could not be", frozen.loose)
            )
        if not frozen.all:
            return CommandOutcome(ok=False, says="No process of the run was found")
        return CommandOutcome(
            evidence=tuple(f"stands still: {each}" for each in first_few(frozen.all))
        )

    def thaw(self, run: str, family: ProcessFamily) -> CommandOutcome:
        """Continue the processes."""
        kept = self._read(run) or FreezeRecord(stopped=())
        stopped = kept.stopped
        thawed = thaw_processes(
            stopped_processes(family, kept.before) if stopped is None else stopped
        )
        if thawed.still:
            hint = "; where the shell in its window has stopped it, type fg there"
            return CommandOutcome(ok=False, says=_named("Stands still again", thawed.still) + hint)
        with suppress(OSError):  # they go on, whether that can be kept or not
            self._write(run, FreezeRecord(kept.before, ()))
        going = tuple(f"goes on: {each}" for each in first_few(thawed.going))
        return CommandOutcome(evidence=going or ("no process stood still",))

    def forget(self, run: str) -> None:
        """Remove the record of a run without processes."""
        with suppress(OSError):
            os.unlink(self._path(run))

    def _read(self, run: str) -> FreezeRecord | None:
        try:
            with open(self._path(run), "rb") as file:
                return msgspec.json.decode(file.read(), type=FreezeRecord)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError):
            return FreezeRecord()

    def _write(self, run: str, kept: FreezeRecord) -> None:
        make_folder(self._folder)
        replace_file(self._path(run), msgspec.json.encode(kept), 0o600)

    def _path(self, run: str) -> str:
        name = hashlib.sha256(run.encode("utf-8", "replace")).hexdigest()[:32]
        return os.path.join(self._folder, f"{name}.json")


def first_few(texts: Sequence[str]) -> tuple[str, ...]:
    """Limit a list to the length that a person reads."""
    more = len(texts) - _MAX_SHOWN
    return (*texts[:_MAX_SHOWN], f"and {more} more") if more > 0 else tuple(texts)


def _named(says: str, texts: Sequence[str]) -> str:
    return f"{says}: {', '.join(first_few(texts))}"
