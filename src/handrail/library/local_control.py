"""Control of a run in this process: the same protocol as the daemon's, without the way there."""

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
    """Takes requests under the lock of the run."""

    def __init__(self, handler: ControlHandler, work: SerialWork) -> None:
        self._handler = handler
        self._work = work

    def send(self, request: bytes) -> list[AnyMessage]:
        """Hand over a request; the messages that it has led to so far are written."""
        try:
            with self._work.turn():
                taken = self._handler.submit(request)
            return _written(taken)
        except (StoreError, TimeoutError) as error:
            raise UnwrittenError(str(error)) from None

    def wait(self, request_id: str, seconds: float) -> list[AnyMessage] | None:
        """What has come of a request after so many seconds at most; None: nobody knows it."""
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
    """Carries out what is asked of the run. Its process is the program itself, which nobody ends:
    after a stop every call is refused."""

    def __init__(self, scheduler: CheckpointScheduler) -> None:
        self._scheduler = scheduler

    def can(self, supervisor: Supervisor, command: ControlCommand) -> str:
        """Why a command cannot be carried out; empty: it can."""
        return "" if command in _POSSIBLE else f"Your program does that itself, not {command.value}"

    def begin(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Save the files, or confirm what needs nothing to be done."""
        if asked.command == ControlCommand.CHECKPOINT:
            save_on_request(self._scheduler, supervisor, asked, finished)
        else:
            finished(CommandOutcome(evidence=("every call asks Handrail first",)))

    def thaw(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Nothing is ever frozen."""

    def remind(self, run: str, seconds: float, function: Callable[[], None]) -> None:
        """Nothing is ever frozen for too long."""


def _written(taken: TakenRequest) -> list[AnyMessage]:
    if taken.receipt is not None:
        taken.receipt.result(_WRITE_SECONDS)
    return list(taken.messages)
