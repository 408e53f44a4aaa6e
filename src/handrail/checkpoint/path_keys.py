"""Paths as keys of a JSON object: a file's name may be any bytes, a key must be text."""

import os

_BYTES = "/"
"""Before the hexadecimal digits of a name that is not text; no path in a work tree begins so."""


def is_text(path: str) -> bool:
    """Whether a path can be written down: a file's name may be any bytes."""
    return path.isascii() or path == path.encode(errors="ignore").decode()


def path_key(path: str) -> str:
    """A path as a key."""
    return path if is_text(path) else _BYTES + os.fsencode(path).hex()


def path_of(key: str) -> str:
    """The path of a key."""
    return os.fsdecode(bytes.fromhex(key[1:])) if key.startswith(_BYTES) else key
