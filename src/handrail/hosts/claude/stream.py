"""What Claude Code prints and reads as stream-json: one JSON text in each line.

Read tolerantly, because fields come and go with its versions: what is not known is passed over,
and a field that is not understood counts as missing. Written strictly: a line that it cannot read
ends Claude Code.
"""

import json
from collections.abc import Callable, Iterator, Mapping

import msgspec

MAX_LINE = 32 * 1024 * 1024
"""Bytes of a longer line are thrown away as they come."""

_SYNTHETIC = "<synthetic>"
"""The model of words that Claude Code puts into the model's mouth."""
_WORKERS = frozenset({"local_agent", "local_workflow"})
"""Kinds of background tasks that think; others are commands, and some of them never end."""
_MOST = 10**15
_TOKENS = (
    ("inputTokens", "input_tokens"),
    ("outputTokens", "output_tokens"),
    ("cacheReadInputTokens", "cache_read_input_tokens"),
    ("cacheCreationInputTokens", "cache_creation_input_tokens"),
)


class WorkBegan(msgspec.Struct, frozen=True):
    """It begins to work on something, a prompt or the news of a background task."""

    model: str


class ModelSpoke(msgspec.Struct, frozen=True):
    """The model said something; of a sub-agent's words only their cost is told."""

    text: str
    model: str
    """Empty: these are not the words of a model, or those of a sub-agent."""
    message: str = ""
    """One answer of the model comes in several lines with the same id."""
    tokens: int = 0
    """Read and written for this answer, as far as it is known by now."""


class ToolAnswered(msgspec.Struct, frozen=True):
    """The result of a tool goes to the model, and all news with it; not of a sub-agent."""


class PromptHeard(msgspec.Struct, frozen=True):
    """What became of a prompt."""

    prompt: str
    state: str
    """queued, started, completed or cancelled."""


class BackgroundTasks(msgspec.Struct, frozen=True):
    """What runs in the background now."""

    ids: frozenset[str]
    workers: frozenset[str]
    """Those that think: sub-agents."""


class TaskEnded(msgspec.Struct, frozen=True):
    """A background task has ended."""

    id: str
    stopped: bool
    """By somebody. Else the model is told about it, if need be in a turn of its own."""


class TokenUsage(msgspec.Struct, frozen=True):
    """What was used."""

    tokens: int = 0
    cost_usd: float = 0.0

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(self.tokens + other.tokens, self.cost_usd + other.cost_usd)

    def since(self, before: "TokenUsage") -> "TokenUsage":
        """What came on top; all of it where the count began anew."""
        if self.tokens < before.tokens or self.cost_usd < before.cost_usd:
            return self
        return TokenUsage(self.tokens - before.tokens, self.cost_usd - before.cost_usd)


class TurnEnded(msgspec.Struct, frozen=True):
    """It has stopped."""

    text: str
    subtype: str
    reason: str
    """Why it stopped; empty: it does not say, as nothing was asked of the model."""
    is_error: bool
    errors: tuple[str, ...]
    answers: int | None
    """How often the model was asked; None: it does not say."""
    total: TokenUsage
    """Of the whole session, also before it was resumed."""
    used: TokenUsage | None
    """Since the result before; None: it does not say, as in old versions."""


class ControlReply(msgspec.Struct, frozen=True):
    """The answer to a control request."""

    request: str
    error: str
    """Empty: it was done."""
    model: str


class ControlQuestion(msgspec.Struct, frozen=True):
    """A control request of its own, which waits for an answer."""

    request: str


Line = (
    WorkBegan
    | ModelSpoke
    | ToolAnswered
    | PromptHeard
    | BackgroundTasks
    | TaskEnded
    | TurnEnded
    | ControlReply
    | ControlQuestion
)

_Fields = Mapping[str, object]


class LineSplitter:
    """Makes lines of what comes out of a pipe."""

    def __init__(self, max_line: int = MAX_LINE) -> None:
        self._max = max_line
        self._parts: list[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that are complete with these bytes; those that are too long are left out."""
        *ends, rest = data.split(b"\n")
        lines = []
        for end in ends:
            self._keep(end)
            if self._length <= self._max:
                lines.append(b"".join(self._parts))
            self._parts, self._length = [], 0
        self._keep(rest)
        return lines

    def _keep(self, part: bytes) -> None:
        self._length += len(part)
        if self._length <= self._max:
            self._parts.append(part)
        else:
            self._parts.clear()


# Reading


def read_line(line: bytes) -> Line | None:
    """What a line says; None: nothing that matters here, or it is no JSON object."""
    try:
        found: object = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return None
    fields = _fields(found)
    kind, subtype = _text(fields.get("type")), _text(fields.get("subtype"))
    read = _READERS.get((kind, subtype)) or _READERS.get((kind, ""))
    return read(fields) if read else None


def _began(line: _Fields) -> WorkBegan:
    return WorkBegan(_text(line.get("model")))


def _spoke(line: _Fields) -> ModelSpoke:
    message = _fields(line.get("message"))
    name, used = _text(message.get("id")), _old_usage(message.get("usage")).tokens
    if line.get("parent_tool_use_id") is not None:
        return ModelSpoke("", "", name, used)
    model = _text(message.get("model"))
    texts = [_text(block.get("text")) for block in _blocks(message)]
    says = "\n".join(filter(None, texts))
    return ModelSpoke(says, "" if model == _SYNTHETIC else model, name, used)


def _answered(line: _Fields) -> ToolAnswered | None:
    blocks = _blocks(_fields(line.get("message")))
    results = any(block.get("type") == "tool_result" for block in blocks)
    return ToolAnswered() if results and line.get("parent_tool_use_id") is None else None


def _heard(line: _Fields) -> PromptHeard:
    return PromptHeard(_text(line.get("command_uuid")), _text(line.get("state")))


def _tasks(line: _Fields) -> BackgroundTasks:
    tasks = [_fields(task) for task in _items(line.get("tasks"))]
    kinds = {_text(task.get("task_id")): _text(task.get("task_type")) for task in tasks}
    workers = frozenset(task for task, kind in kinds.items() if kind in _WORKERS)
    return BackgroundTasks(frozenset(kinds), workers)


def _task_ended(line: _Fields) -> TaskEnded:
    return TaskEnded(_text(line.get("task_id")), line.get("status") in ("stopped", "killed"))


def _result(line: _Fields) -> TurnEnded:
    answers = line.get("num_turns")
    by_model, used = line.get("modelUsage"), line.get("model_usage_since_last_result")
    total = _usage(by_model) if by_model else _old_usage(line.get("usage"))
    return TurnEnded(
        text=_text(line.get("result")),
        subtype=_text(line.get("subtype")),
        reason=_text(line.get("terminal_reason")),
        is_error=line.get("is_error") is True,
        errors=tuple(filter(None, map(_text, _items(line.get("errors"))))),
        answers=answers if isinstance(answers, int) else None,
        total=TokenUsage(total.tokens, _number(line.get("total_cost_usd"))),
        used=_usage(used) if isinstance(used, dict) else None,
    )


def _usage(by_model: object) -> TokenUsage:
    each = [_fields(used) for used in _fields(by_model).values()]
    tokens = sum(_number(used.get(name)) for used in each for name, _ in _TOKENS)
    return TokenUsage(int(tokens), sum(_number(used.get("costUSD")) for used in each))


def _old_usage(usage: object) -> TokenUsage:
    return TokenUsage(int(sum(_number(_fields(usage).get(name)) for _, name in _TOKENS)))


def _reply(line: _Fields) -> ControlReply:
    reply = _fields(line.get("response"))
    done = reply.get("subtype") == "success"
    error = "" if done else _text(reply.get("error")) or "it was refused"
    model = _text(_fields(reply.get("response")).get("model"))
    return ControlReply(_text(reply.get("request_id")), error, model)


def _asked(line: _Fields) -> ControlQuestion:
    return ControlQuestion(_text(line.get("request_id")))


_READERS: dict[tuple[str, str], Callable[[_Fields], Line | None]] = {
    ("system", "init"): _began,
    ("assistant", ""): _spoke,
    ("user", ""): _answered,
    ("command_lifecycle", ""): _heard,
    ("system", "background_tasks_changed"): _tasks,
    ("system", "task_notification"): _task_ended,
    ("result", ""): _result,
    ("control_response", ""): _reply,
    ("control_request", ""): _asked,
}


def _fields(value: object) -> _Fields:
    return value if isinstance(value, dict) else {}


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _blocks(message: _Fields) -> Iterator[_Fields]:
    return map(_fields, _items(message.get("content")))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> float:
    """A number that can be added up, whatever was sent."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return min(max(0, value), _MOST)


# Writing


def prompt(text: str, uuid: str) -> bytes:
    """A prompt; we hear of it again by its id."""
    message = {"role": "user", "content": text}
    return _line({"type": "user", "uuid": uuid, "message": message})


def control_request(name: str, subtype: str, **more: str) -> bytes:
    """A control request; its answer has the same name."""
    asked = {"subtype": subtype, **more}
    return _line({"type": "control_request", "request_id": name, "request": asked})


def refusal(name: str, why: str) -> bytes:
    """The answer to a control request that we do not know: without one it would wait for ever."""
    response = {"subtype": "error", "request_id": name, "error": why}
    return _line({"type": "control_response", "response": response})


def _line(message: object) -> bytes:
    # ASCII alone: what came from a command line may not be text, and escaped it is.
    return json.dumps(message, ensure_ascii=True).encode() + b"\n"
