"""Where a Claude Code session was in its conversation, found in its transcript afterwards.

Not when a hook calls: the transcript is written some time after what it tells of.
"""

import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from time import time

import msgspec

from handrail.checkpoint import CheckpointRecord, CheckpointTrigger, ConversationPosition
from handrail.hosts.claude.profile import PROFILE

_MAX_SESSIONS = 2000
_BEGINNING = datetime.fromtimestamp(0, UTC)


class TranscriptIndex:
    """The transcripts of sessions, as their hooks name them. May be asked in any thread."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._places: OrderedDict[str, ConversationPosition] = OrderedDict()
        self._clock = clock

    def note(self, session: str, path: str, prompt: str = "", call: str = "") -> None:
        """A hook says where its session is: its transcript, the prompt, the call it is about."""
        self._places[session] = ConversationPosition(
            PROFILE.name, session, transcript=path, prompt=prompt, call=call, at=self._clock()
        )
        self._places.move_to_end(session)
        if len(self._places) > _MAX_SESSIONS:
            self._places.popitem(last=False)

    def place(self, session: str) -> ConversationPosition:
        """Where the session was when its last hook called."""
        return self._places.get(session) or ConversationPosition(PROFILE.name, session)


class _TranscriptMessage(msgspec.Struct):
    id: str = ""
    content: object = None


class _TranscriptEntry(msgspec.Struct):
    """A line of a transcript. Each goes on from another one: together they are a tree."""

    type: str = ""
    uuid: str = ""
    parent: str | None = msgspec.field(name="parentUuid", default=None)
    is_sidechain: bool = msgspec.field(name="isSidechain", default=False)
    prompt: str | None = msgspec.field(name="promptId", default=None)
    at: datetime = msgspec.field(name="timestamp", default=_BEGINNING)
    message: _TranscriptMessage | None = None
    calls: frozenset[str] = frozenset()
    results: frozenset[str] = frozenset()
    part_of: str = ""
    """The id of the answer of the model: it is written in several entries."""

    @property
    def is_prompt(self) -> bool:
        """Whether it is something that the model was told, other than by a tool."""
        return self.type == "user" and not self.results

    @property
    def is_answer(self) -> bool:
        """Whether the model said it."""
        return self.type == "assistant"

    @property
    def is_said(self) -> bool:
        """Whether the model is sent it as something that was said."""
        return self.type == "user" or self.is_answer


_decoder = msgspec.json.Decoder(_TranscriptEntry)


def located(record: CheckpointRecord) -> ConversationPosition | None:
    """The conversation of a checkpoint, with the message at which it can be taken up again.

    Without one where the host cannot go back to it: the conversation was summed up or taken
    another way since, it had not begun yet, or a sub-agent was at work.
    """
    place = record.conversation
    if place is None or place.message or not os.path.isabs(place.transcript):
        return place
    try:
        entries = list(_read(place.transcript))
    except OSError:
        return place
    return msgspec.structs.replace(place, message=_message(entries, record.moment, place))


def _message(
    entries: Sequence[_TranscriptEntry], moment: CheckpointTrigger, place: ConversationPosition
) -> str:
    """The id of the last entry that belongs to it; empty: there is none."""
    chain = _chain(entries)
    find = _FINDERS.get(moment)
    end = find(chain, entries, place) if find is not None else 0
    return chain[end - 1].uuid if any(entry.is_said for entry in chain[:end]) else ""


def _read(path: str) -> Iterator[_TranscriptEntry]:
    """What was said in the session itself, sub-agents aside."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return
        for line in file:
            try:
                entry = _decoder.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                continue  # just being written
            if entry.uuid and not entry.is_sidechain:
                _take_out_ids(entry)
                yield entry


def _take_out_ids(entry: _TranscriptEntry) -> None:
    """Keep of what was said only which calls and answers it is about; it may be long."""
    if entry.at.tzinfo is None:
        entry.at = entry.at.replace(tzinfo=UTC)
    if entry.message is None:
        return
    entry.calls = frozenset(_ids(entry.message.content, "tool_use", "id"))
    entry.results = frozenset(_ids(entry.message.content, "tool_result", "tool_use_id"))
    entry.part_of = entry.message.id
    entry.message = None


def _ids(content: object, kind: str, key: str) -> Iterator[str]:
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == kind:
            yield str(block.get(key))


def _chain(entries: Sequence[_TranscriptEntry]) -> list[_TranscriptEntry]:
    """The branch that the session is on, which is all that it can go back on."""
    known = {entry.uuid: entry for entry in entries}
    chain: list[_TranscriptEntry] = []
    entry = entries[-1] if entries else None
    while entry is not None:
        chain.append(entry)
        entry = known.pop(entry.parent or "", None)
    return chain[::-1]


# Each says how many entries of the chain belong to it


def _before_prompt(
    chain: Sequence[_TranscriptEntry], _: Sequence[_TranscriptEntry], place: ConversationPosition
) -> int:
    """A prompt may have several entries; in a copied session, what came before has its id too."""
    found: int | None = None
    for index, entry in enumerate(chain):
        if entry.at.timestamp() > place.at:
            break
        if entry.is_said and not entry.is_prompt:
            found = None
        elif entry.is_prompt and entry.prompt == place.prompt and found is None:
            found = index
    return found or 0


def _before_call(
    chain: Sequence[_TranscriptEntry], _: Sequence[_TranscriptEntry], place: ConversationPosition
) -> int:
    """Before the whole answer of the model: the host knows no half ones."""
    made = next((entry for entry in chain if place.call in entry.calls), None)
    if made is None:
        return 0
    same = (i for i, entry in enumerate(chain) if entry is made or _is_same_answer(entry, made))
    return next(same)


def _after_call(
    chain: Sequence[_TranscriptEntry], rest: Sequence[_TranscriptEntry], place: ConversationPosition
) -> int:
    """After its result, if it is the last one of its answer: the host takes all or none."""
    begin = _before_call(chain, rest, place)
    results = (index for index, entry in enumerate(chain) if index > begin and entry.results)
    end = next(results, None)
    return end + 1 if end is not None and place.call in chain[end].results else begin


def _at_rest(
    chain: Sequence[_TranscriptEntry],
    entries: Sequence[_TranscriptEntry],
    place: ConversationPosition,
) -> int:
    """Before what the model was told next; that may have been written before it came to rest."""
    said = [each for each in entries if each.is_answer and each.at.timestamp() < place.at]
    last = next((i for i, each in enumerate(chain) if said and each is said[-1]), -1)
    if said and last < 0:
        return 0  # the session went another way since
    later = (i for i, each in enumerate(chain) if i > last and (each.is_prompt or each.is_answer))
    return next(later, len(chain))


def _is_same_answer(entry: _TranscriptEntry, other: _TranscriptEntry) -> bool:
    return bool(entry.part_of) and entry.part_of == other.part_of


_Find = Callable[
    [Sequence[_TranscriptEntry], Sequence[_TranscriptEntry], ConversationPosition], int
]
_FINDERS: Mapping[CheckpointTrigger, _Find] = {
    CheckpointTrigger.PROMPT: _before_prompt,
    CheckpointTrigger.BEFORE_ACTION: _before_call,
    CheckpointTrigger.AFTER_ACTION: _after_call,
    CheckpointTrigger.TASKS: _after_call,
    CheckpointTrigger.PERIODIC: _after_call,
    CheckpointTrigger.ITERATION_END: _at_rest,
    CheckpointTrigger.UNATTENDED: _at_rest,
}
