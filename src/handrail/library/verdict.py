"""The library's answers: the verdict on an action, and the result of a restore."""

import msgspec

from handrail.hosts.wording import refuses, told
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict


class ActionVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an action may run, with its input, and the text for the model."""

    id: str
    """The id of the call; `after` finds the action by it."""
    tool: str
    input: dict[str, object]
    """The input to run: the reviewed one, or Handrail's safer one."""
    allowed: bool
    decision: Decision
    reason: str = ""
    alternative: str = ""
    """The best alternative."""
    alternatives: tuple[str, ...] = ()
    """All alternatives, the best first."""
    guidance: str = ""
    """For the model: the reason of a refusal, the change of the input, or a hint; or empty."""
    restore: str = ""
    """A command line that puts back what the changed input moved away."""
    stop: bool = False
    """The run ends here: every further action is refused."""
    alarm: str = ""
    """A text that the person who runs this program must see at once."""


def action_verdict(
    call: str, tool: str, given: dict[str, object], verdict: Verdict
) -> ActionVerdict:
    """Return the program's view of a verdict."""
    changed = verdict.updated_input if verdict.decision is Decision.MODIFY else None
    return ActionVerdict(
        id=call,
        tool=tool,
        input=given if changed is None else changed,
        allowed=not refuses(verdict),
        decision=verdict.decision,
        reason=verdict.reason,
        alternative=verdict.alternative,
        alternatives=tuple(filter(None, (verdict.alternative, *verdict.alternatives))),
        guidance=told(verdict, ask=False),
        restore=verdict.restore,
        stop=verdict.stop,
        alarm=verdict.alarm,
    )


class RestoredFiles(msgspec.Struct, frozen=True):
    """The result of a restore."""

    files: tuple[str, ...]
    """Every file that changed."""
    undo: str
    """The checkpoint taken just before; `rollback` to it undoes the restore."""
    spared: tuple[str, ...] = ()
    """Files left alone, because others have changed them since."""
