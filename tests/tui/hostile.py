"""Events whose every text is hostile."""

from typing import TypeVar

import msgspec
from msgspec import inspect

NASTY = "\x1b[31m[red]\u202e日本\n\x07" + "e\u0301\u0301\u0301\u0301 " + "long" * 200

T = TypeVar("T")


def filled(kind: type[T]) -> T:
    """An instance in which every text is a nasty one."""
    return msgspec.convert(_value(inspect.type_info(kind)), kind, strict=False)


def _value(kind: inspect.Type) -> object:
    if isinstance(kind, inspect.StructType):
        found = {field.encode_name: _value(field.type) for field in kind.fields}
        return {**found, **({kind.tag_field: kind.tag} if kind.tag_field else {})}
    if isinstance(kind, inspect.StrType):
        return NASTY
    if isinstance(kind, inspect.EnumType):
        return next(iter(kind.cls)).value
    if isinstance(kind, inspect.LiteralType):
        return kind.values[0]
    if isinstance(kind, inspect.VarTupleType | inspect.ListType):
        return [_value(kind.item_type)] * 2
    if isinstance(kind, inspect.DictType):
        return {NASTY: _value(kind.value_type)}
    if isinstance(kind, inspect.UnionType):
        return _value(next(t for t in kind.types if not isinstance(t, inspect.NoneType)))
    if isinstance(kind, inspect.AnyType):
        return NASTY
    return 1
