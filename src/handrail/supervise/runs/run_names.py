"""Give runs the same short name everywhere: `shop-3f2a`."""

import os
from collections.abc import Collection

import msgspec

from handrail.store.port import Store
from handrail.supervise.log.topics import RUNS, run_of

_SHORT = 4
"""Characters of a session's id to show; more if two begin alike."""


class _FirstEvent(msgspec.Struct):
    cwd: str = ""


_first_event = msgspec.json.Decoder(_FirstEvent)


def short_ids(runs: Collection[str]) -> dict[str, str]:
    """Return a unique beginning of each run's id."""
    ordered = sorted(runs)
    around = ["", *ordered, ""]
    return {
        run: run[: max(_SHORT, _shared(run, before) + 1, _shared(run, after) + 1)]
        for before, run, after in zip(around, ordered, around[2:], strict=False)
    }


def project_of(cwd: str) -> str:
    """Return the name of a run's first folder."""
    return os.path.basename(cwd.rstrip("/")) or "run"


def names_of_runs(store: Store, runs: Collection[str]) -> dict[str, str]:
    """Return the names of runs by id, without runs that the log does not know."""
    topics = {run_of(topic.name): topic.name for topic in store.topics(RUNS)} if runs else {}
    short = short_ids(topics)
    return {run: f"{project_in(store, topics[run])}-{short[run]}" for run in runs if run in topics}


def project_in(store: Store, topic: str) -> str:
    """Read the name of a run's first folder from its first event."""
    first = next(iter(store.read(topic, 0, 1)), None)
    try:
        return project_of(_first_event.decode(first.body).cwd if first else "")
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return project_of("")


def _shared(one: str, other: str) -> int:
    """Return the length of the common beginning of two texts."""
    differ = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differ, min(len(one), len(other)))
