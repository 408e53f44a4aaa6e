"""What it takes to follow code of a language, and what all readers have in common."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.inline.function_effects import Table
from handrail.shell.inline.scan import Scanner
from handrail.shell.inline.value import Value

if TYPE_CHECKING:
    from handrail.shell.inline.code_walk import CodeWalk


class Language(msgspec.Struct, frozen=True):
    """What `CodeWalk` needs to know about a language."""

    scanner: Scanner
    calls: Table
    methods: Table = {}
    """Methods that say enough by their name, whatever the object."""
    constants: Mapping[str, Value] = {}
    joins: frozenset[str] = frozenset({"+"})
    """Operators that put texts together."""
    dots: frozenset[str] = frozenset({"."})
    bare_calls: bool = False
    """A call may be written without parentheses."""
    skipped: frozenset[str] = frozenset()
    """Words that may stand before a value and change nothing about it."""
    keywords: "Mapping[str, Callable[[CodeWalk], Value | None]]" = {}
    """Statements that are read in a way of their own, by their first word."""
    loops: frozenset[str] = frozenset({"in", "of"})
    """Words between the variable of a loop and what it goes through."""
    environment: str = ""
    """The object whose members are environment variables."""
    arrows: bool = False
    """`x => …` is a function."""
    remote: frozenset[str] = frozenset()
    """Modules that hand over what they got over the network to a function."""
    callable_text: bool = False
    """A text that is called is the name of a function."""
    resolve: Callable[[str], str] = str
    """The name under which the tables know something."""
    subscript: "Callable[[Value, Value], Value | None] | None" = None
