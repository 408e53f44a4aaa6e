"""What Handrail's commands wrote down for a person: where it is installed, what is trusted."""

import os
from collections.abc import Callable, Iterator, Mapping

from handrail.server.integrity.parts import Loss
from handrail.store.seals import is_sealed, write_sealed

_MAX_BYTES = 16_000_000


class SealedRecords:
    """Each must be as it was when the daemon started, or as one of our commands wrote it since."""

    def __init__(self, fixes: Mapping[str, str]) -> None:
        """`fixes`: the command that writes each of them."""
        self._fixes = fixes
        self._good = {path: _content(path) for path in fixes}

    def paths(self) -> Iterator[str]:
        """All of them."""
        yield from self._fixes

    def losses(self) -> Iterator[Loss]:
        """Those that somebody else has written or taken away."""
        for path, good in self._good.items():
            now = _content(path)
            if now == good:
                continue
            if now is not None and is_sealed(path, now):
                self._good[path] = now
            else:
                says = f"Handrail's record {path} was changed by another program"
                yield Loss("record", path, says, self._fixes[path], _repair(path, good))


def _repair(path: str, good: bytes | None) -> Callable[[bool], bool]:
    def repair(by_call: bool) -> bool:
        try:
            if good is None:
                os.unlink(path)
            else:
                write_sealed(path, good)
        except OSError:
            return False
        return True

    return repair


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read(_MAX_BYTES)
    except OSError:
        return None
