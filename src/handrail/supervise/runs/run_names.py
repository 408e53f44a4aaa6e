"""Runs as people call them, the same everywhere: `shop-3f2a`."""

import os
from collections.abc import Collection

import msgspec

from handrail.store.port import Store

_SHORT = 4
"""Of a session's id so many characters are shown, more where two of them begin alike."""


class _FirstEvent(msgspec.Struct):
    cwd: str = ""


_first_event = msgspec.json.Decoder(_FirstEvent)


def short_ids(runs: Collection[str]) -> dict[str, str]:
    """Of each run's id a beginning that no other one has."""
    ordered = sorted(runs)
    around = ["", *ordered, ""]
    return {
        run: run[: max(_SHORT, _shared(run, before) + 1, _shared(run, after) + 1)]
        for before, run, after in zip(around, ordered, around[2:], strict=False)
    }


def project_of(cwd: str) -> str:
    """The folder that a run began in, by its name."""
    return os.path.basename(cwd.rstrip("/")) or "run"


def project_in(store: Store, topic: str) -> str:
    """Read from the first event of a run the name of the folder that it began in."""
    first = next(iter(store.read(topic, 0, 1)), None)
    try:
        return project_of(_first_event.decode(first.body).cwd if first else "")
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return project_of("")


def _shared(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    differ = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differ, min(len(one), len(other)))
