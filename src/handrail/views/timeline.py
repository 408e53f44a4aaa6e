"""Turn the events of a run into a timeline: an action and its end are one entry."""

from collections import OrderedDict
from collections.abc import Iterable

import msgspec

from handrail.model.checkpoint import Checkpoint
from handrail.model.event import (
    ActionHeld,
    ActionReviewed,
    AgentEnded,
    CheckpointTaken,
    DesktopChecked,
    Event,
    UsageMeasured,
    UsageSampled,
)
from handrail.store.decoding import decode_or_fault
from handrail.store.port import StoredEntry
from handrail.views.log_view import TimelineEntry
from handrail.words.action_status import ActionEnd
from handrail.words.desktop import is_look
from handrail.words.event_sentences import event_sentence
from handrail.words.run_facts import RunFacts, ends_session

MAX_ENTRIES = 500
UNSHOWN = (UsageMeasured, UsageSampled, AgentEnded)
"""Events that the timeline leaves out."""
_BEFORE_ACTION = "before "
"""Begins the reason of a checkpoint that was taken for an action."""


class Timeline:
    """The last entries of one run."""

    def __init__(self, run: str, most: int = MAX_ENTRIES) -> None:
        """`most`: entries that are kept."""
        self.run = run
        self._most = most
        self.seq = 0
        """The last event."""
        self.cut = False
        """Earlier entries are left out."""
        self._entries: OrderedDict[int, TimelineEntry] = OrderedDict()
        self._open: dict[int, int] = {}
        """The entries of running actions, by step."""
        self._held: dict[str, int] = {}
        """The entries of held actions, by the host's id."""
        self._facts = RunFacts()

    @property
    def entries(self) -> tuple[TimelineEntry, ...]:
        """All entries, newest last."""
        return tuple(self._entries.values())

    def skip(self, seq: int, beginning: Iterable[StoredEntry]) -> None:
        """Skip to an event; read only the beginning before it."""
        for stored in beginning:
            self._facts.update(decode_or_fault(stored))
        self._facts.whole = False
        self.seq = seq
        self.cut = True

    def add(self, page: Iterable[StoredEntry]) -> None:
        """Add stored events."""
        for stored in page:
            self.seq = stored.seq
            self._add(stored.seq, decode_or_fault(stored))
        while len(self._entries) > self._most:
            self._entries.popitem(last=False)
            self.cut = True
        self._open = {step: seq for step, seq in self._open.items() if seq in self._entries}
        self._held = {key: seq for key, seq in self._held.items() if seq in self._entries}

    def _add(self, seq: int, event: Event) -> None:
        self._facts.update(event)
        if isinstance(event, ActionEnd):
            if self._close(event):
                return
        elif isinstance(event, ActionHeld):
            self._hold(seq, event)
            return
        elif isinstance(event, CheckpointTaken):
            self._save(seq, event)
            return
        elif isinstance(event, DesktopChecked):
            self._check(seq, event)
            return
        elif isinstance(event, UNSHOWN):
            return
        if isinstance(event, ActionReviewed):
            letter = self._facts.letter(event.agent)
            entry = TimelineEntry(seq, event, cwd=self._facts.cwd, agent=letter)
            self._entries[seq] = msgspec.structs.replace(entry, saved=self._saved_for(event.step))
            self._open[event.step] = seq
            return
        self._say(seq, event)
        if ends_session(event):
            self._give_up()

    def _say(self, seq: int, event: Event) -> None:
        self._entries[seq] = TimelineEntry(seq, event, event_sentence(event, self._facts))

    def _save(self, seq: int, event: CheckpointTaken) -> None:
        """Fold a checkpoint into the action it was taken for, or into the one before it."""
        mine = self._open.get(event.checkpoint.step + 1)
        if mine is not None and event.checkpoint.why.startswith(_BEFORE_ACTION):
            self._change(mine, saved=(*self._entries[mine].saved, event.checkpoint))
            return
        earlier: tuple[Checkpoint, ...] = ()
        before = self._last_event
        if isinstance(before, CheckpointTaken):
            _, last = self._entries.popitem()
            earlier = (*last.saved, before.checkpoint)
        said = event_sentence(event, self._facts)
        if earlier:
            said = said._replace(text=f"{said.text}; {len(earlier)} more before")
        self._entries[seq] = TimelineEntry(seq, event, said, saved=earlier)

    def _saved_for(self, step: int) -> tuple[Checkpoint, ...]:
        """Take the checkpoint that was taken for this action out of the list."""
        event = self._last_event
        if not isinstance(event, CheckpointTaken) or event.checkpoint.step + 1 != step:
            return ()
        if not event.checkpoint.why.startswith(_BEFORE_ACTION):
            return ()
        _, last = self._entries.popitem()
        return (*last.saved, event.checkpoint)

    @property
    def _last_event(self) -> Event | None:
        return next((entry.event for entry in reversed(self._entries.values())), None)

    def _close(self, end: ActionEnd) -> bool:
        """Add the end to its action; return False if the action is unknown."""
        seq = self._open.pop(end.step, None)
        if seq is None:
            return False
        self._change(seq, end=end, over=True)
        return True

    def _hold(self, seq: int, event: ActionHeld) -> None:
        """Add an entry for a held action, or complete it when the action is released."""
        if not event.released:
            self._say(seq, event)
            self._held[event.id] = seq
            return
        waited = self._held.pop(event.id, None)
        if waited is None:
            return
        before = self._entries[waited].event
        if isinstance(before, ActionHeld):  # what it was is told only once
            event = msgspec.structs.replace(event, says=event.says or before.says)
        self._change(waited, event=event, said=event_sentence(event, self._facts), over=True)

    def _check(self, seq: int, event: DesktopChecked) -> None:
        """Show a check in place of its look: what it saw tells more than that it looked."""
        look = self._open.get(event.step)
        if look is None or not is_look(self._entries[look].event):
            self._say(seq, event)
        else:
            self._change(look, event=event, said=event_sentence(event, self._facts))

    def _change(self, seq: int, **changes: object) -> None:
        if seq in self._entries:
            self._entries[seq] = msgspec.structs.replace(self._entries[seq], **changes)

    def _give_up(self) -> None:
        """Stop waiting for the actions of a session that has ended."""
        for seq in (*self._open.values(), *self._held.values()):
            self._change(seq, over=True)
        self._open.clear()
        self._held.clear()
