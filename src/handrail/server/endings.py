"""Freezing, thawing and ending the processes of a run, because a person asked for it."""

import threading
from collections.abc import Callable
from concurrent.futures import Future

from handrail.checkpoint import CheckpointError, Record
from handrail.control.acts import Came
from handrail.intervene.freezing import Still, freeze, standing, thaw
from handrail.intervene.processes import Family, end
from handrail.model.event import ControlAsked
from handrail.server.home import Home
from handrail.server.keeper import Keeper
from handrail.server.stops import family_of
from handrail.supervise.supervisor import Supervisor

_END_SECONDS = 10.0
_SAVE_SECONDS = 15.0

Tell = Callable[[str, str, Came], None]


class Endings:
    """Each in a thread of its own; what comes of it is told from there."""

    def __init__(self, home: Home, tell: Tell, keeper: Keeper) -> None:
        self._home = home
        self._tell = tell
        self._keeper = keeper
        self._before: dict[str, tuple[Still, ...]] = {}
        """By run, who stood still before it was frozen."""

    def freeze(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Stop all processes of a run where they are."""
        run, family = supervisor.state.run, self._family(supervisor)

        def work() -> Came:
            before = self._before[run] = standing(family)
            frozen = freeze(family, before)
            if frozen.loose:
                return Came(ok=False, says=f"Could not be frozen: {', '.join(frozen.loose)}")
            return Came(evidence=frozen.all)

        self._begin(run, asked, work)

    def thaw(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Let them go on."""
        run, family = supervisor.state.run, self._family(supervisor)

        def work() -> Came:
            thawed = thaw(standing(family, self._before.pop(run, ())))
            if thawed.still:
                return Came(ok=False, says=f"Stand still all the same: {', '.join(thawed.still)}")
            return Came(evidence=thawed.going)

        self._begin(run, asked, work)

    def let_go(self, supervisor: Supervisor) -> None:
        """Let them go on, before something else is done about the run."""
        run, family = supervisor.state.run, self._family(supervisor)
        thaw(standing(family, self._before.pop(run, ())))

    def stop(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Save the files, and end all processes of a run."""
        run, family = supervisor.state.run, self._family(supervisor)
        saved = self._keeper.save_for(supervisor, f"before {asked.command.value}")

        def work() -> Came:
            kept = _said(saved)
            ended = end(family, seconds=_END_SECONDS)
            if ended.left:
                return Came(ok=False, says=f"Could not be ended: {', '.join(ended.left)}")
            return Came(evidence=(kept, *(ended.ended or ("no process was left",))))

        self._begin(run, asked, work)

    def _begin(self, run: str, asked: ControlAsked, work: Callable[[], Came]) -> None:
        def whole() -> None:
            try:
                came = work()
            except Exception as error:  # noqa: BLE001 - whoever asked has to hear
                came = Came(ok=False, says=f"{type(error).__name__}: {error}")
            self._tell(run, asked.request, came)

        threading.Thread(target=whole, name=f"{asked.command} {run}", daemon=True).start()

    def _family(self, supervisor: Supervisor) -> Family:
        return family_of(supervisor.state, self._home.client_path)


def _said(saved: Future[Record]) -> str:
    try:
        return f"checkpoint {saved.result(_SAVE_SECONDS).id}"
    except (CheckpointError, OSError, TimeoutError) as error:
        return f"no checkpoint: {error}"
