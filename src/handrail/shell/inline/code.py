"""The effects of a piece of code, and the commands that it starts."""

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import cast

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.shell.inline.loaded_files import Loader, loading_with
from handrail.shell.inline.time_limit import read_until

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
    "other": "other",
}


@cache
def load_readers() -> None:
    """Import all readers, so that the first file of a language is not too slow to be read."""
    for module in ("python_reader", *_READERS.values()):
        import_module(f"handrail.shell.inline.{module}")


def forget_parsed() -> None:
    """Let go of code that was parsed, which is kept while several files are read together."""
    if syntax := sys.modules.get("handrail.shell.inline.python_syntax"):
        syntax.parse.cache_clear()


def read_code(
    language: str,
    code: str,
    deadline: float = float("inf"),
    loader: Loader = lambda _: None,
) -> Code:
    """Return the effects of code in a language; code of an unknown language has none.

    After the deadline, a moment of this thread's time, it returns what it has found by then.
    `loader` knows the text of files that the code loads.
    """
    module = _READERS.get(language)
    if module is None:
        return Code()
    if len(code) > MAX_CODE:
        return Code((_TOO_LONG,))
    # Imported on demand: most command lines hold no foreign code, and `ast` is not small.
    reader = import_module(f"handrail.shell.inline.{module}").read
    try:
        with read_until(deadline), loading_with(loader):
            return cast("Callable[[str], Code]", reader)(code)
    finally:
        if deadline == float("inf"):
            forget_parsed()
