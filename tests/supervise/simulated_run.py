"""A run of some length with the usual settings: calls, their results, and what is done about it."""

from itertools import count
from pathlib import Path

from handrail.hosts.claude.host import HOST
from handrail.intervene import Capability
from handrail.model.action import Action, Outcome
from handrail.model.checkpoint import Checkpoint
from handrail.model.event import CheckpointTaken, Event, Intervened, PromptGiven, RunStarted
from handrail.model.intervention import Intervention
from handrail.model.review import Verdict
from handrail.supervise.followup.breach import EndedCall
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.supervisor import Supervisor
from tests.supervise.supervision_setup import RUN, SupervisionSetup

CAN = HOST.capabilities | {Capability.FILES}
Started = tuple[Action, Verdict]


class SimulatedRun:
    """Steps come every `gap` seconds; the files are saved before each prompt."""

    def __init__(
        self,
        folder: Path,
        *,
        attended: bool = False,
        gap: float = 10.0,
        bed: SupervisionSetup | None = None,
        prompt: str = "Fix the cart so that the total is right and the tests pass.",
    ) -> None:
        self.bed = bed or SupervisionSetup(folder)
        self.gap = gap
        self._ids = count(1)
        self.restart()
        self.record(RunStarted(self.bed.clock(), "claude", str(self.bed.path), attended=attended))
        self.prompt(prompt)

    def restart(self) -> None:
        """The next daemon."""
        bed = self.bed
        bed.restart()
        bed.runs = RunRegistry(bed.journal, bed.projects, can=lambda host: CAN, clock=bed.clock)

    @property
    def run(self) -> Supervisor:
        return self.bed.get(RUN)

    def record(self, event: Event) -> None:
        self.run.record(event)

    def prompt(self, text: str) -> None:
        now, step = self.bed.clock(), self.run.state.step
        self.record(PromptGiven(now, text))
        self.record(CheckpointTaken(now, Checkpoint(f"c{step}", RUN, step, "a" * 40, now)))

    def start(self, tool: str, given: dict[str, object], agent: str = "") -> Started:
        """An action is judged; another one may be judged before this one ends."""
        action = Action(tool, given, str(self.bed.path), id=f"t{next(self._ids)}")
        return action, self.run.before(action, agent)

    def end(self, started: Started, output: str = "", error: str = "") -> Verdict:
        """What was let through has run."""
        action, verdict = started
        if verdict.decision.value == "block":
            return verdict
        given = verdict.updated_input or action.input
        ran = Action(action.tool, given, action.cwd, id=action.id)
        outcome = Outcome(not error, _exit_code(error), output, error)
        return self.run.after(EndedCall(ran, outcome))

    def do(
        self,
        tool: str,
        given: dict[str, object],
        output: str = "",
        error: str = "",
        agent: str = "",
    ) -> Verdict:
        """One action, from the review to its result."""
        self.bed.clock.advance(self.gap)
        return self.end(self.start(tool, given, agent), output, error)

    def bash(self, command: str, output: str = "", error: str = "", agent: str = "") -> Verdict:
        return self.do("Bash", {"command": command}, output, error, agent)

    def edit(self, path: str, number: int, agent: str = "") -> Verdict:
        """An edit that is other than those before it."""
        given: dict[str, object] = {
            "file_path": str(self.bed.path / path),
            "old_string": f"total = {number}",
            "new_string": f"total = {number + 1}",
        }
        return self.do("Edit", given, "The file has been updated.", agent=agent)

    @property
    def made(self) -> list[Intervention]:
        """All interventions."""
        return [each.intervention for each in self.bed.events() if isinstance(each, Intervened)]

    @property
    def means(self) -> list[str]:
        return [each.means for each in self.made]

    @property
    def put_back(self) -> list[str]:
        """The checkpoints that the files were put back to."""
        return [each.checkpoint for each in self.made if each.checkpoint]


def _exit_code(error: str) -> int | None:
    """What the host reads in the first line of an error."""
    first = error.partition("\n")[0]
    return int(first.removeprefix("Exit code ")) if first.startswith("Exit code ") else None
