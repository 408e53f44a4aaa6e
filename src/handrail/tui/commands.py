"""What a person can ask for: by which key, with which questions, and when it is not possible."""

import msgspec

from handrail.control.machine import move
from handrail.model.control import Command, Standing
from handrail.tui.moments import clock
from handrail.tui.overview import Overview


class Offer(msgspec.Struct, frozen=True):
    """One command."""

    key: str
    command: Command
    word: str
    will: str
    """What it does, in a sentence; `{name}` is the run."""
    needs: str = ""
    """What it cannot do without, as a question; empty: nothing."""
    grave: bool = False
    """It has to be confirmed."""


OFFERS = (
    Offer("p", Command.PAUSE, "pause", "Nothing new begins in {name} after what runs now."),
    Offer("r", Command.RESUME, "resume", "{name} goes on."),
    Offer("s", Command.STEER, "steer", "{name} reads it at its next step.", "tell the agent"),
    Offer("d", Command.REDIRECT, "redirect", "{name} gets another goal.", "the new goal"),
    Offer(
        "e", Command.ESCALATE, "escalate", "{name} uses another model from its next call on.",
        "the model, such as opus",
    ),
    Offer("c", Command.CHECKPOINT, "checkpoint", "The files of {name} are saved."),
    Offer("u", Command.ROLLBACK, "undo", "", grave=True),
    Offer("f", Command.FREEZE, "freeze", "All processes of {name} stop where they are."),
    Offer(
        "i", Command.INTERRUPT, "interrupt",
        "What {name} is doing is broken off, the model's answer too; then it is paused.",
    ),
    Offer(
        "x", Command.STOP, "stop",
        "The files of {name} are saved, then all its processes are ended. r takes it up again.",
        grave=True,
    ),
    Offer(
        "K", Command.CANCEL, "cancel",
        "All processes of {name} are ended FOR GOOD: it can not be resumed.",
        grave=True,
    ),
)  # fmt: skip
BY_KEY = {offer.key: offer for offer in OFFERS}
_DRIVEN_ONLY = frozenset({Command.INTERRUPT, Command.ESCALATE})
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


def why_not(run: Overview, offer: Offer) -> str:
    """Why a command cannot be done now; empty: it can."""
    if run.problem:
        return f"{run.name} cannot be read: {run.problem}"
    if not run.active:
        return f"{run.name} has ended: nothing to {offer.word}"
    if run.incident and offer.command == Command.RESUME:
        return f"{run.name} was stopped in an emergency: handrail incident show {run.incident}"
    if move(run.standing, offer.command) is None:
        return f"no {offer.word}: {run.name} is {run.standing.value}; {_HINTS[run.standing]}"
    if offer.command in _DRIVEN_ONLY and not run.driven:
        return f"no {offer.word}: Handrail has not started {run.name} itself (handrail run does)"
    if offer.command in _DRIVEN_ONLY and run.left:
        return f"nobody drives {run.name} any more: handrail run --resume {run.name}"
    if offer.command == Command.ROLLBACK and run.checkpoint is None:
        return f"no checkpoint of {run.name} yet; handrail checkpoints shows all there are"
    return ""


def what_will_happen(run: Overview, offer: Offer) -> str:
    """What a person agrees to."""
    saved = run.checkpoint
    if offer.command != Command.ROLLBACK or saved is None:
        return offer.will.format(name=run.name)
    since = max(run.step - saved.step, 0)
    why = f" ({saved.why})" if saved.why else ""
    return (
        f"The files of {run.name} go back to {clock(saved.at)}{why}, {since} actions ago. They are "
        f"saved before: handrail redo takes it back. To see first which files: "
        f"handrail undo --run {run.name}"
    )


def text_for(run: Overview, offer: Offer) -> str:
    """What a command is about, where nobody has to be asked for it."""
    is_rollback = offer.command == Command.ROLLBACK and run.checkpoint is not None
    return run.checkpoint.id if is_rollback and run.checkpoint else ""
