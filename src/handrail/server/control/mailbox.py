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

    control: ControlHandler

    def __init__(self, supervision: SupervisionThread) -> None:
        self._supervision = supervision

    def command_finished(self, run: str, request: str, outcome: CommandOutcome) -> None:
        """Tell the desk what has come of a request."""
        self._supervision.submit(lambda: self.control.command_finished(run, request, outcome))

    def ask(self, request: Request, failed: Callable[[], None]) -> None:
        """Make a request of our own. `failed`: the log did not take it."""

        def look(receipt: Receipt) -> None:
            if receipt.exception() is not None:
                failed()

        def take() -> None:
            try:
                taken = self.control.submit(encode(request))
            except StoreError:
                failed()
                return
            if taken.receipt is not None:
                taken.receipt.add_done_callback(look)

        self._supervision.submit(take)
