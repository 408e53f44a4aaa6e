"""What an expression in a piece of code is worth, as far as it can be known before it runs."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, product

import msgspec

from handrail.shell.word import OPAQUE

MAX_TEXT = 64 * 1024
MAX_CHOICES = 8

DECODED, REMOTE, TYPED_IN, ENVIRON, FILE, GLOB, SOCKET, SECRET = (1 << bit for bit in range(8))
"""Where a value comes from: it was decoded, downloaded, typed in, is the environment …"""


class Value(msgspec.Struct, frozen=True, gc=False):
    """A value; each field says one thing that is known about it."""

    text: str = OPAQUE
    """Its text, with `OPAQUE` for what is not known."""
    ref: str = ""
    """The dotted name of the module or function that it is."""
    type: str = ""
    """The class whose instance it is."""
    items: "tuple[Value, ...] | None" = None
    fields: "dict[str, Value] | None" = None
    owner: "Value | None" = None
    """The object whose method it is."""
    flags: int = 0
    source: str = ""
    """The file or address that its content comes from."""
    choices: "tuple[Value, ...]" = ()
    """Values of which it is one: depends on how it runs."""
    body: object = None
    """The code of a function that is defined here."""

    @property
    def exact(self) -> bool:
        """Whether the whole text is known."""
        return OPAQUE not in self.text

    @property
    def number(self) -> int | None:
        """The value as a whole number."""
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
    """A known text."""
    return Value(value[:MAX_TEXT], flags=flags)


def integer(number: int) -> Value:
    """A known whole number."""
    if abs(number) >> 256:
        return Value(type="int")
    return Value(str(number), type="int")


def as_text(value: Value) -> Value:
    """Return the value as text: a path or number is written as it is."""
    return Value(value.text, flags=value.flags, source=value.source, choices=value.choices)


def list_of(values: Iterable[Value]) -> Value:
    """A list; it comes from wherever its items come from."""
    items = tuple(values)
    return Value(items=items, flags=flags_of(items))


def flags_of(values: Iterable[Value]) -> int:
    """Everything that is known about where some values come from."""
    flags = 0
    for value in values:
        flags |= value.flags
    return flags


def unknown(*values: Value) -> Value:
    """Something that was made out of these values in a way that is not known."""
    flags = flags_of(values)
    source = next((value.source for value in values if value.source), "")
    return Value(flags=flags, source=source) if flags or source else NOTHING


def either(values: Sequence[Value]) -> Value:
    """One of these, depending on how it runs."""
    different: list[Value] = []
    for value in values:
        for choice in value.choices or (value,):
            if choice not in different:
                different.append(choice)
    if len(different) == 1:
        return different[0]
    return Value(flags=flags_of(different), choices=tuple(different[:MAX_CHOICES]))


def concatenate(parts: Sequence[Value], join: Callable[[Sequence[str]], str] = "".join) -> Value:
    """Texts put together; where a part is one of several, so is the result."""
    flags = flags_of(parts)
    source = next((part.source for part in parts if part.source), "")
    kind = parts[0].type if parts and parts[0].type in {"bytes", "pathlib.Path"} else ""
    if any(part.choices for part in parts):
        ways = islice(product(*(part.choices or (part,) for part in parts)), MAX_CHOICES)
        return either([concatenate(way, join) for way in ways])
    if sum(len(part.text) for part in parts) > MAX_TEXT:
        return Value(type=kind, flags=flags, source=source)
    return Value(join([part.text for part in parts]), type=kind, flags=flags, source=source)


def variable(name: str) -> Value:
    """The value of an environment variable."""
    if name in {"HOME", "USERPROFILE"}:
        return text("~")
    if name == "HANDRAIL_HOME":
        return text("~/.local/state/handrail")
    return Value(flags=SECRET, source=name) if _SECRET_NAME.search(name) else NOTHING


_SECRET_NAME = re.compile(
    r"SECRET|TOKEN|PASSW|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL", re.IGNORECASE
)


def truthy(value: Value | None) -> bool:
    """Whether it is given and not known to be empty, zero or false."""
    if value is None:
        return False
    return bool(value.items or value.fields or value.ref or value.text not in _FALSE)


_FALSE = frozenset({"", "0", "false", "False", "null", "undefined", "nil", "None"})
