"""What cannot be read does not run: the review of it, and what to say about wrong syntax."""

import re

from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Review, Risk
from handrail.review.judgment.rationality import NEUTRAL_RATIONALITY
from handrail.shell import SyntaxFault

UNREAD_RISK = Risk(1.0, Severity.CRITICAL)
"""It is matched against the worst that it could be."""
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|#\d+);")
_PLAINLY = (
    "Correct it there (`bash -n` checks a script without running it), "
    "or run its commands one by one, each a plain one."
)
_UNESCAPED = "It is escaped as HTML: write `&`, `<`, `>` and quotes as they are."


def unreadable_review(problem: str, alternative: str) -> Review:
    """The review of what was not understood at all."""
    return Review(
        Decision.BLOCK,
        UNREAD_RISK,
        NEUTRAL_RATIONALITY,
        reasons=(reason_not_read(problem),),
        alternative=alternative,
        alternatives=(alternative,),
        confidence=0.0,
    )


def reason_not_read(problem: str) -> str:
    """The reason for not running what was not understood."""
    return f"It cannot be read, so it is not run: {problem}."


def problem_of(fault: SyntaxFault) -> str:
    """Where the syntax is wrong, and what is wrong with it."""
    near = fault.near.strip().replace("`", "'")
    place = f"line {fault.line}, near `{near}`" if near else f"the end, in line {fault.line}"
    return f"the syntax at {place}: {fault.says}"


def repair_of(fault: SyntaxFault) -> str:
    """What to write instead."""
    return _UNESCAPED if _ENTITY.search(fault.near) else _PLAINLY
