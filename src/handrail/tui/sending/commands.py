"""The control commands on the screen: their keys, and why one may be impossible now."""

from handrail.control.transitions import transition
from handrail.model.control import ENDING, HOLDING, ControlCommand, Standing
from handrail.views.run_overview import RunOverview
from handrail.words.times import clock_time

BY_KEY = {command.spec.on_screen.key: command for command in ControlCommand}
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
    if command.spec.no_driver and not run.driven:
        return f"no {command.word}: {run.name} was not started by handrail run"
    if command.spec.no_driver and run.left:
        return f"the driver of {run.name} is gone: handrail run --resume {run.name}"
    if command == ControlCommand.ROLLBACK and run.checkpoint is None:
        return f"no checkpoint of {run.name} yet; handrail checkpoints shows all there are"
    return ""


def what_will_happen(run: RunOverview, command: ControlCommand) -> str:
    """Return what the user agrees to."""
    saved = run.checkpoint
    if command != ControlCommand.ROLLBACK or saved is None:
        return command.spec.on_screen.will.format(name=run.name)
    since = max(run.step - saved.step, 0)
    why = f" ({saved.why})" if saved.why else ""
    return (
        f"Handrail rolls the files of {run.name} back to {clock_time(saved.at)}{why}, {since} "
        f"actions ago, and saves them first: handrail redo takes it back. To see the files "
        f"first: handrail undo --run {run.name}"
    )


def text_for(run: RunOverview, command: ControlCommand) -> str:
    """Return the text of a command that needs no question: the checkpoint of a rollback."""
    is_rollback = command == ControlCommand.ROLLBACK and run.checkpoint is not None
    return run.checkpoint.id if is_rollback and run.checkpoint else ""
