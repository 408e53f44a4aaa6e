"""What a person is told when their session starts, or with their next prompt."""

import hashlib
import os
from collections import OrderedDict

from handrail.server.integrity.notices import NoticeBoard
from handrail.server.integrity.settings_parts import Hosts
from handrail.supervise.state.run_state import RunState

_MAX_SHOWN = 3
_MAX_RUNS = 2000
_MAX_BYTES = 1_000_000
_SEEN = "`handrail status --seen` once you have read it."


class _ToldRun:
    """What one run was told, and how the announced files of its project were."""

    def __init__(self) -> None:
        self.notices: set[int] = set()
        self.files: dict[str, str] = {}


class Announcements:
    """Used in the supervision thread."""

    def __init__(self, notices: NoticeBoard, hosts: Hosts) -> None:
        self._notices = notices
        self._hosts = hosts
        self._told: OrderedDict[str, _ToldRun] = OrderedDict()

    def announce(self, state: RunState) -> str:
        """What is new to the person of a run; empty: nothing."""
        told = self._told.setdefault(state.run, _ToldRun())
        self._told.move_to_end(state.run)
        if len(self._told) > _MAX_RUNS:
            self._told.popitem(last=False)
        return " ".join([*self._new_notices(told), *self._changed_files(state, told)])

    def _new_notices(self, told: _ToldRun) -> list[str]:
        new = [each for each in self._notices.unseen() if each.id not in told.notices]
        told.notices.update(each.id for each in new)
        if not new:
            return []
        shown = [each.text for each in new[-_MAX_SHOWN:]]
        more = len(new) - len(shown)
        also = [f"And {more} more: handrail status."] if more else []
        return ["Handrail noticed:", *shown, *also, _SEEN]

    def _changed_files(self, state: RunState, told: _ToldRun) -> list[str]:
        host = self._hosts.get(state.host)
        said = []
        for path in host.announced(state.cwd) if host is not None and state.cwd else ():
            now = _digest(path)
            if told.files.setdefault(path, now) != now:
                told.files[path] = now
                said.append(
                    f"{os.path.basename(path)} was changed during this session: it says which "
                    "programs your next session starts. Look at it before you approve them."
                )
        return said


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.blake2b(file.read(_MAX_BYTES)).hexdigest()
    except OSError:
        return ""
