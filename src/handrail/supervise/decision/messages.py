"""Word a person's messages for the agent."""

from collections.abc import Sequence

import msgspec

from handrail.model.event import ControlAsked
from handrail.model.review import Verdict


def said_to_agent(asked: ControlAsked) -> str:
    """One message."""
    who = asked.by or "The person who started you"
    why = f" ({asked.reason})" if asked.reason else ""
    return asked.command.spec.tells.format(who=who, why=why, text=asked.text)


def with_messages(verdict: Verdict, messages: Sequence[ControlAsked]) -> Verdict:
    """Return the verdict with the messages for the agent."""
    if not messages:
        return verdict
    said = (said_to_agent(each) for each in messages)
    return msgspec.structs.replace(verdict, guidance=(*verdict.guidance, *said))
