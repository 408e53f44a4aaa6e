"""Find a session's place in its conversation in the transcript afterwards.

Not during a hook: Claude Code writes the transcript a little later.
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
    """The transcripts of sessions, as their hooks name them. Callable in any thread."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._places: OrderedDict[str, ConversationPosition] = OrderedDict()
        self._clock = clock

    def note(self, session: str, path: str, prompt: str = "", call: str = "") -> None:
        """Note a session's place from a hook: its transcript, prompt and call."""
        self._places[session] = ConversationPosition(
            PROFILE.name, session, transcript=path, prompt=prompt, call=call, at=self._clock()
        )
        self._places.move_to_end(session)
        if len(self._places) > _MAX_SESSIONS:
            self._places.popitem(last=False)

    def place(self, session: str) -> ConversationPosition:
        """Return the session's place at its last hook."""
        return self._places.get(session) or ConversationPosition(PROFILE.name, session)


class _TranscriptMessage(msgspec.Struct):
    id: str = ""
    content: object = None


class _TranscriptEntry(msgspec.Struct):
    """A line of a transcript. Each one names its predecessor: together they form a tree."""

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
    """The id of the model's answer, which spans several entries."""

    @property
    def is_prompt(self) -> bool:
        """Return whether this is input for the model, but no tool result."""
        return self.type == "user" and not self.results

    @property
    def is_answer(self) -> bool:
        """Return whether the model said it."""
        return self.type == "assistant"

    @property
    def is_said(self) -> bool:
        """Return whether the model gets it as part of the conversation."""
        return self.type == "user" or self.is_answer


_decoder = msgspec.json.Decoder(_TranscriptEntry)


def located(record: CheckpointRecord) -> ConversationPosition | None:
    """Return the conversation of a checkpoint, with the message from which it can resume.

    The message is missing if the host cannot go back to it: the conversation was summarized or has
    branched since, it had not begun yet, or a sub-agent was at work.
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
    """Return the id of the last entry that belongs to it, or ""."""
    chain = _chain(entries)
    find = _FINDERS.get(moment)
    end = find(chain, entries, place) if find is not None else 0
    return chain[end - 1].uuid if any(entry.is_said for entry in chain[:end]) else ""


def _read(path: str) -> Iterator[_TranscriptEntry]:
    """Yield the session's own conversation, without sub-agents."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return
        for line in file:
            try:
                entry = _decoder.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                continue  # the last line is not complete yet
            if entry.uuid and not entry.is_sidechain:
                _take_out_ids(entry)
                yield entry


def _take_out_ids(entry: _TranscriptEntry) -> None:
    """Keep only the ids of calls and answers: the texts may be long."""
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
    """Return the session's present branch: the host can go back only along it."""
    known = {entry.uuid: entry for entry in entries}
    chain: list[_TranscriptEntry] = []
    entry = entries[-1] if entries else None
    while entry is not None:
        chain.append(entry)
        entry = known.pop(entry.parent or "", None)
    return chain[::-1]


# Each returns how many entries of the chain belong to it


def _before_prompt(
    chain: Sequence[_TranscriptEntry], _: Sequence[_TranscriptEntry], place: ConversationPosition
) -> int:
    """Stop before the prompt: it may have several entries, and a copied session repeats its id."""
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
    """Stop before the whole answer of the model: the host knows no partial ones."""
    made = next((entry for entry in chain if place.call in entry.calls), None)
    if made is None:
        return 0
    same = (i for i, entry in enumerate(chain) if entry is made or _is_same_answer(entry, made))
    return next(same)


def _after_call(
    chain: Sequence[_TranscriptEntry], rest: Sequence[_TranscriptEntry], place: ConversationPosition
) -> int:
    """Stop after the result, if it is the last of its answer: the host takes all or none."""
    begin = _before_call(chain, rest, place)
    results = (index for index, entry in enumerate(chain) if index > begin and entry.results)
    end = next(results, None)
    return end + 1 if end is not None and place.call in chain[end].results else begin


def _at_rest(
    chain: Sequence[_TranscriptEntry],
    entries: Sequence[_TranscriptEntry],
    place: ConversationPosition,
) -> int:
    """Stop before the model's next input, which may have been written before the agent stopped."""
    said = [each for each in entries if each.is_answer and each.at.timestamp() < place.at]
    last = next((i for i, each in enumerate(chain) if said and each is said[-1]), -1)
    if said and last < 0:
        return 0  # the session has taken another branch since
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
