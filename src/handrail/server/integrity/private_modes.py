"""Files of ours that only this user may open."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from handrail.server.integrity.parts import Loss


class PrivateModes:
    """The modes of the state folder and of the tokens in it."""

    def __init__(self, modes: Mapping[str, int]) -> None:
        """`modes`: what each path must have at most."""
        self._modes = modes

    def paths(self) -> Iterator[str]:
        """All of them."""
        yield from self._modes

    def losses(self) -> Iterator[Loss]:
        """Those that others can open now. Whoever is missing is missed elsewhere."""
        for path, mode in self._modes.items():
            with suppress(OSError):
                now = stat.S_IMODE(os.stat(path).st_mode)
                if now & ~mode:
                    says = f"Others on this machine may open {path} (mode {now:o})"
                    yield Loss("mode", path, says, f"chmod {mode:o} {path}", _chmod(path, mode))


def _chmod(path: str, mode: int) -> Callable[[bool], bool]:
    def repair(by_call: bool) -> bool:
        try:
            os.chmod(path, mode)
        except OSError:
            return False
        return True

    return repair
