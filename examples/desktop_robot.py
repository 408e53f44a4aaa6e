"""A robot that works in a graphical editor, with a watch beside it.

    python examples/desktop_robot.py notes.md

It needs a display on which the file is open in an editor. A real robot presses keys in `do`; this
one only says what it would type.
"""

import sys
from pathlib import Path

from handrail.desktop import DesktopCheck, SafePoint, Watch, WorkAbortedError, WorkerProgress

STEPS = ("a title", "a list", "a link", "an end")


class Robot:
    """Works step by step, and can be held between two of them."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.done = 0
        self.point = SafePoint()

    def work(self, watch: Watch) -> None:
        """Do all steps, with a look after each."""
        for step in STEPS:
            self.point.leave()  # waits while the watch holds the robot
            self.do(step)
            self.point.arrive()
            watch.check_now(f"after {step}")

    def do(self, step: str) -> None:
        """Do one step."""
        print(f"the robot types {step}")
        self.done += 1

    def pause(self, seconds: float) -> bool:
        """Stand still: something is in the way, or a person holds the run."""
        return self.point.hold(seconds)

    def resume(self) -> None:
        """Go on."""
        self.point.let_go()

    def abort(self) -> None:
        """End the work: a person stopped the run."""
        self.point.abort()

    def progress(self) -> WorkerProgress:
        """Tell the watch how far it is, and which file should be open."""
        return WorkerProgress(self.done, len(STEPS), str(self.file))


def tell(check: DesktopCheck) -> None:
    """Print what a look has seen, and what came of it."""
    did = ", ".join(step.action for step in check.steps)
    print(f"{check.context or 'meanwhile'}: {check.status} -> {check.outcome} {did}".strip())


if __name__ == "__main__":
    robot = Robot(Path(sys.argv[1]).resolve())
    # Whoever gives up ends the robot, too: else it would wait for a person.
    with Watch(
        worker=robot, on_check=tell, on_critical_failure=lambda _: robot.abort()
    ) as watching:
        try:
            robot.work(watching)
        except WorkAbortedError:
            sys.exit("a person has to look")
