"""What was noticed about Handrail's own parts, until a person has seen it.

The daemon writes the notices, people's commands write which ones were seen: nobody writes a file
of the other.
"""

import threading
from collections.abc import Iterable

import msgspec

from handrail.model.decodable import decodable
from handrail.server.home import Home
from handrail.store.private_files import make_folder, replace_file

_MODE = 0o600
_MAX_KEPT = 100


@decodable
class Notice(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that a person should know of."""

    id: int
    """Counted from 1."""
    at: float
    part: str
    path: str
    says: str
    fix: str = ""
    """What to do; empty: nothing."""
    run: str = ""
    """The run whose call did it; empty: somebody did."""
    incident: str = ""

    @property
    def text(self) -> str:
        """All of it, in one paragraph."""
        return f"{self.says} {self.fix}".rstrip()


class NoticeBoard:
    """All notices of a daemon. Used in any thread."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._all = _load(home.notices)

    def add(self, notice: Notice) -> Notice | None:
        """Keep a notice, with a number; None: a person has yet to see the same one."""
        with self._lock:
            if any(_same(each, notice) for each in self._unseen()):
                return None
            number = max((each.id for each in self._all), default=0) + 1
            notice = msgspec.structs.replace(notice, id=number)
            self._all = [*self._all, notice][-_MAX_KEPT:]
            lines = b"".join(msgspec.json.encode(each) + b"\n" for each in self._all)
            make_folder(self._home.path)
            replace_file(self._home.notices, lines, _MODE)
            return notice

    def unseen(self) -> list[Notice]:
        """Those that no person has seen yet."""
        with self._lock:
            return self._unseen()

    def _unseen(self) -> list[Notice]:
        seen = _seen(self._home)
        return [each for each in self._all if each.id not in seen]


def unseen_notices(home: Home) -> list[Notice]:
    """The notices in a state folder that no person has seen yet."""
    seen = _seen(home)
    return [each for each in _load(home.notices) if each.id not in seen]


def mark_seen(home: Home, notices: Iterable[Notice]) -> None:
    """Note that a person has seen them."""
    known = {each.id for each in _load(home.notices)}
    seen = (_seen(home) | {each.id for each in notices}) & known
    make_folder(home.path)
    replace_file(home.notices_seen, msgspec.json.encode(sorted(seen)), _MODE)


def settle_notices(home: Home, path: str) -> None:
    """A person has installed or uninstalled Handrail in a file: what was said of it is settled."""
    if about := [each for each in unseen_notices(home) if each.path == path]:
        mark_seen(home, about)


def _same(one: Notice, other: Notice) -> bool:
    return (one.part, one.path, one.says) == (other.part, other.path, other.says)


def _seen(home: Home) -> set[int]:
    try:
        with open(home.notices_seen, "rb") as file:
            return msgspec.json.decode(file.read(), type=set[int])
    except (OSError, msgspec.MsgspecError):
        return set()


def _load(path: str) -> list[Notice]:
    """All that can be read: a line that cannot is left out."""
    try:
        with open(path, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            found.append(msgspec.json.decode(line, type=Notice))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
    return found
