"""How often each symptom was treated, and when: retries are counted per symptom."""

from collections.abc import Callable

import msgspec


class _Case(msgspec.Struct):
    seen: float
    treated: float = 0.0
    attempts: int = 0
    given_up: bool = False


class SymptomLedger:
    """Counts the looks at which a symptom was there, and the recoveries that did not help.

    A symptom that comes back soon after a recovery is the same one, so its retries go on. It is
    forgotten only when the screen stayed without it for `quiet_seconds`.
    """

    def __init__(
        self,
        *,
        retries: int,
        cooldown_seconds: float,
        quiet_seconds: float,
        clock: Callable[[], float],
    ) -> None:
        self._retries = retries
        self._cooldown = cooldown_seconds
        self._quiet = quiet_seconds
        self._clock = clock
        self._cases: dict[str, _Case] = {}
        self._progress: object = None
        self._moved = 0.0

    def see(self, symptom: str) -> None:
        """Note that a look has shown a symptom."""
        now = self._clock()
        self._cases.setdefault(symptom, _Case(now)).seen = now

    def healthy(self) -> None:
        """Note a look without any symptom."""
        now = self._clock()
        self._cases = {
            name: case for name, case in self._cases.items() if now - case.seen < self._quiet
        }

    def stands_still(self, progress: object) -> bool:
        """Return whether a worker told the same before, and a cooldown has passed since.

        Some looks follow each other fast, and a worker may need longer for its next step.
        """
        now = self._clock()
        if progress != self._progress:
            self._progress, self._moved = progress, now
            return False
        return now - self._moved >= self._cooldown

    def attempts(self, symptom: str) -> int:
        """Return the number of recoveries of a symptom so far."""
        return self._cases[symptom].attempts if symptom in self._cases else 0

    def wait_seconds(self, symptom: str) -> float:
        """Return the seconds until the symptom may be treated again, or 0."""
        case = self._cases.get(symptom)
        if case is None or not case.attempts:
            return 0.0
        return max(case.treated + self._cooldown - self._clock(), 0.0)

    def is_exhausted(self, symptom: str) -> bool:
        """Return whether every retry was used."""
        return self.attempts(symptom) >= self._retries

    def treat(self, symptom: str) -> int:
        """Count a recovery, or a look at which nobody knew one; return its number."""
        self.see(symptom)
        case = self._cases[symptom]
        case.treated = self._clock()
        case.attempts += 1
        return case.attempts

    def give_up(self, symptom: str) -> bool:
        """Return True the first time that a symptom is given up."""
        case = self._cases[symptom]
        first = not case.given_up
        case.given_up = True
        return first
