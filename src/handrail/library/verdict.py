"""What a program gets back for an action, and for files that were put back."""

import msgspec

from handrail.hosts.wording import refuses, told
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict


class ActionVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an action may run, with which input, and what to tell the model."""

    id: str
    """Of the call; `after` finds the action by it."""
    tool: str
    input: dict[str, object]
    """What to run: the input that was reviewed, or what Handrail has made of it."""
    allowed: bool
    decision: Decision
    reason: str = ""
    alternative: str = ""
    """What can be done instead."""
    guidance: str = ""
    """For the model: why it was refused, what was changed, or a hint; empty: nothing to say."""
    restore: str = ""
    """A command line that puts back what the changed input moved away."""
    stop: bool = False
    """The run ends here: every further action is refused."""
    alarm: str = ""
    """What the person who runs this program must see at once."""


def action_verdict(
    call: str, tool: str, given: dict[str, object], verdict: Verdict
) -> ActionVerdict:
    """What a verdict means for the program that asked."""
    changed = verdict.updated_input if verdict.decision is Decision.MODIFY else None
    return ActionVerdict(
        id=call,
        tool=tool,
        input=given if changed is None else changed,
        allowed=not refuses(verdict),
        decision=verdict.decision,
        reason=verdict.reason,
        alternative=verdict.alternative,
        guidance=told(verdict, ask=False),
        restore=verdict.restore,
        stop=verdict.stop,
        alarm=verdict.alarm,
    )


class RestoredFiles(msgspec.Struct, frozen=True):
    """What was put back."""

    files: tuple[str, ...]
    """Every file that is other than it was."""
    undo: str
    """The checkpoint that was taken just before; `rollback` to it takes this back."""
    spared: tuple[str, ...] = ()
    """Files that were left alone, because others have changed them since."""
