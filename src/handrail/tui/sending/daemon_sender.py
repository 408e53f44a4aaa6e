"""Send commands to the daemon, and turn its messages into stages for the screen."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator

from handrail.control.client import (
    ControlConnection,
    UnreachableError,
    make_request,
    request_stages,
)
from handrail.control.message import Ack, AnyMessage, Request, Result
from handrail.model.control import ControlCommand, Standing
from handrail.tui.sending.port import SendingStage

_PATIENCE = 3600.0
"""Seconds to wait for a result: a pause waits for the current action."""


class DaemonCommandSender:
    """Sends each command in its own daemon thread."""

    def __init__(
        self,
        open_line: Callable[[], ControlConnection],
        is_down: Callable[[], bool],
        *,
        patience: float = _PATIENCE,
    ) -> None:
        """`open_line` opens a connection for each command, in its thread; `is_down` tells
        whether that has to start a daemon."""
        self._open_line = open_line
        self._is_down = is_down
        self._patience = patience

    async def send(
        self,
        command: ControlCommand,
        run: str,
        *,
        reason: str,
        text: str,
        expects: Standing,
        choice: str = "",
    ) -> AsyncIterator[SendingStage]:
        """Yield the stages of one command; the last is `confirmed` or `failed`."""
        heard: asyncio.Queue[SendingStage] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def work() -> None:
            request = make_request(
                command, run, reason=reason, text=text, choice=choice, expects=expects.value
            )
            for stage in self._stages(request):
                try:
                    loop.call_soon_threadsafe(heard.put_nowait, stage)
                except RuntimeError:  # the screen was left meanwhile
                    return

        threading.Thread(target=work, name=f"control-{command.value}", daemon=True).start()
        while True:
            stage = await heard.get()
            yield stage
            if stage.is_last:
                return

    def _stages(self, request: Request) -> Iterator[SendingStage]:
        if self._is_down():
            yield SendingStage("starting")
        yield SendingStage("requested")
        try:
            for message in request_stages(self._open_line(), request, seconds=self._patience):
                stage = _stage(message)
                yield stage
                if stage.is_last:
                    return
        except UnreachableError as error:
            yield SendingStage("failed", str(error), "unreachable")
            return
        says = f"no answer for {self._patience / 60:.0f} min; the timeline will show one"
        yield SendingStage("failed", says, "timeout")


def _stage(message: AnyMessage) -> SendingStage:
    if not isinstance(message, Result):
        return SendingStage("acknowledged" if isinstance(message, Ack) else "requested")
    if message.ok:
        return SendingStage("confirmed", message.says)
    return SendingStage("failed", message.says, message.code)
