"""Count the tokens of a session in its transcript, while Claude Code writes it.

Sub-agents have transcripts of their own, in a folder beside that of the session.
"""

import os
import stat
from collections import OrderedDict
from collections.abc import Iterator
from datetime import datetime

import msgspec

from handrail.hosts.token_meter import TokenCount, TokenReading

_MAX_PIECE = 4 * 1024 * 1024
"""Bytes of one file to read at a time; a longer line is skipped, it has no usage."""
_MAX_FILES = 64
_MAX_ANSWERS = 64
"""Answers to remember: one answer comes in several lines that follow each other."""
_CLOCK_SECONDS = 2.0
_SYNTHETIC = "<synthetic>"
"""The model name of messages that Claude Code writes itself."""
_MOST = 10**12


class _Usage(msgspec.Struct):
    input: int = msgspec.field(name="input_tokens", default=0)
    output: int = msgspec.field(name="output_tokens", default=0)
    cache_read: int = msgspec.field(name="cache_read_input_tokens", default=0)
    cache_write: int = msgspec.field(name="cache_creation_input_tokens", default=0)

    @property
    def count(self) -> TokenCount:
        """Return it without numbers that no model counts to."""
        given = (self.input, self.output, self.cache_read, self.cache_write)
        return TokenCount(*(min(max(number, 0), _MOST) for number in given))


class _AnswerMessage(msgspec.Struct):
    id: str = ""
    model: str = ""
    usage: _Usage | None = None


class _AnswerLine(msgspec.Struct):
    type: str = ""
    timestamp: str = ""
    message: _AnswerMessage | None = None
    sidechain: bool = msgspec.field(name="isSidechain", default=False)
    cost: float = msgspec.field(name="costUSD", default=0.0)
    """Written by old versions only."""

    @property
    def at(self) -> float:
        """Return when it was written; 0 if it does not say."""
        try:
            return datetime.fromisoformat(self.timestamp).timestamp()
        except (ValueError, OverflowError, OSError):
            return 0.0


_decoder = msgspec.json.Decoder(_AnswerLine)


class _GrowingFile:
    """A file that grows by whole lines."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._offset = 0
        self._skips = False
        """The rest of a line that is too long comes next."""

    def lines(self) -> Iterator[bytes]:
        """Yield the complete lines of the next piece; none if the file cannot be read."""
        try:
            piece = self._piece()
        except OSError:
            return
        whole, found, _ = piece.rpartition(b"\n")
        if not found:
            if len(piece) == _MAX_PIECE:
                self._offset += len(piece)
                self._skips = True
            return
        self._offset += len(whole) + 1
        lines = whole.split(b"\n")
        yield from lines[1:] if self._skips else lines
        self._skips = False

    def _piece(self) -> bytes:
        handle = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_size <= self._offset:
                self._offset = min(self._offset, status.st_size)
                return b""
            return os.pread(handle, _MAX_PIECE, self._offset)
        finally:
            os.close(handle)


class TranscriptMeter:
    """Adds up the answers in the transcripts of one session, and reads no line twice."""

    def __init__(self, path: str, since: float) -> None:
        """`since`: the start of the run; a resumed or forked session repeats older answers."""
        self._path = path
        self._since = since - _CLOCK_SECONDS
        self._files: dict[str, _GrowingFile] = {}
        self._models: dict[str, TokenCount] = {}
        self._answers: OrderedDict[str, TokenCount] = OrderedDict()
        self._cost = 0.0

    def read(self) -> TokenReading:
        """Read the next piece of each file."""
        said = []
        for path in (self._path, *self._of_helpers()):
            is_own = path == self._path
            file = self._files.setdefault(path, _GrowingFile(path))
            for line in file.lines():
                new = self._add(line)
                if new is not None and is_own:
                    said.append(new)
        models = {name: msgspec.structs.replace(count) for name, count in self._models.items()}
        return TokenReading(models, [count.total for count in said if count.total], self._cost)

    def _of_helpers(self) -> list[str]:
        folder = f"{self._path.removesuffix('.jsonl')}/subagents"
        try:
            with os.scandir(folder) as found:
                names = [each.path for each in found if each.name.endswith(".jsonl")]
        except OSError:
            return []
        return sorted(names)[:_MAX_FILES]

    def _add(self, line: bytes) -> TokenCount | None:
        """Add a line; return the count of the answer that begins with it, to the agent itself."""
        if b'"usage"' not in line or b'"assistant"' not in line:
            return None
        try:
            entry = _decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        message = entry.message
        if entry.type != "assistant" or message is None or message.usage is None:
            return None
        if message.model == _SYNTHETIC or entry.at < self._since:
            return None
        count = message.usage.count
        self._cost += min(max(entry.cost, 0.0), _MOST)
        total = self._models.setdefault(message.model, TokenCount())
        known = self._answers.get(message.id) if message.id else None
        for name in TokenCount.__struct_fields__:
            # Each line of an answer has the usage until then: the last one has all of it.
            before: int = getattr(known, name) if known else 0
            now: int = max(getattr(count, name), before)
            setattr(total, name, getattr(total, name) + now - before)
            if known is not None:
                setattr(known, name, now)
        if known is not None:
            return None
        self._answers[message.id] = count
        if len(self._answers) > _MAX_ANSWERS:
            self._answers.popitem(last=False)
        return None if entry.sidechain else count
