"""What the walker needs to know about a script language."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.inline.function_effects import Table
from handrail.shell.inline.scan import Scanner
from handrail.shell.inline.value import Value

if TYPE_CHECKING:
    from handrail.shell.inline.code_walk import CodeWalk


class Language(msgspec.Struct, frozen=True):
    """Syntax and tables of one language, for `CodeWalk`."""

    scanner: Scanner
    calls: Table
    methods: Table = {}
    """Methods known by their name alone, whatever the object."""
    constants: Mapping[str, Value] = {}
    joins: frozenset[str] = frozenset({"+"})
    """Operators that concatenate texts."""
    dots: frozenset[str] = frozenset({"."})
    bare_calls: bool = False
    """A call may be written without parentheses."""
    skipped: frozenset[str] = frozenset()
    """Words before a value that change nothing about it."""
    keywords: "Mapping[str, Callable[[CodeWalk], Value | None]]" = {}
    """Readers of special statements, by their first word."""
    loops: frozenset[str] = frozenset({"in", "of"})
    """Words between a loop's variable and its values."""
    environment: str = ""
    """The object whose members are environment variables."""
    arrows: bool = False
    """`x => …` is a function."""
    remote: frozenset[str] = frozenset()
    """Modules that pass data from the network to a callback."""
    callable_text: bool = False
    """Calling a text calls the function of that name."""
    resolve: Callable[[str], str] = str
    """Turns a name in the code into its name in the tables."""
    subscript: "Callable[[Value, Value], Value | None] | None" = None
