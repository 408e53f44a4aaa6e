"""The words of Handrail as frozen structs: data and invariants, no I/O.

They are imported when one is asked for: the tables of commands, which `handrail --help` reads,
stand in this room too and need none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.model.vocabulary import *  # noqa: F403 - it names them all


def __getattr__(name: str) -> object:
    words = import_module("handrail.model.vocabulary")
    if name in words.__all__:
        return getattr(words, name)
    raise AttributeError(name)
