"""Control a run in this process: the daemon's protocol, without a connection."""

from collections.abc import Callable
from time import monotonic

from handrail.control.client import UnwrittenError
from handrail.control.command_actions import CommandOutcome, Finished
from handrail.control.handler import ControlHandler
from handrail.control.message import AnyMessage
from handrail.control.response_log import TakenRequest
from handrail.library.serial_work import SerialWork
from handrail.model.control import ControlCommand
from handrail.model.event import ControlAsked
from handrail.server.control.command_actions import save_on_request
from handrail.server.files.checkpoint_scheduler import CheckpointScheduler
from handrail.store.errors import StoreError
from handrail.supervise.supervisor import Supervisor

_WRITE_SECONDS = 10.0
_POSSIBLE = frozenset(map(ControlCommand, "pause resume steer redirect stop checkpoint".split()))


class LocalControl:
    """Take requests under the lock of the run."""

    def __init__(self, handler: ControlHandler, work: SerialWork) -> None:
        self._handler = handler
        self._work = work

    def send(self, request: bytes) -> list[AnyMessage]:
        """Submit a request; return its messages so far once they are written."""
        try:
            with self._work.turn():
                taken = self._handler.submit(request)
            return _written(taken)
        except (StoreError, TimeoutError) as error:
            raise UnwrittenError(str(error)) from None

    def wait(self, request_id: str, seconds: float) -> list[AnyMessage] | None:
        """Wait at most so many seconds; return the messages about a request, None if unknown."""
        until = monotonic() + seconds
        try:
            with self._work.turn():
                taken = self._handler.known(request_id)
                while taken is not None and not taken.messages and until > monotonic():
                    self._work.changed.wait(until - monotonic())
                    taken = self._handler.known(request_id)
            return None if taken is None else _written(taken)
        except (StoreError, TimeoutError) as error:
            raise UnwrittenError(str(error)) from None


class LocalActions:
    """Carry out requests. The run's process is the program itself, which nobody ends:
    after a stop every call is refused."""

    def __init__(self, scheduler: CheckpointScheduler) -> None:
        self._scheduler = scheduler

    def can(
        self, supervisor: Supervisor, command: ControlCommand, text: str = "", choice: str = ""
    ) -> str:
        """Return why a command cannot be carried out, or ""."""
        return "" if command in _POSSIBLE else f"Your program does that itself, not {command.value}"

    def begin(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Save the files, or confirm a request that needs no work."""
        if asked.command == ControlCommand.CHECKPOINT:
            save_on_request(self._scheduler, supervisor, asked, finished)
        else:
            finished(CommandOutcome(evidence=("every call asks Handrail first",)))

    def thaw(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Do nothing: this engine never freezes."""

    def remind(self, run: str, seconds: float, function: Callable[[], None]) -> None:
        """Do nothing: this engine never freezes."""


def _written(taken: TakenRequest) -> list[AnyMessage]:
    if taken.receipt is not None:
        taken.receipt.result(_WRITE_SECONDS)
    return list(taken.messages)
