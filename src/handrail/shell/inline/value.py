"""Values of expressions, as far as they are known before the code runs."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, product

import msgspec

from handrail.shell.word import OPAQUE

MAX_TEXT = 64 * 1024
MAX_CHOICES = 8

DECODED, REMOTE, TYPED_IN, ENVIRON, FILE, GLOB, SOCKET, SECRET = (1 << bit for bit in range(8))
"""Origins of a value: decoded, downloaded, typed in, the environment …"""


class Value(msgspec.Struct, frozen=True, gc=False):
    """A value, with the facts known about it."""

    text: str = OPAQUE
    """Its text, with `OPAQUE` for unknown parts."""
    ref: str = ""
    """Its dotted name, if it is a module or function."""
    type: str = ""
    """The class whose instance it is."""
    items: "tuple[Value, ...] | None" = None
    fields: "dict[str, Value] | None" = None
    owner: "Value | None" = None
    """The object, if it is a method."""
    flags: int = 0
    source: str = ""
    """The file or address of its content."""
    choices: "tuple[Value, ...]" = ()
    """Possible values; which one depends on how the code runs."""
    body: object = None
    """The code of a function defined here."""

    @property
    def exact(self) -> bool:
        """Whether the whole text is known."""
        return OPAQUE not in self.text

    @property
    def number(self) -> int | None:
        """The value as a whole number, or None."""
        if self.type == "int":
            try:
                return int(self.text)
            except ValueError:
                return None
        return None


NOTHING = Value()
NONE = Value("", type="None")
TRUE = Value("True", type="bool")
FALSE = Value("", type="bool")


def text(value: str, flags: int = 0) -> Value:
    """Return a known text."""
    return Value(value[:MAX_TEXT], flags=flags)


def integer(number: int) -> Value:
    """Return a known whole number."""
    if abs(number) >> 256:
        return Value(type="int")
    return Value(str(number), type="int")


def as_text(value: Value) -> Value:
    """Return the value as text: a path or number is written as it is."""
    return Value(value.text, flags=value.flags, source=value.source, choices=value.choices)


def list_of(values: Iterable[Value]) -> Value:
    """Return a list with the origins of its items."""
    items = tuple(values)
    return Value(items=items, flags=flags_of(items))


def flags_of(values: Iterable[Value]) -> int:
    """Return the origins of some values."""
    flags = 0
    for value in values:
        flags |= value.flags
    return flags


def unknown(*values: Value) -> Value:
    """Return an unknown value made from these values."""
    flags = flags_of(values)
    source = next((value.source for value in values if value.source), "")
    return Value(flags=flags, source=source) if flags or source else NOTHING


def either(values: Sequence[Value]) -> Value:
    """Return a value that is one of these."""
    different: list[Value] = []
    for value in values:
        for choice in value.choices or (value,):
            if choice not in different:
                different.append(choice)
    if len(different) == 1:
        return different[0]
    return Value(flags=flags_of(different), choices=tuple(different[:MAX_CHOICES]))


def concatenate(parts: Sequence[Value], join: Callable[[Sequence[str]], str] = "".join) -> Value:
    """Join texts; alternatives in a part become alternatives of the result."""
    flags = flags_of(parts)
    source = next((part.source for part in parts if part.source), "")
    kind = parts[0].type if parts and parts[0].type in {"bytes", "pathlib.Path"} else ""
    if any(part.choices for part in parts):
        ways = islice(product(*(part.choices or (part,) for part in parts)), MAX_CHOICES)
        return either([concatenate(way, join) for way in ways])
    if sum(len(part.text) for part in parts) > MAX_TEXT:
        return Value(type=kind, flags=flags, source=source)
    return Value(join([part.text for part in parts]), type=kind, flags=flags, source=source)


STATE = "~handrail"
"""Stands for Handrail's state folder, as `~` does for the home folder."""


def variable(name: str) -> Value:
    """Return the value of an environment variable."""
    if name in {"HOME", "USERPROFILE"}:
        return text("~")
    if name == "HANDRAIL_HOME":
        return text(STATE)
    return Value(flags=SECRET, source=name) if _SECRET_NAME.search(name) else NOTHING


_SECRET_NAME = re.compile(
    r"SECRET|TOKEN|PASSW|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL", re.IGNORECASE
)


def truthy(value: Value | None) -> bool:
    """Whether a value is given and not known to be empty, zero or false."""
    if value is None:
        return False
    return bool(value.items or value.fields or value.ref or value.text not in _FALSE)


_FALSE = frozenset({"", "0", "false", "False", "null", "undefined", "nil", "None"})
