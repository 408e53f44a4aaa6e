"""The end of a call: was it the permitted one, and did it do what was reviewed?"""

from collections.abc import Callable
from typing import NamedTuple

from handrail.model.event import ActionEnded, BreachFound, Event
from handrail.model.history import History
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.redact import Redactor
from handrail.review import Reviewer
from handrail.supervise.followup.after_review import after_event, review_after, told_after_review
from handrail.supervise.followup.breach import (
    EndedCall,
    find_breach,
    ran_as_judged,
    without_env,
)
from handrail.supervise.state.open_action import OpenAction

_FINE = Verdict(Decision.ALLOW)
_LOOK = "Look at what it did; `handrail doctor` says whether refusals are enforced."


class CallEnd(NamedTuple):
    """The verdict on a call that has ended, and the events about it."""

    verdict: Verdict
    events: list[Event]
    is_breach: bool


def end_of_call(
    known: OpenAction | None,
    ended: EndedCall,
    command: str,
    reviewer: Reviewer,
    past: Callable[[], History],
    redactor: Redactor,
    at: float,
) -> CallEnd:
    """Compare a call with the permitted one; `known`: that one, None if there is none.

    `command`: the fingerprint of its command line.
    """
    found: list[Event] = []
    problem = ""
    if known is None or not ran_as_judged(known, ended, command):
        problem = find_breach(known, ended, reviewer, past())
    if problem:
        found.append(BreachFound(at, problem, known.step if known else 0, ended.action))
    verdict = _FINE
    if known is not None:
        after = review_after(known, ended, reviewer, past)
        if after is not None:
            found.append(after_event(at, known.step, after))
            if not known.asked:
                verdict = told_after_review(verdict, known.step, after)
        of_host = known.asked and not known.let_through
        overruled = of_host or (known.overruled and known.let_through)
        outcome = without_env(ended, redactor)
        found.append(ActionEnded(at, known.step, outcome, ended.created, ended.changed, overruled))
    if problem:
        verdict = Verdict(Decision.BLOCK, problem, _LOOK, stop=True, alarm=f"{problem} {_LOOK}")
    return CallEnd(verdict, found, bool(problem))
