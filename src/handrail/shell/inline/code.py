"""The effects of a piece of code, and the commands that it starts."""

from collections.abc import Callable
from importlib import import_module
from typing import cast

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo

MAX_CODE = 128 * 1024


class Code(msgspec.Struct, frozen=True):
    """Effects of a piece of code; relative paths are as written, unknown parts are opaque."""

    effects: tuple[Effect, ...] = ()
    scripts: tuple[str, ...] = ()
    """Command lines that it hands to a shell."""
    calls: tuple[tuple[str, ...], ...] = ()
    """Programs that it starts without a shell."""


_TOO_LONG = Effect(
    Kind.UNSEEN,
    "code",
    Severity.HIGH,
    Undo.IMPOSSIBLE,
    f"runs more than {MAX_CODE // 1024} KB of code, too much to read",
    "Put the code into a file of the project, and run that.",
)
_READERS = {
    "python": "python",
    "javascript": "javascript",
    "perl": "perl",
    "ruby": "ruby",
    "php": "php",
    "awk": "awk",
    "sed": "sed",
    "lua": "lua",
    "applescript": "applescript",
    "r": "r",
}


def read_code(language: str, code: str) -> Code:
    """Return the effects of code in a language; code of an unknown language has none."""
    module = _READERS.get(language)
    if module is None:
        return Code()
    if len(code) > MAX_CODE:
        return Code((_TOO_LONG,))
    # Imported on demand: most command lines hold no foreign code, and `ast` is not small.
    reader = import_module(f"handrail.shell.inline.{module}").read
    return cast("Callable[[str], Code]", reader)(code)
