"""Evaluate Python's operators and text methods on known values."""

import ast
import re
from collections.abc import Callable, Mapping, Sequence

from handrail.shell.inline.decode import decode
from handrail.shell.inline.function_effects import Args
from handrail.shell.inline.value import (
    DECODED,
    MAX_TEXT,
    NOTHING,
    Value,
    as_text,
    concatenate,
    integer,
    list_of,
    text,
    unknown,
)
from handrail.shell.word import OPAQUE

Method = Callable[[Value, Args, Mapping[str, Value]], Value | None]

_PERCENT = re.compile(r"%(?:\((\w+)\))?[-+0 #]*\d{0,3}(?:\.\d{1,3})?([sdrifgx%])")
_FIELD = re.compile(r"\{\{|\}\}|\{(\w*)([^{}]*)\}")
_ENCODINGS = frozenset({"utf8", "utf-8", "ascii", "latin1", "latin-1", "u8"})


def percent(pattern: Value, right: Value) -> Value:
    """`"rm -rf %s" % path`."""
    if pattern.items is not None or pattern.number is not None:
        return NOTHING
    values = list(right.items) if right.items is not None else [right]
    parts: list[Value] = []
    end = 0
    for match in _PERCENT.finditer(pattern.text):
        parts.append(text(pattern.text[end : match.start()], pattern.flags))
        end = match.end()
        if match[2] == "%":
            parts.append(text("%"))
        elif match[1]:
            parts.append((right.fields or {}).get(match[1], NOTHING))
        else:
            parts.append(values.pop(0) if values else NOTHING)
    parts.append(text(pattern.text[end:], pattern.flags))
    return concatenate([as_text(part) for part in parts])


def _format(pattern: Value, args: Args, named: Mapping[str, Value]) -> Value:
    """`"rm -rf {}".format(path)`."""
    parts: list[Value] = []
    end = count = 0
    for match in _FIELD.finditer(pattern.text):
        parts.append(text(pattern.text[end : match.start()], pattern.flags))
        end = match.end()
        if match[1] is None:
            parts.append(text(match[0][0]))
            continue
        value = named.get(match[1], NOTHING)
        if not match[1] or match[1].isdecimal():
            index = int(match[1]) if match[1] else count
            count += not match[1]
            value = args[index] if index < len(args) else NOTHING
        parts.append(unknown(value) if match[2] else as_text(value))
    parts.append(text(pattern.text[end:], pattern.flags))
    return concatenate(parts)


def _join(separator: Value, args: Args, _named: Mapping[str, Value]) -> Value | None:
    if not args:
        return None
    parts = args[0].items
    if parts is None:
        # The letters of a text, or something unknown.
        exact = args[0].exact and not args[0].ref
        parts = tuple(text(letter, args[0].flags) for letter in args[0].text) if exact else None
    if parts is None or len(parts) * len(separator.text) > MAX_TEXT:
        return unknown(separator, *args)
    return concatenate([*parts], separator.text.join)


def _decode(owner: Value, args: Args, _named: Mapping[str, Value]) -> Value | None:
    form = args[0].text.lower() if args else "utf-8"
    if form not in _ENCODINGS:
        return decode(form, owner)
    try:
        decoded = owner.text.encode("latin-1").decode("utf-8", "replace")
    except UnicodeError:
        decoded = owner.text
    return Value(decoded, flags=owner.flags, source=owner.source)


def _encode(owner: Value, _args: Args, _named: Mapping[str, Value]) -> Value | None:
    try:
        encoded = owner.text.encode().decode("latin-1") if owner.exact else owner.text
    except UnicodeError:
        return unknown(owner)
    return Value(encoded, type="bytes", flags=owner.flags, source=owner.source)


def _split(owner: Value, args: Args, _named: Mapping[str, Value]) -> Value | None:
    if not owner.exact or (args and (not args[0].exact or not args[0].text)):
        return unknown(owner)
    words = (
        owner.text.split(args[0].text) if args and args[0].type != "None" else owner.text.split()
    )
    return list_of([text(word, owner.flags) for word in words[:1024]])


def _replace(owner: Value, args: Args, _named: Mapping[str, Value]) -> Value | None:
    if len(args) < 2 or not all(arg.exact for arg in args[:2]):
        return unknown(owner, *args)
    old, new = args[0].text, args[1].text
    if (len(owner.text) + 1) * (len(new) + 1) > MAX_TEXT * 8:
        return unknown(owner)
    return Value(owner.text.replace(old, new)[:MAX_TEXT], type=owner.type, flags=owner.flags)


def _same(change: Callable[[str], str]) -> Method:
    def method(owner: Value, _args: Args, _named: Mapping[str, Value]) -> Value | None:
        return Value(change(owner.text), type=owner.type, flags=owner.flags, source=owner.source)

    return method


def _removes(method: str) -> Method:
    def compute(owner: Value, args: Args, _named: Mapping[str, Value]) -> Value | None:
        if args and not args[0].exact:
            return unknown(owner)
        changed = getattr(str, method)(owner.text, *(arg.text for arg in args[:1]))
        return Value(changed, type=owner.type, flags=owner.flags)

    return compute


def _translate(owner: Value, _args: Args, _named: Mapping[str, Value]) -> Value | None:
    return Value(flags=owner.flags | DECODED)


def _known(method: Method) -> Method:
    """Only if something is known about the text."""

    def compute(owner: Value, args: Args, named: Mapping[str, Value]) -> Value | None:
        if owner.text == OPAQUE or owner.ref:
            return None
        return method(owner, args, named)

    return compute


TEXT_METHODS: dict[str, Method] = {
    name: _known(method)
    for name, method in {
        "format": _format,
        "join": _join,
        "decode": _decode,
        "encode": _encode,
        "split": _split,
        "replace": _replace,
        "lower": _same(str.lower),
        "upper": _same(str.upper),
        "swapcase": _same(str.swapcase),
        "translate": _translate,
        "strip": _removes("strip"),
        "lstrip": _removes("lstrip"),
        "rstrip": _removes("rstrip"),
        "removeprefix": _removes("removeprefix"),
        "removesuffix": _removes("removesuffix"),
    }.items()
}

_NUMBERS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: int.__add__,
    ast.Sub: int.__sub__,
    ast.Mult: int.__mul__,
    ast.BitXor: int.__xor__,
    ast.BitOr: int.__or__,
    ast.BitAnd: int.__and__,
    ast.FloorDiv: lambda a, b: a // b if b else 0,
    ast.Mod: lambda a, b: a % b if b else 0,
}


def arithmetic(operator: ast.operator, left: Value, right: Value) -> Value:
    """`"rm " + path`, `[…] + […]`, `100 + 14`, `"a" * 3`."""
    kind = type(operator)
    if left.number is not None and right.number is not None:
        compute = _NUMBERS.get(kind)
        return NOTHING if compute is None else integer(compute(left.number, right.number))
    if kind is ast.Add:
        if left.items is not None or right.items is not None:
            return list_of([*(left.items or (left,)), *(right.items or (right,))][:1024])
        if left.type == "int" or right.type == "int":
            return unknown(left, right)
        return concatenate([left, right])
    times = right.number
    if kind is ast.Mult and left.exact and left.items is None and times is not None:
        return text(left.text * min(times, MAX_TEXT // (len(left.text) + 1)), left.flags)
    return unknown(left, right)


def part_of(base: Value, bounds: Sequence[Value | None]) -> Value:
    """`text[::-1]`, `items[1:]`."""
    numbers = [None if bound is None or bound.type == "None" else bound.number for bound in bounds]
    for bound, number in zip(bounds, numbers, strict=True):
        if bound is not None and number is None and bound.type != "None":
            return unknown(base)
    if numbers[2] == 0:
        return unknown(base)
    piece = slice(*numbers)
    if base.items is not None:
        return list_of(base.items[piece])
    if not base.exact or base.ref:
        return unknown(base)
    return Value(base.text[piece], type=base.type, flags=base.flags)


def never_ends(node: ast.expr) -> bool:
    """`iter(int, 1)`, `itertools.count()`."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    name = node.func.id if isinstance(node.func, ast.Name) else name
    return name in {"count", "cycle"} or (name == "iter" and len(node.args) == 2)
