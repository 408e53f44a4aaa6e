"""Root for whom permissions count: what others meet can be tested as root, too."""

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_VERSION = 0x20080522
_OVERRIDE = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""
_GET_SECUREBITS, _SET_SECUREBITS = 27, 28
_NO_ROOT = 1
"""A program that root starts has no more rights than its parent."""


@contextmanager
def held_to_permissions() -> Iterator[None]:
    """This thread, and what it starts, may do only what the permissions of files say."""
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("only Linux can take a right away from root")
    libc = ctypes.CDLL(None, use_errno=True)
    head = struct.pack("Ii", _VERSION, 0)
    before = ctypes.create_string_buffer(24)
    bits = libc.prctl(_GET_SECUREBITS)
    _done(libc.capget(head, before))
    effective, *others = struct.unpack("6I", before.raw)
    _done(libc.prctl(_SET_SECUREBITS, bits | _NO_ROOT))
    try:
        _done(libc.capset(head, struct.pack("6I", effective & ~_OVERRIDE, *others)))
        yield
    finally:
        _done(libc.capset(head, before.raw))
        _done(libc.prctl(_SET_SECUREBITS, bits))


def _done(result: int) -> None:
    if result != 0:
        pytest.skip(f"rights cannot be taken away here: {os.strerror(ctypes.get_errno())}")
