"""Whole runs as tests of loops, stalls and errors need them: a call, and what came of it."""

from collections.abc import Iterable

from handrail.config.detection import Detection
from handrail.detect import CompletedStep, Intent, RunDetectors, completed_step
from handrail.detect.completed_step import Ending
from handrail.model.action import Outcome
from handrail.model.effect import Kind
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

USUAL = Detection()


class DetectedRun:
    """Deeds one after the other, and what is found after each."""

    def __init__(self) -> None:
        self.watch = RunDetectors()
        self.step = 0
        self.found: list[Finding] = []
        """After the last deed."""

    def does(
        self,
        call: str,
        says: str = "",
        *,
        ok: bool = True,
        code: int | None = 0,
        changed: tuple[str, ...] = (),
        waits: bool = False,
        agent: str = "",
        kinds: tuple[Kind, ...] = (),
    ) -> list[Finding]:
        """One more deed."""
        intent = Intent("Bash", call, call, waits=waits, agent=agent, kinds=kinds)
        outcome = Outcome(ok, code, says)
        return self.sees(completed_step(self.step + 1, 10.0 * self.step, intent, outcome, changed))

    def fails(self, call: str, says: str, *, code: int | None = 1) -> list[Finding]:
        """One more deed that failed."""
        return self.does(call, says, ok=False, code=code)

    def misfits(self, call: str, says: str = "Parameter `old_str` is required") -> list[Finding]:
        """One more call that its tool could not act on."""
        return self.fails(call, says, code=None)

    def is_not_done(self, call: str, ending: Ending, *, blamed: str = "") -> list[Finding]:
        """One more deed that did not run, or that nobody heard of."""
        intent = Intent("Bash", call, call, blamed=blamed)
        return self.sees(CompletedStep(self.step + 1, 10.0 * self.step, intent, ending))

    def sees(self, deed: CompletedStep) -> list[Finding]:
        """What is found after a deed."""
        self.step += 1
        self.watch.see(deed)
        self.found = self.watch.findings(USUAL)
        return self.found


def worst(kind: str, findings: Iterable[Finding]) -> Severity:
    """How bad the finding of a kind is."""
    return max((each.severity for each in findings if each.kind == kind), default=Severity.NONE)


def the(kind: str, findings: Iterable[Finding]) -> Finding:
    """The finding of a kind."""
    (found,) = (each for each in findings if each.kind == kind)
    return found
