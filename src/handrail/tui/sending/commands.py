"""What a person can ask for: by which key, with which questions, and when it is not possible."""

from handrail.control.transitions import transition
from handrail.model.control import ControlCommand, Standing
from handrail.tui.state.run_overview import RunOverview
from handrail.words.times import clock_time

BY_KEY = {command.spec.on_screen.key: command for command in ControlCommand}
_HINTS: dict[Standing, str] = {
    Standing.RUNNING: "there is nothing to resume",
    Standing.PAUSING: "wait for that, or press r to take it back",
    Standing.PAUSED: "r resumes it",
    Standing.INTERRUPTING: "wait for that, or press r to take it back",
    Standing.FREEZING: "wait for that, or press r to take it back",
    Standing.FROZEN: "r resumes it",
    Standing.STOPPING: "wait until that is done",
    Standing.STOPPED: "r takes it up again first",
    Standing.CANCELLING: "wait until that is done",
}


def why_not(run: RunOverview, command: ControlCommand) -> str:
    """Why a command cannot be done now; empty: it can."""
    if run.problem:
        return f"{run.name} cannot be read: {run.problem}"
    if not run.active:
        return f"{run.name} has ended: nothing to {command.word}"
    if run.incident and command == ControlCommand.RESUME:
        return f"{run.name} was stopped in an emergency: handrail incident show {run.incident}"
    if transition(run.standing, command) is None:
        return f"no {command.word}: {run.name} is {run.standing.value}; {_HINTS[run.standing]}"
    if command.spec.no_driver and not run.driven:
        return f"no {command.word}: Handrail has not started {run.name} itself (handrail run does)"
    if command.spec.no_driver and run.left:
        return f"nobody drives {run.name} any more: handrail run --resume {run.name}"
    if command == ControlCommand.ROLLBACK and run.checkpoint is None:
        return f"no checkpoint of {run.name} yet; handrail checkpoints shows all there are"
    return ""


def what_will_happen(run: RunOverview, command: ControlCommand) -> str:
    """What a person agrees to."""
    saved = run.checkpoint
    if command != ControlCommand.ROLLBACK or saved is None:
        return command.spec.on_screen.will.format(name=run.name)
    since = max(run.step - saved.step, 0)
    why = f" ({saved.why})" if saved.why else ""
    return (
        f"The files of {run.name} go back to {clock_time(saved.at)}{why}, {since} actions ago. "
        f"They are saved before: handrail redo takes it back. To see first which files: "
        f"handrail undo --run {run.name}"
    )


def text_for(run: RunOverview, command: ControlCommand) -> str:
    """What a command is about, where nobody has to be asked for it."""
    is_rollback = command == ControlCommand.ROLLBACK and run.checkpoint is not None
    return run.checkpoint.id if is_rollback and run.checkpoint else ""
