"""The hand of a person on a run, and the loop that drives it, at a glance.

The same folds as `supervise.hand` and `supervise.loop`, over fewer fields; see `glance`.
"""

import msgspec

from handrail.model.control import FINAL, Command, Standing

_MAX_IN_FLIGHT = 100
_STAYS = frozenset(command for command in Command if command.stays)


class Asked(msgspec.Struct, frozen=True):
    """A request that was acknowledged."""

    at: float
    command: str = ""
    by: str = ""
    reason: str = ""


class Hand(msgspec.Struct):
    """How a run stands with the people who control it."""

    standing: Standing = Standing.RUNNING
    by: str = ""
    reason: str = ""
    since: float = 0.0
    asked: dict[str, Asked] = {}
    """By id, the requests that were not answered yet."""
    held: dict[str, str] = {}
    """By the host's id, the actions that wait until it goes on: what they would do."""

    def ask(self, request: str, asked: Asked, standing: Standing) -> None:
        """Something was asked for."""
        self.asked[request] = asked
        if len(self.asked) > _MAX_IN_FLIGHT:
            del self.asked[next(iter(self.asked))]
        if standing != self.standing:
            self._stand(standing, asked)

    def answer(self, request: str, standing: Standing, at: float) -> None:
        """It was answered."""
        asked = self.asked.pop(request, None)
        if standing != self.standing:
            self._stand(standing, asked)
            self.since = at

    def hold(self, action: str, says: str, released: str) -> None:
        """An action waits, or does so no longer."""
        if released:
            self.held.pop(action, None)
        else:
            self.held[action] = says

    def end(self, standing: Standing, at: float) -> None:
        """The run stands otherwise, and nobody has asked for it."""
        self.standing, self.since = standing, at
        self.by = self.reason = ""
        self.held.clear()

    def _stand(self, standing: Standing, asked: Asked | None) -> None:
        self.standing = standing
        if asked is not None:
            self.by, self.reason, self.since = asked.by, asked.reason, asked.at
        if standing == Standing.RUNNING:
            self.by = self.reason = ""

    @property
    def is_final(self) -> bool:
        """Whether there is nothing left to control."""
        return self.standing in FINAL

    @property
    def waiting(self) -> list[str]:
        """Commands that were acknowledged and leave the run as it stands: `steer`, `escalate` …"""
        return [each.command for each in self.asked.values() if each.command in _STAYS]


class Loop(msgspec.Struct):
    """A loop of iterations that Handrail drives."""

    goal: str
    max: int
    verify: str = ""
    driver: int = 0
    iteration: int = 0
    verified: bool = False
    ended: str = ""
    reason: str = ""
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    memory_mb: float = 0.0

    @property
    def shown(self) -> str:
        """`it 2/10`."""
        return f"it {max(self.iteration, 1)}/{self.max}"
