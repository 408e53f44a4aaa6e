"""Emergency stops: the processes of a run are ended, and that is read back before it is said."""

import threading
from collections.abc import Callable
from time import monotonic, sleep, time

from handrail.intervene.notify import Message, Notifier
from handrail.intervene.processes import Ended, Family, end, host_at
from handrail.model.event import Event, Intervened, StopConfirmed
from handrail.server.home import Home
from handrail.supervise.supervisor import Supervisor

SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""What Claude Code puts into the environment of everything that it starts."""
_GRACE = 3.0
"""Seconds in which a host may end by itself: it has been told why, and says so."""
_END_SECONDS = 10.0
_POLL = 0.05
_CLOCK_SECONDS = 1.5


class Stops:
    """Carries out stops, each in a thread of its own."""

    def __init__(
        self,
        home: Home,
        record: Callable[[str, Event], None],
        notifier: Notifier,
        write: Callable[[str, str], None],
        *,
        clock: Callable[[], float] = time,
    ) -> None:
        """`write` makes the folder of an incident of a run: what happened, and what can be done."""
        self._home = home
        self._record = record
        self._notifier = notifier
        self._write = write
        self._clock = clock
        self._under_way: dict[str, threading.Thread] = {}

    def stop(self, supervisor: Supervisor, event: Intervened) -> None:
        """Begin to stop a run; called in the brain's thread. Twice does no harm."""
        state, done = supervisor.state, event.intervention
        if done.incident in self._under_way:
            return
        family = self._family(state.run, state.pid, state.pid_at)
        attended = state.attended
        run = state.run
        message = Message(
            f"Handrail stopped {state.cwd.rpartition('/')[2]} ({run[:8]})",
            f"{done.finding.says}\nhandrail incident show {done.incident}",
            urgent=True,
        )
        settings = supervisor.project.config.notify

        def work() -> None:
            self._carry_out(run, done.incident, family, keep_host=attended)
            self._notifier.tell(settings, message)

        thread = threading.Thread(target=work, name=f"stop {done.incident}", daemon=True)
        self._under_way[done.incident] = thread
        thread.start()

    def settle(self) -> None:
        """Wait until every stop that was begun is done."""
        for thread in list(self._under_way.values()):
            thread.join()

    def _family(self, run: str, pid: int, pid_at: float) -> Family:
        host = host_at(pid) if pid else None
        if host is not None and host.began > pid_at + _CLOCK_SECONDS:
            host = None  # another process has got its number since
        return Family({SESSION_VARIABLE: run}, host, client=self._home.client_path)

    def _carry_out(self, run: str, incident: str, family: Family, *, keep_host: bool) -> None:
        family.look()  # who leaves the family while it ends by itself is still known
        until = monotonic() + _GRACE
        while family.look(keep_host=keep_host) and monotonic() < until:
            sleep(_POLL)
        ended = end(family, keep_host=keep_host, seconds=_END_SECONDS)
        self._record(run, StopConfirmed(self._clock(), incident, *_said(ended, keep_host)))
        self._write(run, incident)


def _said(ended: Ended, keep_host: bool) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    if ended.left:
        says = "some processes could not be ended"
    elif keep_host:
        says = "no process of the run is left but the window that the person sits at"
    else:
        says = "no process of the run is left"
    return ended.ended, ended.left, says
