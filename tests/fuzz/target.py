"""What the fuzzer checks of one input, and how it is run with atheris.

`python tests/fuzz/target.py -max_total_time=60 [CORPUS]` runs the coverage-guided fuzzer,
where atheris is installed; `make fuzz` picks it by itself.
"""

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from handrail.config import Config
from handrail.model import Action, Review
from handrail.review import Reviewer
from handrail.shell import UnreadableError, read

_ENVIRON = {"HOME": "/home/test"}


@cache
def reviewer() -> Reviewer:
    """One for all inputs: it keeps nothing but readings."""
    return Reviewer(Config(scope=("/work/x",)), environ=_ENVIRON, see_disk=False)


def check(text: str) -> float:
    """Raises if the input breaks a promise; returns the seconds that its review took."""
    readable = True
    try:
        read(text, cwd="/work/x", environ=_ENVIRON)
    except UnreadableError:
        readable = False
    action = Action("Bash", {"command": text}, "/work/x")
    before = perf_counter()
    review = reviewer().review(action)
    took = perf_counter() - before
    assert isinstance(review, Review)
    assert readable or review.decision.stops, "it cannot be read, and still runs"
    assert review.alternative or review.rewrite or not review.decision.stops, "no way out is told"
    assert 0 <= review.risk.score <= 1
    return took


def main() -> None:
    """Fuzz with atheris until it finds something or the time is over."""
    atheris: Any = import_module("atheris")
    atheris.instrument_all()
    atheris.Setup(sys.argv, lambda data: check(data.decode("utf-8", "surrogateescape")))
    atheris.Fuzz()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    main()
