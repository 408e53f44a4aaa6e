"""How every thread reaches the control desk, which works in the brain's."""

from collections.abc import Callable

from handrail.control.command_actions import CommandOutcome
from handrail.control.handler import ControlHandler
from handrail.control.message import Request, encode
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.store.errors import StoreError
from handrail.store.port import Receipt


class ControlMailbox:
    """Used in any thread, once the desk is there."""

    desk: ControlHandler

    def __init__(self, brain: SupervisionThread) -> None:
        self._brain = brain

    def command_finished(self, run: str, request: str, came: CommandOutcome) -> None:
        """Tell the desk what has come of a request."""
        self._brain.submit(lambda: self.desk.command_finished(run, request, came))

    def ask(self, request: Request, failed: Callable[[], None]) -> None:
        """Make a request of our own. `failed`: the log did not take it."""

        def look(receipt: Receipt) -> None:
            if receipt.exception() is not None:
                failed()

        def take() -> None:
            try:
                taken = self.desk.submit(encode(request))
            except StoreError:
                failed()
                return
            if taken.receipt is not None:
                taken.receipt.add_done_callback(look)

        self._brain.submit(take)
