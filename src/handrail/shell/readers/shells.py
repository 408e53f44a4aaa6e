"""Find programs that open a shell nobody looks into (`vim -c ':!sh'`, `find -exec sh`)."""

import re
from collections.abc import Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.readers.make_effects import effect

_BARE = re.compile(r"\s*(?:exec\s+)?(?:\S*/)?(?:ba|z|da|k|a|fi|c|tc)?sh(?:\s+-[il]+)*\s*(?:#.*)?")


def bare_shell(script: str) -> bool:
    """Return whether a command line is only a shell without anything to run."""
    return _BARE.fullmatch(script) is not None


def opened_shells(program: str, scripts: Iterable[str]) -> Iterator[Effect]:
    """Yield an effect if one of a program's command lines is a bare shell."""
    if any(bare_shell(script) for script in scripts):
        yield effect(
            Kind.UNSEEN,
            program,
            severity=Severity.HIGH,
            says=f"opens a shell from inside {program}, out of sight",
            instead="Run the commands one by one, in plain sight.",
        )
