"""Send a request, and wait for its result: the controller's side of the protocol."""

import os
import pwd
import uuid
from collections.abc import Callable, Iterator
from time import monotonic, sleep, time
from typing import Protocol

from handrail.control import message as wire
from handrail.control import timestamp
from handrail.control.message import Ack, AnyMessage, Request, Result, Target, ack_to
from handrail.control.request_ledger import EXPIRY
from handrail.model.control import ControlCommand

_PAUSE = 0.2
_ONE_WAIT = 20.0
"""Seconds to wait for an answer in one call, before the next call."""


class UnreachableError(Exception):
    """Nobody takes requests; another try may help."""


class UnwrittenError(UnreachableError):
    """The request was carried out, but the log failed: do not try again."""


class ControlConnection(Protocol):
    """The connection to the daemon. Both methods raise UnreachableError."""

    def send(self, request: bytes) -> list[AnyMessage]:
        """Send a request; return the messages about it so far."""

    def wait(self, request_id: str, seconds: float) -> list[AnyMessage] | None:
        """Wait a while for messages about a request, and return them; None if it is unknown."""


def make_request(
    command: ControlCommand,
    run: str,
    *,
    by: str = "",
    reason: str = "",
    text: str = "",
    choice: str = "",
    expects: str = "",
    at: float | None = None,
) -> Request:
    """Make a request; `text` is the command's argument, `choice` its other one, `expects` the
    standing that the requester saw."""
    about = {command.spec.text.name: text, command.spec.choice.name: choice}
    given = {**about, "reason": reason, "by": by or user_name(), "expects": expects}
    return Request(
        request_id=str(uuid.uuid4()),
        command=command.value,
        target=Target(run),
        timestamp=timestamp.format_timestamp(time() if at is None else at),
        payload={name: value for name, value in given.items() if value},
    )


def user_name() -> str:
    """Return the name of the person who asks."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def request_stages(
    line: ControlConnection,
    request: Request,
    *,
    seconds: float,
    clock: Callable[[], float] = monotonic,
    sleep: Callable[[float], None] = sleep,
) -> Iterator[Ack | Result]:
    """Yield the messages about a request as they come: an acknowledgment, a result.

    Ends with the result, or without one when the time is up. If the daemon restarts meanwhile, this
    sends the request again with the same id; the daemon does nothing twice. Raises UnreachableError
    if nobody acknowledges the request before it expires.
    """
    until = clock() + seconds
    expires = clock() + min(seconds, EXPIRY)
    body = wire.encode(request)
    acknowledged = False
    is_known = False
    while True:
        try:
            if is_known:
                left = max(0.0, min(until - clock(), _ONE_WAIT))
                found = line.wait(request.request_id, left)
                is_known = found is not None
            else:
                found = line.send(body)
                is_known = True
        except UnwrittenError:
            raise
        except UnreachableError:
            is_known, found = False, []
            if not acknowledged and clock() >= expires:
                raise
        is_news = False
        for message in found or ():
            if isinstance(message, Result) and message.code != "duplicate":
                yield message
                return
            if not acknowledged and (ack := _as_ack(message)) is not None:
                acknowledged = is_news = True
                yield ack
        if clock() >= until:
            return
        if not is_news:
            sleep(_PAUSE)


def _as_ack(message: AnyMessage) -> Ack | None:
    """Return the acknowledgment; if it was lost, an under-way message says the same."""
    return None if isinstance(message, Request) else ack_to(message, message.timestamp)
