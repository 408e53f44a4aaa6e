"""Play a session through the real supervisor, at a pace."""

from collections.abc import Iterable
from pathlib import Path

from handrail.model.action import Action, Outcome
from handrail.model.event import FindingMade, Intervened, PromptGiven
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention
from handrail.model.ordinal import Decision, Severity
from handrail.supervise.followup.breach import EndedCall
from tests.supervise.sessions.session import Session, SessionStep
from tests.supervise.simulated_run import SimulatedRun


class PlayedSession:
    """What supervision made of a session."""

    def __init__(self, folder: Path, session: Session, think: float) -> None:
        """Play it; the agent thinks for so many seconds before each step."""
        self._day = SimulatedRun(folder, gap=think, prompt=session.prompt)
        self.refused: list[str] = []
        """The actions that were not let through, in no form."""
        self.length = 0
        self._play(session.steps(), think)

    def _play(self, steps: Iterable[SessionStep], think: float) -> None:
        for step in steps:
            self._day.bed.clock.advance(think)
            if step.prompt:
                self._day.record(PromptGiven(self._day.bed.clock(), step.prompt))
            else:
                self.length += 1
                self._do(step)

    def _do(self, step: SessionStep) -> None:
        day = self._day
        action, verdict = day.start(step.tool, self._placed(step.given), step.agent)
        if verdict.decision is Decision.BLOCK or verdict.stop:
            self.refused.append(f"{verdict.decision} {step.given}: {verdict.reason}")
        day.bed.clock.advance(step.seconds)
        if verdict.decision is Decision.BLOCK:
            return
        ran = Action(action.tool, verdict.updated_input or action.input, action.cwd, id=action.id)
        day.run.after(EndedCall(ran, _outcome(step)))

    def _placed(self, given: dict[str, object]) -> dict[str, object]:
        """The same with the paths of this project; a file that is read or changed is there."""
        path = given.get("file_path") or given.get("notebook_path")
        if not isinstance(path, str):
            return given
        at = self._day.bed.path / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.touch()
        return {name: str(at) if name.endswith("_path") else value for name, value in given.items()}

    @property
    def findings(self) -> list[Finding]:
        return [each.finding for each in self._day.bed.events() if isinstance(each, FindingMade)]

    @property
    def interventions(self) -> list[Intervention]:
        events = self._day.bed.events()
        return [each.intervention for each in events if isinstance(each, Intervened)]

    @property
    def worst(self) -> Severity:
        return max((each.severity for each in self.findings), default=Severity.NONE)


def _outcome(step: SessionStep) -> Outcome:
    first = step.error.partition("\n")[0]
    known = first.startswith("Exit code ")
    code = int(first.removeprefix("Exit code ")) if known else None
    return Outcome(not step.error, code, step.output, step.error, step.seconds * 1000)
