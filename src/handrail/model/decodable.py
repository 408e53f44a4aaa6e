"""Structs that several threads may decode for the first time at once."""

from typing import TypeVar

import msgspec

T = TypeVar("T")


def decodable(kind: type[T]) -> type[T]:
    """Have msgspec look at a struct now, while one thread imports it.

    It would do so at the first decoding otherwise. Two threads that decode at that moment crash
    the process (seen with msgspec 0.22).
    """
    msgspec.json.Decoder(kind)
    return kind
