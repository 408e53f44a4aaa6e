"""Tell listeners of the events of all runs, in the order of the log."""

import logging
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from handrail.model.event import Event

if TYPE_CHECKING:
    from handrail.supervise.supervisor import Supervisor

_log = logging.getLogger(__name__)

Listener = Callable[["Supervisor", Event], None]


class EventBus:
    """Used from one thread at a time; one queue for all runs."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._queue: deque[tuple[Supervisor, Event]] = deque()
        self._dispatches = False

    def subscribe(self, *listeners: Listener) -> None:
        """Add listeners for every event from now on."""
        self._listeners += listeners

    def publish(self, supervisor: "Supervisor", event: Event) -> None:
        """Tell every listener of a written event.

        A listener may write events itself. They wait until everybody has heard this one.
        """
        self._queue.append((supervisor, event))
        if self._dispatches:
            return
        self._dispatches = True
        try:
            while self._queue:
                supervisor, event = self._queue.popleft()
                for listener in self._listeners:
                    try:
                        listener(supervisor, event)
                    except Exception:  # noqa: BLE001 - the others must not miss it
                        _log.exception("a listener failed over %s", type(event).__name__)
        finally:
            self._dispatches = False
