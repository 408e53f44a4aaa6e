"""Word a person's messages for the agent."""

from collections.abc import Sequence

from handrail.model.event import ControlAsked
from handrail.model.review import Verdict
from handrail.supervise.decision.verdict import with_notice


def said_to_agent(asked: ControlAsked) -> str:
    """One message."""
    who = asked.by or "The person who started you"
    why = f" ({asked.reason})" if asked.reason else ""
    return asked.command.spec.tells.format(who=who, why=why, text=asked.text)


def with_messages(verdict: Verdict, messages: Sequence[ControlAsked]) -> Verdict:
    """Return the verdict with the messages for the agent."""
    if not messages:
        return verdict
    return with_notice(verdict, *map(said_to_agent, messages))
