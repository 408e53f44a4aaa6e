"""Control of a run in this process: the same protocol as the daemon's, without the way there."""

from collections.abc import Callable
from time import monotonic

from handrail.checkpoint import CheckpointError
from handrail.checkpoint.names import check_name
from handrail.control.client import UnwrittenError
from handrail.control.command_actions import CommandOutcome
from handrail.control.handler import ControlHandler, TakenRequest
from handrail.control.message import AnyMessage
from handrail.library.serial_work import SerialWork
from handrail.model.control import ControlCommand
from handrail.model.event import ControlAsked
from handrail.server.control.command_actions import saved_outcome
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
                taken = self._handler.take(request)
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

    handler: ControlHandler

    def __init__(
        self, keeper: CheckpointScheduler, later: Callable[[Callable[[], object]], None]
    ) -> None:
        self._keeper = keeper
        self._later = later

    def can(self, supervisor: Supervisor, command: ControlCommand) -> str:
        """Why a command cannot be carried out; empty: it can."""
        return "" if command in _POSSIBLE else f"Your program does that itself, not {command.value}"

    def begin(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Save the files, or confirm what needs nothing to be done."""
        if asked.command != ControlCommand.CHECKPOINT:
            self._tell(supervisor, asked, CommandOutcome(evidence=("every call asks Handrail",)))
            return
        try:
            if asked.text:
                check_name(asked.text)
        except CheckpointError as error:
            self._tell(supervisor, asked, CommandOutcome(ok=False, says=str(error)))
            return
        saved = self._keeper.save_for(supervisor, asked.reason or "on request", asked.text)
        saved.add_done_callback(lambda done: self._tell(supervisor, asked, saved_outcome(done)))

    def guard(self, supervisor: Supervisor) -> None:
        """Nothing is ever frozen."""

    def thaw(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Nothing is ever frozen."""

    def _tell(self, supervisor: Supervisor, asked: ControlAsked, outcome: CommandOutcome) -> None:
        run = supervisor.state.run
        self._later(lambda: self.handler.came(run, asked.request, outcome))


def _written(taken: TakenRequest) -> list[AnyMessage]:
    if taken.receipt is not None:
        taken.receipt.result(_WRITE_SECONDS)
    return list(taken.messages)
