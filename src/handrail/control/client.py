"""Asking for something, and hearing what comes of it: the controller's side of the protocol."""

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
"""Seconds for which an answer is awaited in one call; then it is asked again."""


class UnreachableError(Exception):
    """Nobody takes requests; it may be worth to try again."""


class UnwrittenError(UnreachableError):
    """It could not be written down, and was done all the same: nothing comes of trying again."""


class ControlConnection(Protocol):
    """The way to whoever takes requests. Both raise UnreachableError."""

    def send(self, request: bytes) -> list[AnyMessage]:
        """Hand over a request; the messages that it has led to so far."""

    def wait(self, request_id: str, seconds: float) -> list[AnyMessage] | None:
        """What has come of a request after so many seconds at most; None: nobody knows it."""


def make_request(
    command: ControlCommand,
    run: str,
    *,
    by: str = "",
    reason: str = "",
    text: str = "",
    expects: str = "",
    at: float | None = None,
) -> Request:
    """A request; `text` is what the command is about, `expects` how the run stands for the eyes
    of whoever asks."""
    about = {command.spec.text.name: text}
    given = {**about, "reason": reason, "by": by or user_name(), "expects": expects}
    return Request(
        request_id=str(uuid.uuid4()),
        command=command.value,
        target=Target(run),
        timestamp=timestamp.written(time() if at is None else at),
        payload={name: value for name, value in given.items() if value},
    )


def user_name() -> str:
    """Who asks."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def stages(
    line: ControlConnection,
    request: Request,
    *,
    seconds: float,
    clock: Callable[[], float] = monotonic,
    sleep: Callable[[float], None] = sleep,
) -> Iterator[Ack | Result]:
    """What comes of a request, as it comes: an acknowledgment, a result.

    Ends with the result, or without one when the time is up. Whoever takes requests may end and
    be started again meanwhile: then it is asked again with the same id, which does nothing twice.
    Raises UnreachableError where nobody has acknowledged it before it expires.
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
    """The acknowledgment; that a request is under way says the same, where that got lost."""
    return None if isinstance(message, Request) else ack_to(message, message.timestamp)
