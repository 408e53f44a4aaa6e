"""A mark beside a record that Handrail's own commands wrote it, and nobody else."""

import hashlib
import os
from contextlib import suppress

from handrail.store.private_files import replace_file

_KEY = "control-token"
"""In the same folder; only people's programs read it."""
_MODE = 0o600


def write_sealed(path: str, data: bytes) -> None:
    """Replace a record of the state folder as a whole, and seal it."""
    replace_file(path, data, _MODE)
    seal = _seal(path, data)
    if seal:
        replace_file(_place(path), seal.encode(), _MODE)


def is_sealed(path: str, data: bytes) -> bool:
    """Whether one of Handrail's commands wrote this content."""
    try:
        with open(_place(path), "rb") as file:
            found = file.read(1000).decode("ascii", "replace")
    except OSError:
        return False
    return bool(found) and found == _seal(path, data)


def _place(path: str) -> str:
    return f"{path}.seal"


def _seal(path: str, data: bytes) -> str:
    """Empty where there is no key yet: then there is no daemon either that would look."""
    with suppress(OSError), open(os.path.join(os.path.dirname(path), _KEY), "rb") as file:
        key = file.read(hashlib.blake2b.MAX_KEY_SIZE)
        return hashlib.blake2b(data, key=key).hexdigest()
    return ""
