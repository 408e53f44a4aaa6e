"""Word the evidence that a request was carried out."""

import re

from handrail.model.event import ControlAnswered
from handrail.model.host import known_hosts

_PROTOCOL = "Loop "
"""The beginning of a protocol message that confirms without details."""
_PROCESS = re.compile(r"(?P<what>\w[\w ]*): \d+ (?P<program>\S+).*", re.DOTALL)
_MAX_PROGRAMS = 4
_PROGRAMS = ("handrail ", *(f"{host.program} " for host in known_hosts()))


def evidence_in_words(event: ControlAnswered) -> str:
    """Return the evidence in words, or "".

    Processes appear as program names only: `ended: node, bash`.
    """
    shown: dict[str, list[str]] = {}
    for each in event.evidence:
        found = _PROCESS.fullmatch(each)
        programs = shown.setdefault(found["what"] if found else each, [])
        if found:
            programs.append(found["program"].rpartition("/")[2])
    if shown:
        return "; ".join(_with_programs(what, programs) for what, programs in shown.items())
    return "" if event.says.startswith(_PROTOCOL) else event.says


def _with_programs(what: str, programs: list[str]) -> str:
    more = len(programs) - _MAX_PROGRAMS
    also = f" and {more} more" if more > 0 else ""
    return f"{what}: {', '.join(programs[:_MAX_PROGRAMS])}{also}" if programs else what


def without_command(text: str) -> tuple[str, str]:
    """Split a sentence from the command line at its end, which must stay in one piece."""
    before, colon, command = text.rpartition(": ")
    return (before, command) if colon and command.startswith(_PROGRAMS) else (text, "")
