"""The hand of a person on a run: what was asked for, and how the run stands since."""

import msgspec

from handrail.model.control import FINAL, HOLDING, ControlCommand, Standing
from handrail.model.event import ActionHeld, ControlAnswered, ControlAsked

_MAX_HELD = 256


class ControlState(msgspec.Struct, omit_defaults=True):
    """A fold of events, as the state that it is part of."""

    standing: Standing = Standing.RUNNING
    by: str = ""
    reason: str = ""
    since: float = 0.0
    """Who has brought it to stand like that, why and when."""
    asked: dict[str, ControlAsked] = {}
    """By id, the requests that were acknowledged and not answered yet, in their order."""
    held: dict[str, str] = {}
    """By the host's id, the actions that wait until it goes on: what they would do."""
    escalated: str = ""
    """Why the model was changed last."""
    model: str = ""
    """The one that it was changed to."""
    frozen: float = 0.0
    """When its processes were stopped where they are, or began to be; 0: they are not."""
    held_since: float = 0.0
    """When a person began to hold it; 0: nobody does."""
    held_before: float = 0.0
    """For how many seconds it was held before that."""

    def held_for(self, now: float) -> float:
        """For how many seconds it was held in all."""
        return self.held_before + (max(now - self.held_since, 0.0) if self.held_since else 0.0)

    @property
    def messages(self) -> list[ControlAsked]:
        """What the agent has to be told and was not yet."""
        return [each for each in self.asked.values() if each.command.spec.tells]

    @property
    def is_final(self) -> bool:
        """Whether there is nothing left to control."""
        return self.standing in FINAL

    @property
    def waiting(self) -> list[ControlCommand]:
        """Commands that were acknowledged and leave the run as it stands: `steer`, `escalate` …"""
        return [each.command for each in self.asked.values() if each.command.spec.then is None]

    def ask(self, event: ControlAsked) -> None:
        """Something was asked for."""
        self.asked[event.request] = event
        if event.command == ControlCommand.FREEZE:
            self.frozen = event.at
        if event.standing != self.standing:
            self._stand(event.standing, event, event.at)

    def answer(self, event: ControlAnswered) -> None:
        """It was answered."""
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
            # A freeze that was overtaken may take hold all the same; one that failed was undone.
            self.frozen = 0.0

    def hold(self, event: ActionHeld) -> None:
        """An action waits, or does so no longer."""
        if event.released:
            self.held.pop(event.id, None)
        else:
            self.held[event.id] = event.says
            if len(self.held) > _MAX_HELD:
                del self.held[next(iter(self.held))]

    def end(self, standing: Standing, at: float) -> None:
        """The run stands otherwise, and nobody has asked for it."""
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
        """Time that a person has taken is not the run's."""
        if standing not in HOLDING:
            self.held_before, self.held_since = self.held_for(at), 0.0
        elif not self.held_since:
            self.held_since = at
