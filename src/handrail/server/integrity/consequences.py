"""What follows where something of Handrail was lost: a run is stopped, people are told."""

import logging
import threading
from collections.abc import Callable

from handrail.config import ConfigError
from handrail.config.notify import Notify
from handrail.intervene.notify import Notification, Notifier
from handrail.model.finding import Finding
from handrail.server.integrity.notices import Notice
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.supervise.runs.run_registry import RunRegistry

_log = logging.getLogger(__name__)

_PATIENCE = 5.0
"""Seconds in which the supervision thread should have written a stop down."""


class DaemonConsequences:
    """Called in the thread of the monitor."""

    def __init__(
        self,
        supervision: SupervisionThread,
        runs: RunRegistry,
        notifier: Notifier,
        settings: Callable[[], Notify],
    ) -> None:
        """`settings`: where the user wants messages sent."""
        self._supervision = supervision
        self._runs = runs
        self._notifier = notifier
        self._settings = settings

    def stop(self, run: str, finding: Finding) -> str:
        """Stop a run; the incident, once the run is known to be stopped."""
        incidents: list[str] = []
        done = threading.Event()

        def work() -> None:
            try:
                incidents.append(self._runs.stop(run, finding))
            finally:
                done.set()

        self._supervision.submit(work)
        done.wait(_PATIENCE)
        return incidents[0] if incidents else ""

    def tell(self, notice: Notice) -> None:
        """Send a message to wherever the user wants them; a stop sends its own."""
        if notice.incident:
            return
        try:
            settings = self._settings()
        except (ConfigError, OSError) as error:
            _log.warning("a message was not sent: %s", error)
            return
        self._notifier.tell(settings, Notification("Handrail", notice.text, urgent=True))
