"""A person's control over a run: the requests, and the standing of the run."""

import msgspec

from handrail.model.control import FINAL, HOLDING, ControlCommand, Standing
from handrail.model.event import ActionHeld, ControlAnswered, ControlAsked

_MAX_HELD = 256


class ControlState(msgspec.Struct, omit_defaults=True):
    """A fold of events, like the state around it."""

    standing: Standing = Standing.RUNNING
    by: str = ""
    reason: str = ""
    since: float = 0.0
    """The time of the last change; `by` and `reason` tell who caused it and why."""
    asked: dict[str, ControlAsked] = {}
    """Acknowledged requests without an answer, by id, in their order."""
    held: dict[str, str] = {}
    """The actions that wait until the run goes on, by the host's id, in words."""
    escalated: str = ""
    """The reason of the last change of the model."""
    model: str = ""
    """The model of the last change."""
    frozen: float = 0.0
    """When a freeze of its processes began; 0: they are not frozen."""
    held_since: float = 0.0
    """When a person began to hold it; 0: nobody does."""
    held_before: float = 0.0
    """The seconds of earlier holds."""

    def held_for(self, now: float) -> float:
        """Return how many seconds people have held it in all."""
        return self.held_before + (max(now - self.held_since, 0.0) if self.held_since else 0.0)

    @property
    def messages(self) -> list[ControlAsked]:
        """Return the messages that the agent has not got yet."""
        return [each for each in self.asked.values() if each.command.spec.tells]

    @property
    def is_final(self) -> bool:
        """Return whether there is nothing left to control."""
        return self.standing in FINAL

    @property
    def waiting(self) -> list[ControlCommand]:
        """Return acknowledged commands that leave the standing alone: `steer`, `escalate` …"""
        return [each.command for each in self.asked.values() if each.command.spec.then is None]

    def ask(self, event: ControlAsked) -> None:
        """Take in a request."""
        self.asked[event.request] = event
        if event.command == ControlCommand.FREEZE:
            self.frozen = event.at
        if event.standing != self.standing:
            self._stand(event.standing, event, event.at)

    def answer(self, event: ControlAnswered) -> None:
        """Take in an answer."""
        asked = self.asked.pop(event.request, None)
        if event.standing != self.standing:
            self._stand(event.standing, asked, event.at)
            self.since = event.at
        if event.ok and event.command == ControlCommand.ESCALATE and asked is not None:
            self.escalated = asked.reason
            self.model = event.model
        self._freeze_or_thaw(event)

    def _freeze_or_thaw(self, event: ControlAnswered) -> None:
        failed = event.command == ControlCommand.FREEZE and event.standing == Standing.PAUSING
        if event.standing == Standing.FROZEN and event.command.is_level:
            self.frozen = event.at
        elif failed or (event.ok and event.command.thaws):
            # An overtaken freeze may still take hold; a failed one was undone.
            self.frozen = 0.0

    def hold(self, event: ActionHeld) -> None:
        """Take in that an action waits, or no longer waits."""
        if event.released:
            self.held.pop(event.id, None)
        else:
            self.held[event.id] = event.says
            if len(self.held) > _MAX_HELD:
                del self.held[next(iter(self.held))]

    def end(self, standing: Standing, at: float) -> None:
        """Change the standing without a request."""
        self._count(standing, at)
        self.standing, self.since = standing, at
        self.by = self.reason = ""
        self.frozen = 0.0
        self.held.clear()

    def _stand(self, standing: Standing, asked: ControlAsked | None, at: float) -> None:
        self._count(standing, at)
        self.standing = standing
        if asked is not None:
            self.by, self.reason, self.since = asked.by, asked.reason, asked.at
        if standing == Standing.RUNNING:
            self.by = self.reason = ""

    def _count(self, standing: Standing, at: float) -> None:
        """Count the time of a hold, which is not the run's own."""
        if standing not in HOLDING:
            self.held_before, self.held_since = self.held_for(at), 0.0
        elif not self.held_since:
            self.held_since = at
