"""Describe the allowed values of a setting in words."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import inspect

_NOUNS = {
    "place": "a glob",
    "glob": "a glob",
    "inner": "a glob",
    "file": "a file",
    "regex": "a regular expression",
}
_LISTS = {
    "place": "a list of globs",
    "glob": "a list of globs",
    "inner": "a list of globs",
    "regex": "a list of regular expressions",
}


def expected_value(kind: Any) -> str:
    """Describe a value of this type: "a number from 0 to 1"."""
    return _describe(inspect.type_info(kind))


def allowed_texts(kind: Any) -> tuple[str, ...]:
    """Return the allowed texts of a type with a fixed choice."""
    info = _bare(inspect.type_info(kind))
    if isinstance(info, inspect.LiteralType):
        return tuple(str(value) for value in info.values)
    if isinstance(info, inspect.EnumType):
        return tuple(str(member.value) for member in info.cls)
    return ()


def either(words: Sequence[str]) -> str:
    """`a, b or c`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _describe(info: inspect.Type) -> str:
    if isinstance(info, inspect.UnionType):
        parts = [part for part in info.types if not isinstance(part, inspect.NoneType)]
        return " or ".join(map(_describe, reversed(parts)))  # the short words first
    bare = _bare(info)
    words = _WORDS.get(type(bare))
    return words(bare, _meaning(info)) if words else "something else"


def _number(noun: str) -> Callable[[Any, str], str]:
    def words(info: inspect.IntType | inspect.FloatType, _meaning: str) -> str:
        if info.ge is not None and info.le is not None:
            return f"{noun} from {info.ge:g} to {info.le:g}"
        if info.gt is not None and info.le is not None:
            return f"{noun} above {info.gt:g}, up to {info.le:g}"
        if info.ge is not None:
            return f"{noun}, at least {info.ge:g}"
        if info.gt is not None:
            return f"{noun} above {info.gt:g}"
        return noun

    return words


def _text(info: inspect.StrType, meaning: str) -> str:
    if info.max_length is not None:
        return f"a text of {info.min_length or 0:,} to {info.max_length:,} characters"
    return _NOUNS.get(meaning, "a text that is not empty" if info.min_length else "a text")


def _list(info: inspect.VarTupleType, _meaning_of_list: str) -> str:
    item = _bare(info.item_type)
    if isinstance(info.item_type, inspect.UnionType):
        return "a list of texts or mappings"
    if isinstance(item, inspect.StructType):
        return "a list of mappings"
    if isinstance(item, inspect.EnumType):
        return f"a list of {either([str(member.value) for member in item.cls])}"
    return _LISTS.get(_meaning(info.item_type), "a list of texts")


_WORDS: dict[type, Callable[[Any, str], str]] = {
    inspect.BoolType: lambda _info, _: "true or false",
    inspect.IntType: _number("a whole number"),
    inspect.FloatType: _number("a number"),
    inspect.StrType: _text,
    inspect.LiteralType: lambda info, _: either([str(value) for value in info.values]),
    inspect.EnumType: lambda info, _: either([str(member.value) for member in info.cls]),
    inspect.VarTupleType: _list,
    inspect.DictType: lambda _info, _: "a mapping",
    inspect.StructType: lambda info, _: (
        "a mapping with " + ", ".join(field.encode_name for field in info.fields)
    ),
}


def _bare(info: inspect.Type) -> inspect.Type:
    """Return a type without metadata and `| None`: leaving a key out needs no words."""
    while True:
        if isinstance(info, inspect.Metadata):
            info = info.type
        elif isinstance(info, inspect.UnionType):
            info = next(part for part in info.types if not isinstance(part, inspect.NoneType))
        else:
            return info


def _meaning(info: inspect.Type) -> str:
    while isinstance(info, inspect.Metadata):
        if info.extra and "is" in info.extra:
            return str(info.extra["is"])
        info = info.type
    return ""
