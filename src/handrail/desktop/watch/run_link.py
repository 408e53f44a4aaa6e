"""The link between a watch and its run: every look and every recovery is an action of the run."""

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import msgspec

from handrail.checkpoint import CheckpointError
from handrail.desktop.screen_reading import ScreenReading
from handrail.library.errors import SupervisorClosedError
from handrail.library.supervisor import Supervisor
from handrail.library.verdict import ActionVerdict
from handrail.model.control import ENDING, HOLDING, Standing
from handrail.model.desktop import DESKTOP_INPUT, DESKTOP_LOOK, DesktopCheck
from handrail.model.event import ControlAnswered, ControlAsked, Event

_WATCH = "the desktop watch"


class LookPermit(msgspec.Struct, frozen=True):
    """Whether the run lets the watch look."""

    verdict: ActionVerdict | None = None
    """For the report of the look; None: it may not look now."""
    why: str = ""
    is_over: bool = False
    """The run was stopped or cancelled: nothing more will be allowed."""


class RunListener(Protocol):
    """Hears what people do with the run. Called in a thread of the link."""

    def on_standing(self, standing: Standing) -> None:
        """Handle a new state: paused, running again, stopped."""


class RunLink(Protocol):
    """What a watch needs of its run."""

    run: str

    def listen(self, listener: RunListener) -> None:
        """Call the listener with every new state of the run from now on."""

    def may_look(self, target: str) -> LookPermit:
        """Ask whether a look may begin; waits while a person holds the run."""

    def looked(self, permit: LookPermit, check: DesktopCheck) -> None:
        """Report what a look found, and what came of it."""

    def refuses(self, action: str, sensed: ScreenReading) -> str:
        """Review one action of a recovery; return why it may not be carried out, or ""."""

    def save(self) -> None:
        """Save the files; the log tells if that fails."""

    def close(self, reason: str) -> None:
        """End the run."""


class SupervisedLink:
    """A run of the library: in this process, or with the daemon."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.run = supervisor.run
        self._supervisor = supervisor
        self._unsubscribe: Callable[[], None] = lambda: None

    def listen(self, listener: RunListener) -> None:
        """Call the listener with every new state of the run from now on."""

        def hear(event: Event) -> None:
            if isinstance(event, ControlAsked | ControlAnswered):
                listener.on_standing(event.standing)

        self._unsubscribe = self._supervisor.subscribe(hear)

    def may_look(self, target: str) -> LookPermit:
        """Ask whether a look may begin; waits while a person holds the run."""
        try:
            verdict = self._supervisor.before(DESKTOP_LOOK, {"target": target})
        except SupervisorClosedError as error:
            return LookPermit(why=str(error), is_over=True)
        if verdict.allowed:
            return LookPermit(verdict)
        return LookPermit(why=verdict.reason, is_over=verdict.stop)

    def looked(self, permit: LookPermit, check: DesktopCheck) -> None:
        """Report what a look found, and what came of it."""
        if permit.verdict is None:
            return
        with suppress(SupervisorClosedError):
            self._supervisor.desktop_checked(check)
            self._supervisor.after(
                permit.verdict, check.description, error=check.why if _failed(check) else ""
            )

    def refuses(self, action: str, sensed: ScreenReading) -> str:
        """Review one action of a recovery; return why it may not be carried out, or ""."""
        wanted = {
            "do": action,
            "window": sensed.window_title,
            "terminal": sensed.is_terminal,
        }
        try:
            verdict = self._supervisor.before(DESKTOP_INPUT, wanted)
        except SupervisorClosedError as error:
            return str(error)
        if not verdict.allowed:
            return verdict.reason
        # The next look shows whether it helped; its own result is part of the check.
        self._supervisor.after(verdict)
        return ""

    def save(self) -> None:
        """Save the files; the log tells if that fails."""
        with suppress(CheckpointError, SupervisorClosedError):
            self._supervisor.checkpoint(by=_WATCH, reason="before a recovery")

    def close(self, reason: str) -> None:
        """End the run."""
        self._unsubscribe()
        self._supervisor.close(reason)


def is_held(standing: Standing) -> bool:
    """Return whether a person holds the run, or is about to."""
    return standing in HOLDING


def is_ending(standing: Standing) -> bool:
    """Return whether the run was stopped or cancelled."""
    return standing in ENDING


def _failed(check: DesktopCheck) -> bool:
    return check.outcome.is_failure
