"""The events of one run as entries of a timeline: an action and what came of it are one."""

from collections import OrderedDict
from collections.abc import Iterable

import msgspec

from handrail.model.event import (
    ActionHeld,
    ActionReviewed,
    AgentEnded,
    Event,
    FaultNoted,
    RunEnded,
    RunStarted,
    UsageMeasured,
)
from handrail.store.errors import DamagedError
from handrail.store.journal import decode
from handrail.store.port import Stored
from handrail.tui.entry import End, Entry

MAX_ENTRIES = 1000
UNSHOWN = (UsageMeasured, AgentEnded)
"""What the list shows better, or nobody misses."""


class Timeline:
    """The last entries of one run."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.seq = 0
        """The last event that is part of it."""
        self.cut = False
        """There is more, before the first entry."""
        self._entries: OrderedDict[int, Entry] = OrderedDict()
        self._open: dict[int, int] = {}
        """By step, the entries of actions that have not ended."""
        self._held: dict[str, int] = {}
        """By the host's id, the entries of actions that wait."""
        self._cwd = ""
        self._letters: dict[str, str] = {}

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All of them, the newest at the end."""
        return tuple(self._entries.values())

    def take(self, page: Iterable[Stored]) -> None:
        """Go on with what was stored since."""
        for stored in page:
            self.seq = stored.seq
            self._add(stored.seq, _event(stored))
        while len(self._entries) > MAX_ENTRIES:
            self._entries.popitem(last=False)
            self.cut = True
        self._open = {step: seq for step, seq in self._open.items() if seq in self._entries}
        self._held = {key: seq for key, seq in self._held.items() if seq in self._entries}

    def _add(self, seq: int, event: Event) -> None:
        if isinstance(event, End):
            if self._close(event):
                return
        elif isinstance(event, ActionHeld):
            self._hold(seq, event)
            return
        elif isinstance(event, RunStarted):
            self._cwd = event.cwd or self._cwd
        elif isinstance(event, UNSHOWN):
            return
        letter = self._letter(event.agent) if isinstance(event, ActionReviewed) else ""
        self._entries[seq] = Entry(seq, event, self._cwd, letter)
        if isinstance(event, ActionReviewed):
            self._open[event.step] = seq
        elif isinstance(event, RunEnded):
            self._give_up()

    def _close(self, end: End) -> bool:
        """Give an action its end; False: nobody knows that action."""
        seq = self._open.pop(end.step, None)
        if seq is None:
            return False
        self._change(seq, end=end, over=True)
        return True

    def _hold(self, seq: int, event: ActionHeld) -> None:
        """An action begins to wait, which is an entry, or does so no longer, which ends it."""
        if not event.released:
            self._entries[seq] = Entry(seq, event, self._cwd, self._letter(event.agent))
            self._held[event.id] = seq
            return
        waited = self._held.pop(event.id, None)
        if waited is not None:
            self._change(waited, event=event, over=True)

    def _change(self, seq: int, **changes: object) -> None:
        if seq in self._entries:
            self._entries[seq] = msgspec.structs.replace(self._entries[seq], **changes)

    def _give_up(self) -> None:
        """The session has ended: whatever was under way will not be heard of."""
        for seq in (*self._open.values(), *self._held.values()):
            self._change(seq, over=True)
        self._open.clear()
        self._held.clear()

    def _letter(self, agent: str) -> str:
        if not agent:
            return ""
        number = len(self._letters)
        return self._letters.setdefault(agent, chr(ord("A") + number) if number < 26 else "*")


def _event(stored: Stored) -> Event:
    """The event; one that cannot be read does not hide the others."""
    try:
        return decode(stored)
    except DamagedError as error:
        return FaultNoted(stored.at, "log", error.problem)
