"""Runs as people call them, the same as in every other command: `shop-3f2a`."""

import os
from collections.abc import Iterable

from handrail.supervise.topics import RUNS, run_of

_SHORT = 4


def short_ids(topics: Iterable[str]) -> dict[str, str]:
    """Of each run's id a beginning that no other one has."""
    ordered = sorted(run_of(topic) for topic in topics if topic.startswith(RUNS))
    around = ["", *ordered, ""]
    return {
        run: run[: max(_SHORT, _shared(run, before) + 1, _shared(run, after) + 1)]
        for before, run, after in zip(around, ordered, around[2:], strict=False)
    }


def name_of(cwd: str, short: str) -> str:
    """The folder that a run began in, and the beginning of its id."""
    return f"{os.path.basename(cwd.rstrip('/')) or 'run'}-{short}"


def _shared(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    differ = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differ, min(len(one), len(other)))
