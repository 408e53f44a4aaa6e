"""Join events to entries of a timeline: an action and its end are one entry."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from math import inf
from time import monotonic

import msgspec

from handrail.model.event import (
    ActionReviewed,
    DesktopChecked,
    Event,
    RunEnded,
    UsageMeasured,
    UsageSampled,
)
from handrail.model.ordinal import Decision
from handrail.words.action_status import ActionEnd
from handrail.words.desktop import is_look
from handrail.words.run_facts import RunFacts, ends_session

_MAX_HELD = 256
"""The number of entries that may wait for an earlier action to end."""
_MAX_OPEN = 1000


class JoinedEntry(msgspec.Struct):
    """One entry of a timeline."""

    run: str
    event: Event
    facts: RunFacts
    end: ActionEnd | None = None
    late: bool = False
    """The action was shown before; this entry shows its end."""
    waits: bool = False
    """The action still runs."""
    since: float = 0.0
    held: bool = False

    @property
    def at(self) -> float:
        """The time that the timeline shows."""
        return self.end.at if self.late and self.end is not None else self.event.at


class EventJoiner:
    """Turns events into entries in the same order, each as soon as it is complete.

    After `patience` seconds, it releases a running action without its end, and once more
    when it has ended.
    """

    def __init__(self, *, patience: float = inf, now: Callable[[], float] = monotonic) -> None:
        self.patience = patience
        self._now = now
        self._facts: dict[str, RunFacts] = {}
        self._held: deque[JoinedEntry] = deque()
        self._open: OrderedDict[tuple[str, int], JoinedEntry] = OrderedDict()

    def add(self, run: str, event: Event, *, shown: bool = True) -> None:
        """Add the next event. An event that is not shown can still change other entries."""
        facts = self._facts.setdefault(run, RunFacts())
        is_news = not isinstance(event, UsageSampled) and (
            not isinstance(event, UsageMeasured) or event.tokens != facts.tokens
        )
        facts.update(event)
        if isinstance(event, ActionEnd) and self._close(run, event, shown=shown):
            return
        if isinstance(event, DesktopChecked) and self._complete(run, event):
            return
        entry = JoinedEntry(run, event, facts, since=self._now())
        if isinstance(event, ActionReviewed):
            entry.waits = event.asked or event.verdict.decision is not Decision.BLOCK
            self._open[run, event.step] = entry
            if len(self._open) > _MAX_OPEN:
                self._open.popitem(last=False)
        elif ends_session(event):
            self._give_up(run)
        if isinstance(event, RunEnded):
            entry.facts = msgspec.structs.replace(
                facts, decided=dict(facts.decided), found=set(facts.found)
            )
        if shown and is_news:
            self._hold(entry)

    def ready(self) -> Iterator[JoinedEntry]:
        """Yield the entries that are complete or have waited long enough."""
        while self._held and self._may_go(self._held[0]):
            yield self._release()

    def rest(self) -> Iterator[JoinedEntry]:
        """Yield all remaining entries."""
        while self._held:
            yield self._release()

    def _may_go(self, first: JoinedEntry) -> bool:
        if not first.waits or len(self._held) > _MAX_HELD:
            return True
        return self._now() - first.since >= self.patience

    def _hold(self, entry: JoinedEntry) -> None:
        entry.held = True
        self._held.append(entry)

    def _release(self) -> JoinedEntry:
        entry = self._held.popleft()
        entry.held = False
        return entry

    def _close(self, run: str, end: ActionEnd, *, shown: bool) -> bool:
        """Add the end to its action; return False if the action is unknown."""
        entry = self._open.pop((run, end.step), None)
        if entry is None:
            return False
        if isinstance(entry.event, DesktopChecked):
            return True
        if entry.held:
            entry.end, entry.waits = end, False
        elif shown:
            self._hold(
                JoinedEntry(run, entry.event, entry.facts, end, late=True, since=self._now())
            )
        return True

    def _complete(self, run: str, event: DesktopChecked) -> bool:
        """Put a check in the place of its look; return False if that was shown before."""
        look = self._open.get((run, event.step))
        if look is None or not is_look(look.event):
            return False
        look.event, look.waits = event, False
        return look.held

    def _give_up(self, run: str) -> None:
        """Stop waiting for the actions of a session that has ended."""
        for key in [key for key in self._open if key[0] == run]:
            self._open.pop(key).waits = False
