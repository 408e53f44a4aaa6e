"""The message to a person about an action that waits for them."""

from handrail.model.action import SHELL_TOOLS
from handrail.model.event import ApprovalAsked
from handrail.model.ordinal import Undo
from handrail.words.times import moment

_MAX_SAYS = 1500
"""Characters of the action: the link behind it must arrive."""


def approval_title(name: str) -> str:
    """Return the title; `name`: the run's project."""
    return f"Handrail · {' '.join(name.split())} is waiting for you"


def approval_body(event: ApprovalAsked, panel: str) -> str:
    """Return what the person has to know, and where to answer.

    `panel`: the address of the panel, or "". The link has no credential, and opening it changes
    nothing.
    """
    tool, _, what = event.says.partition(": ")
    wants = f"run: {what}" if tool.lower() in SHELL_TOOLS else f"use {event.says}"
    if len(wants) > _MAX_SAYS:
        wants = f"{wants[:_MAX_SAYS]} …"
    undo = any(effect.undo is Undo.IMPOSSIBLE for effect in event.review.effects)
    where = (
        f"Open: {panel.rstrip('/')}/approvals/{event.approval}"
        if panel
        else (f"Answer: handrail approve {event.approval}")
    )
    until = f"     It is denied at {moment(event.until, event.at)} if nobody answers."
    return (
        f"It wants to {wants}{'   (cannot be undone)' if undo else ''}\n"
        f"{where}{until if event.until else ''}"
    )
