"""The one way in: from a command line to its commands and effects."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.shell.command import ParsedProgram
from handrail.shell.effects import effects_of
from handrail.shell.environment import Environment
from handrail.shell.errors import TooDeepError
from handrail.shell.flows import joined_effects
from handrail.shell.program_lookup import ProgramLookup
from handrail.shell.syntax import MAX_NESTING
from handrail.shell.tables import all_programs
from handrail.shell.walk import ProgramWalker
from handrail.shell.word import Word

_DEFAULTS = (
    ("TMPDIR", (Word("/tmp"),)),
    ("IFS", (Word(" \t\n"),)),
    ("SHELL", (Word("/bin/bash"),)),
    ("BASH", (Word("/bin/bash"),)),
    ("PATH", (Word("/usr/local/bin:/usr/bin:/bin"),)),
)
"""What variables hold on nearly every machine, where the environment is not given."""


_TEXT_TRICK = re.compile("[\u202a-\u202e\u2066-\u2069]")
_HIDDEN = Effect(
    Kind.UNSEEN,
    "hidden characters",
    Severity.HIGH,
    Undo.IMPOSSIBLE,
    "holds characters that disguise it",
    "Write it without text-direction characters.",
)


class Reading(msgspec.Struct, frozen=True):
    """A command line as understood."""

    program: ParsedProgram
    effects: tuple[Effect, ...]


@cache
def default_knowledge() -> ProgramLookup:
    """The tables that ship with Handrail."""
    return ProgramLookup(all_programs())


def read(
    text: str,
    *,
    cwd: str,
    environ: Mapping[str, str] | None = None,
    knowledge: ProgramLookup | None = None,
    deadline: float = float("inf"),
    files: Mapping[str, str] | None = None,
    code_deadline: float = float("inf"),
) -> Reading:
    """Read a command line without running anything or looking at the disk.

    `files`: known text of files that it may run; `ParsedProgram.code_files` says which it needs.
    `code_deadline`: when reading of code in other languages ends with what was found.

    Raises UnreadableError if it is too large, too deep or too much work, or if the
    deadline passes: of `reading_time`, so that a busy machine refuses nothing.
    """
    knowledge = knowledge or default_knowledge()
    variables = _variables(tuple((environ or {}).items()))
    walker = ProgramWalker(knowledge, deadline, files or {}, code_deadline)
    try:
        program = walker.read(text, Environment(Word(cwd or "/"), dict(variables)))
    except RecursionError:
        raise TooDeepError(MAX_NESTING) from None
    finally:
        walker.close()
    effects = joined_effects(program, effects_of(program, knowledge), knowledge)
    if not text.isascii() and _TEXT_TRICK.search(text):
        effects = (*effects, _HIDDEN)
    return Reading(program, effects)


@lru_cache(maxsize=64)
def _variables(environ: tuple[tuple[str, str], ...]) -> dict[str, tuple[Word, ...]]:
    """The variables that a command sees at first."""
    known: dict[str, tuple[Word, ...]] = dict(_DEFAULTS)
    known.update((name, (Word(value),)) for name, value in environ)
    known.pop("PWD", None)  # the folder tells
    return known
