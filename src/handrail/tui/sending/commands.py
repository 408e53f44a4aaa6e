"""The control commands on the screen: their keys, and what a person agrees to."""

from handrail.model.control import ControlCommand
from handrail.views.run_overview import RunOverview
from handrail.words.times import clock_time

BY_KEY = {command.spec.on_screen.key: command for command in ControlCommand}


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
