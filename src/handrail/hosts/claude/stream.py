"""Read and write Claude Code's stream-json: one JSON text in each line.

Reading is tolerant, because fields come and go with its versions: unknown lines are skipped, and
unreadable fields count as missing. Writing is strict: a line that Claude Code cannot read ends
it.
"""

import json
from collections.abc import Callable, Iterator, Mapping

import msgspec

MAX_LINE = 32 * 1024 * 1024
"""Bytes of a line; a longer line is dropped as it comes."""

_SYNTHETIC = "<synthetic>"
"""The model name of messages that Claude Code writes itself."""
_WORKERS = frozenset({"local_agent", "local_workflow"})
"""Kinds of background tasks with a model; others are commands, and some never end."""
_MOST = 10**15
_TOKENS = (
    ("inputTokens", "input_tokens"),
    ("outputTokens", "output_tokens"),
    ("cacheReadInputTokens", "cache_read_input_tokens"),
    ("cacheCreationInputTokens", "cache_creation_input_tokens"),
)


class WorkBegan(msgspec.Struct, frozen=True):
    """It begins to work on a prompt, or on the news of a background task."""

    model: str


class ModelSpoke(msgspec.Struct, frozen=True):
    """The model answered; for a sub-agent only the cost counts."""

    text: str
    model: str
    """Empty for a sub-agent, and for a text that no model wrote."""
    message: str = ""
    """The id of the answer; one answer comes in several lines."""
    tokens: int = 0
    """Tokens read and written for this answer, as far as known."""


class ToolAnswered(msgspec.Struct, frozen=True):
    """The result of a tool goes to the model, with all pending news; not for a sub-agent."""


class PromptHeard(msgspec.Struct, frozen=True):
    """The state of a prompt."""

    prompt: str
    state: str
    """queued, started, completed or cancelled."""


class BackgroundTasks(msgspec.Struct, frozen=True):
    """The present background tasks."""

    ids: frozenset[str]
    workers: frozenset[str]
    """The tasks with a model: sub-agents."""


class TaskEnded(msgspec.Struct, frozen=True):
    """A background task has ended."""

    id: str
    stopped: bool
    """Somebody stopped it. Otherwise the model hears about it, if need be in a turn of its own."""


class TokenUsage(msgspec.Struct, frozen=True):
    """The usage of tokens and money."""

    tokens: int = 0
    cost_usd: float = 0.0

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(self.tokens + other.tokens, self.cost_usd + other.cost_usd)

    def since(self, before: "TokenUsage") -> "TokenUsage":
        """Return the difference, or all of it if the count began anew."""
        if self.tokens < before.tokens or self.cost_usd < before.cost_usd:
            return self
        return TokenUsage(self.tokens - before.tokens, self.cost_usd - before.cost_usd)


class TurnEnded(msgspec.Struct, frozen=True):
    """The agent has stopped."""

    text: str
    subtype: str
    reason: str
    """The reason; empty if it gives none, because it asked the model nothing."""
    is_error: bool
    errors: tuple[str, ...]
    answers: int | None
    """The number of calls to the model; None if it does not say."""
    total: TokenUsage
    """Usage of the whole session, including the time before a resume."""
    used: TokenUsage | None
    """Usage since the previous result; None if it does not say, as in old versions."""


class ControlReply(msgspec.Struct, frozen=True):
    """The answer to a control request."""

    request: str
    error: str
    """Empty if the request succeeded."""
    model: str


class ControlQuestion(msgspec.Struct, frozen=True):
    """A control request from Claude Code, which waits for an answer."""

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
    """Split the output of a pipe into lines."""

    def __init__(self, max_line: int = MAX_LINE) -> None:
        self._max = max_line
        self._parts: list[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines completed by these bytes, except lines that are too long."""
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
    """Return the meaning of a line; None if it is irrelevant or no JSON object."""
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
    """Return a number that can be added up, for any value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return min(max(0, value), _MOST)


# Writing


def prompt(text: str, uuid: str) -> bytes:
    """Return a prompt; later lines refer to it by its id."""
    message = {"role": "user", "content": text}
    return _line({"type": "user", "uuid": uuid, "message": message})


def control_request(name: str, subtype: str, **more: str) -> bytes:
    """Return a control request; its answer has the same name."""
    asked = {"subtype": subtype, **more}
    return _line({"type": "control_request", "request_id": name, "request": asked})


def refusal(name: str, why: str) -> bytes:
    """Refuse an unknown control request: without an answer Claude Code would wait for ever."""
    response = {"subtype": "error", "request_id": name, "error": why}
    return _line({"type": "control_response", "response": response})


def _line(message: object) -> bytes:
    # ASCII alone: a command line may contain invalid text, and escapes keep it.
    return json.dumps(message, ensure_ascii=True).encode() + b"\n"
