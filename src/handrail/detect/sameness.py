"""When two calls, results or errors are the same: what is different each time is left out."""

import hashlib
import re
from typing import NamedTuple

from handrail.model.action import Action, Outcome

_BESIDE = frozenset({"description", "timeout", "run_in_background"})
_NOISE = re.compile(r"0x[0-9a-fA-F]+|\d+")


class ErrorLine(NamedTuple):
    """An error in one line: as it is compared, and as it was."""

    key: str
    text: str


def call_key(action: Action) -> str:
    """The same for calls that differ in nothing that matters."""
    parts = [action.tool]
    parts += [f"{key}={action.input[key]}" for key in sorted(action.input) if key not in _BESIDE]
    return _digest("\0".join(parts))


def result_key(outcome: Outcome) -> str:
    """The same for outcomes that say the same."""
    return _digest(_NOISE.sub("#", f"{outcome.ok}{outcome.output}{outcome.error}"))


def error_line(outcome: Outcome) -> ErrorLine:
    """What went wrong; empty where nothing did."""
    if outcome.ok:
        return ErrorLine("", "")
    lines = (outcome.error or outcome.output).strip().splitlines()
    last = lines[-1].strip() if lines else "failed"
    return ErrorLine(_NOISE.sub("#", last), last)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
