"""The library's messages: one JSON object for each event, told apart by the field `event`."""

import os

import msgspec

from handrail.config.sources import PipelineSafety
from handrail.hosts.port import MAX_BYTES
from handrail.model.desktop import DesktopCheck

_MAX_RUN = 200


class UnreadableMessageError(ValueError):
    """A message that cannot be read; the text says why."""


class LibraryMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    run: str
    cwd: str
    """An absolute path."""


class StartMessage(LibraryMessage, frozen=True, kw_only=True, tag="start"):
    """A run begins."""

    goal: str = ""
    scope: tuple[str, ...] = ()
    """Scope of the agent in place of the settings' scope; relative to `cwd`."""
    model: str = ""
    pipeline: PipelineSafety | None = None
    """The settings of the pipeline that this run is a step of."""


class PromptMessage(LibraryMessage, frozen=True, kw_only=True, tag="prompt"):
    """A person tells the agent what to do."""

    text: str


class BeforeMessage(LibraryMessage, frozen=True, kw_only=True, tag="before"):
    """A tool is about to be called."""

    id: str
    tool: str
    input: dict[str, object]
    agent: str = ""
    """The sub-agent of the call; empty: the agent itself."""


class AfterMessage(LibraryMessage, frozen=True, kw_only=True, tag="after"):
    """A tool was called."""

    id: str
    tool: str
    input: dict[str, object]
    """The input as it ran."""
    ok: bool
    exit_code: int | None = None
    output: str = ""
    error: str = ""
    seconds: float = 0.0
    tokens: int = 0


class DesktopCheckMessage(LibraryMessage, frozen=True, kw_only=True, tag="desktop_check"):
    """A desktop watch looked at the screen; its look has not ended yet."""

    check: DesktopCheck


class DropMessage(LibraryMessage, frozen=True, kw_only=True, tag="drop"):
    """A call that was allowed did not run."""

    id: str
    reason: str = ""


class TurnEndMessage(LibraryMessage, frozen=True, kw_only=True, tag="turn_end"):
    """The agent has stopped with this text."""

    text: str = ""


class EndMessage(LibraryMessage, frozen=True, kw_only=True, tag="end"):
    """The run is over."""

    reason: str = ""


AnyMessage = (
    StartMessage
    | PromptMessage
    | BeforeMessage
    | AfterMessage
    | DesktopCheckMessage
    | DropMessage
    | TurnEndMessage
    | EndMessage
)
_decoder: msgspec.json.Decoder[AnyMessage] = msgspec.json.Decoder(AnyMessage)


def read_message(body: bytes) -> AnyMessage:
    """Return the event in a message; raises UnreadableMessageError."""
    if len(body) > MAX_BYTES:
        raise UnreadableMessageError(f"it has {len(body):,} bytes; {MAX_BYTES:,} are read")
    try:
        payload = _decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableMessageError(str(error)[:300]) from None
    if not payload.run or len(payload.run) > _MAX_RUN or "\0" in payload.run:
        raise UnreadableMessageError("run is missing or no id")
    if not os.path.isabs(payload.cwd) or "\0" in payload.cwd:
        raise UnreadableMessageError("cwd is missing or no folder")
    if isinstance(payload, BeforeMessage | AfterMessage) and not (payload.tool and payload.id):
        raise UnreadableMessageError("tool or id is missing")
    return payload
