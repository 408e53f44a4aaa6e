"""Whether a run takes a control command now, and why not."""

from handrail.control.transitions import transition
from handrail.model.control import ENDING, HOLDING, ControlCommand, Standing
from handrail.views.run_overview import RunOverview

_HINTS: dict[Standing, str] = {
    **dict.fromkeys(HOLDING, "press r to resume it"),
    **dict.fromkeys(ENDING, "wait until it has ended"),
    Standing.RUNNING: "there is nothing to resume",
    Standing.STOPPED: "press r to resume it first",
}


def why_not(run: RunOverview, command: ControlCommand) -> str:
    """Return why a command is impossible now, or ""."""
    if run.problem:
        return f"{run.name} cannot be read: {run.problem}"
    if not run.active:
        return f"{run.name} has ended: nothing to {command.word}"
    if run.incident and command == ControlCommand.RESUME:
        return f"{run.name} was stopped in an emergency: handrail incident show {run.incident}"
    if transition(run.standing, command) is None:
        return f"no {command.word}: {run.name} is {run.standing.value}; {_HINTS[run.standing]}"
    if run.is_fleet and not command.spec.for_fleet:
        return f"no {command.word}: {run.name} stands for a fleet; choose the run of a task"
    if command.spec.no_driver and not run.driven:
        return f"no {command.word}: {run.name} was not started by handrail run"
    if command.spec.no_driver and run.left:
        return f"the driver of {run.name} is gone: handrail run --resume {run.name}"
    if command == ControlCommand.ROLLBACK and run.checkpoint is None:
        return f"no checkpoint of {run.name} yet; handrail checkpoints shows all there are"
    return ""
