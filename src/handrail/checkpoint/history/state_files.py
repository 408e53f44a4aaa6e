"""Keeps the states of repositories beside the records, each content once."""

import hashlib
import os
import re
from collections.abc import Iterable
from contextlib import suppress

import msgspec

from handrail.checkpoint.files import read_json, replace_file
from handrail.checkpoint.history.repository_state import RepositoryState

_NAME = re.compile(r"[0-9a-f]{40}")
_END = ".json"


class RepositoryStates:
    """A folder of states."""

    def __init__(self, folder: str) -> None:
        """`folder`: the private one of a project."""
        self._folder = os.path.join(folder, "history")

    def keep(self, state: RepositoryState | None) -> str:
        """Keep a state; gives its name, empty for none."""
        if state is None:
            return ""
        data = msgspec.json.encode(state)
        name = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        path = self._path(name)
        if not os.path.exists(path):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            replace_file(path, data)
        return name

    def read(self, name: str) -> RepositoryState | None:
        """The state of this name; None: there is none."""
        return read_json(self._path(name), RepositoryState) if _NAME.fullmatch(name) else None

    def forget_others(self, names: Iterable[str]) -> None:
        """Remove every state but these."""
        kept = {f"{name}{_END}" for name in names}
        with suppress(FileNotFoundError):
            for name in os.listdir(self._folder):
                if name not in kept:
                    with suppress(OSError):
                        os.unlink(os.path.join(self._folder, name))

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, f"{name}{_END}")
