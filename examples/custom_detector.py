"""A detector of your own: it notices an agent that prints more than anybody can read.

    python examples/custom_detector.py

In a package of your own, an entry point does the same for the daemon:

    [project.entry-points."handrail.detectors"]
    long_outputs = "your_package:LongOutputs"
"""

import tempfile
from typing import ClassVar

from handrail import (
    CompletedStep,
    Detection,
    Detector,
    Finding,
    FindingDescription,
    Severity,
    Supervisor,
)

LONG = 1_000


class LongOutputs(Detector):
    """Three long outputs in a row. The fields are saved with the run."""

    kind: ClassVar[str] = "long_outputs"
    about: ClassVar[FindingDescription] = FindingDescription(
        label="long outputs",
        meaning="The agent prints so much that it cannot see what matters.",
        hints=("{says} Use head, tail or grep.",),
    )
    steps: tuple[int, ...] = ()

    def see(self, deed: CompletedStep) -> None:
        """Take in the next action."""
        is_long = len(deed.outcome.output) >= LONG
        self.steps = (*self.steps, deed.step) if is_long else ()

    def find(self, settings: Detection) -> Finding | None:
        """The trouble, if there is any."""
        if len(self.steps) < 3:
            return None
        says = f"The last {len(self.steps)} commands printed a lot."
        return Finding(self.kind, Severity.LOW, 0.9, self.steps, says=says)


def main() -> None:
    """Print what the agent is told."""
    with (
        tempfile.TemporaryDirectory() as project,
        Supervisor(folder=project, detectors=[LongOutputs]) as supervisor,
    ):
        for name in "abcd":
            verdict = supervisor.before("Bash", {"command": f"cat {name}.log"})
            if said := supervisor.after(verdict, name * 5_000, exit_code=0):
                print(said)
        print([finding.kind for finding in supervisor.findings])


if __name__ == "__main__":
    main()
