"""Word what agents and people are told."""

from collections.abc import Sequence

from handrail.model.event import ControlAsked
from handrail.model.review import Verdict
from handrail.supervise.decision.verdict import with_notice


def said_to_agent(asked: ControlAsked) -> str:
    """One message."""
    who = asked.by or "The person who started you"
    why = f" ({asked.reason})" if asked.reason else ""
    return asked.command.spec.tells.format(who=who, why=why, text=asked.text)


def named(paths: Sequence[str], most: int) -> str:
    """The first few of these paths, and the number of the others."""
    more = f" and {len(paths) - most} more" if len(paths) > most else ""
    return f"{', '.join(paths[:most])}{more}"


def with_messages(verdict: Verdict, messages: Sequence[ControlAsked]) -> Verdict:
    """Return the verdict with the messages for the agent."""
    if not messages:
        return verdict
    return with_notice(verdict, *map(said_to_agent, messages))
