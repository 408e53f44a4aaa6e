"""Compares two sets of settings key by key: which one is laxer, and what both forbid."""

from collections.abc import Iterator
from typing import TypeVar

import msgspec

from handrail.config.loosening import LOOSENING, Loosened
from handrail.config.schema import Config

_Section = TypeVar("_Section", bound=msgspec.Struct)


def find_laxer(known: Config, other: Config) -> tuple[Loosened, ...]:
    """Every setting that gives an agent more freedom in `other` than in `known`."""
    return tuple(_laxer(known, other, ""))


def stricter(known: Config, other: Config) -> Config:
    """Return settings that allow only what both allow; `known` counts if values do not compare."""
    return _stricter(known, other, "")


def _laxer(known: msgspec.Struct, other: msgspec.Struct, path: str) -> Iterator[Loosened]:
    for name in known.__struct_fields__:
        key, was, becomes = f"{path}{name}", getattr(known, name), getattr(other, name)
        if key not in LOOSENING:
            yield from _laxer(was, becomes, f"{key}.")
        elif LOOSENING[key].is_laxer(was, becomes):
            yield Loosened(key, was, becomes, LOOSENING[key].says(was, becomes))


def _stricter(known: _Section, other: _Section, path: str) -> _Section:
    joined: dict[str, object] = {}
    for name in known.__struct_fields__:
        key, one, two = f"{path}{name}", getattr(known, name), getattr(other, name)
        if key in LOOSENING:
            joined[name] = LOOSENING[key].stricter(one, two)
        else:
            joined[name] = _stricter(one, two, f"{key}.")
    return type(known)(**joined)
