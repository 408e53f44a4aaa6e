"""Decide about a task whose attempt was lost: adopt, resume, requeue, park or close it.

Pure: the caller looks at processes, sessions and git, and writes the decision with its evidence to
the audit log. The first rule that fits decides; their order is the policy. The engine itself parks
a task that was lost too often.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

_SHOWN_COMMITS = 3


class OrphanAction(StrEnum):
    """What becomes of an orphaned task."""

    ADOPT = "adopt"
    """Its driver lives: it goes on."""
    RESUME = "resume"
    """A new driver goes on with the agent's session, in the same workspace."""
    REQUEUE = "requeue"
    """A new session starts, and is told about the last one."""
    PARK = "park"
    """It waits for a person."""
    CLOSE = "close"
    """It is finished already: nobody runs it again."""


class OrphanFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a task and its last attempt."""

    driver: int = 0
    """Its driver's process, if that is alive and ours."""
    has_workspace: bool = True
    has_work: bool = False
    """The workspace has uncommitted files, or commits since its base."""
    lacks: tuple[str, ...] = ()
    """Commits of the tasks that it depends on, which the workspace does not hold: its base is
    stale."""
    is_broken_off: bool = False
    """Its last attempt ended by accident, and nobody has touched its files since."""
    said_done: bool = False
    """Its agent had finished, and nobody handed in the result."""
    is_merged: bool = False
    """The target branch holds all of its commits, and there are some."""
    passes: bool = True
    """The verify command succeeds, or there is none."""
    has_session: bool = False
    """The host can go on with the agent's session."""


class OrphanDecision(msgspec.Struct, frozen=True):
    """The decision, and the evidence for the audit log."""

    action: OrphanAction
    rule: str
    """The name of the rule that decided."""
    evidence: tuple[str, ...] = ()
    """Sentences."""
    keeps_workspace: bool = True
    """The next attempt works where the last one did."""

    @property
    def says(self) -> str:
        """Return the decision and its evidence as one text."""
        return f"{self.action.value} ({self.rule}): {' '.join(self.evidence)}"


class OrphanRule(NamedTuple):
    """One row of the policy."""

    name: str
    fits: Callable[[OrphanFacts], bool]
    action: OrphanAction
    says: str
    keeps_workspace: bool = True


RULES: Sequence[OrphanRule] = (
    OrphanRule(
        "alive",
        lambda facts: facts.driver > 0,
        OrphanAction.ADOPT,
        "It goes on.",
    ),
    OrphanRule(
        "no workspace",
        lambda facts: not facts.has_workspace,
        OrphanAction.REQUEUE,
        "The next attempt starts in a new workspace.",
    ),
    OrphanRule(
        "finished",
        lambda facts: facts.is_broken_off and facts.said_done and facts.passes,
        OrphanAction.CLOSE,
        "The task is done, so nobody runs it again.",
    ),
    OrphanRule(
        "merged",
        lambda facts: facts.is_broken_off and facts.is_merged and facts.passes,
        OrphanAction.CLOSE,
        "The task is done, so nobody runs it again.",
    ),
    OrphanRule(
        "stale work",
        lambda facts: bool(facts.lacks) and facts.has_work,
        OrphanAction.PARK,
        "Merge the other work into its branch by hand, or run `handrail task clean` to start it "
        "afresh; then run `handrail task retry`.",
    ),
    OrphanRule(
        "stale base",
        lambda facts: bool(facts.lacks),
        OrphanAction.REQUEUE,
        "The next attempt starts in a new workspace, at today's commit.",
        keeps_workspace=False,
    ),
    OrphanRule(
        "session",
        lambda facts: facts.is_broken_off and facts.has_session,
        OrphanAction.RESUME,
        "The agent goes on with its session.",
    ),
    OrphanRule(
        "new session",
        lambda facts: True,
        OrphanAction.REQUEUE,
        "The next attempt goes on in the same workspace, in a new session.",
    ),
)
"""The first rule that fits decides."""

FIRST = OrphanDecision(OrphanAction.REQUEUE, "first attempt")
"""The decision about a task that nobody has tried yet."""


def decide(facts: OrphanFacts) -> OrphanDecision:
    """Decide what becomes of an orphaned task."""
    rule = next(rule for rule in RULES if rule.fits(facts))
    evidence = (*(line for say in _EVIDENCE if (line := say(facts))), rule.says)
    return OrphanDecision(rule.action, rule.name, evidence, rule.keeps_workspace)


def _says_driver(facts: OrphanFacts) -> str:
    return f"Its driver, process {facts.driver}, is alive." if facts.driver else ""


def _says_workspace(facts: OrphanFacts) -> str:
    if facts.driver:
        return ""
    if not facts.has_workspace:
        return "It has no workspace that can be used."
    return f"Its workspace holds {'work' if facts.has_work else 'no work'}."


def _says_end(facts: OrphanFacts) -> str:
    checked = "the verify command does not succeed" if not facts.passes else ""
    if facts.said_done:
        return f"Its agent had finished{', but ' + checked if checked else ''}."
    if facts.is_merged:
        return f"The target branch holds its commits{', but ' + checked if checked else ''}."
    return ""


def _says_lack(facts: OrphanFacts) -> str:
    if not facts.lacks:
        return ""
    named = ", ".join(commit[:12] for commit in facts.lacks[:_SHOWN_COMMITS])
    return f"It lacks newer work that it depends on: {named}."


def _says_session(facts: OrphanFacts) -> str:
    if facts.driver or not facts.has_workspace:
        return ""
    if not facts.is_broken_off:
        return "Its last attempt was not broken off by accident."
    return "" if facts.has_session else "The host cannot go on with its session."


_EVIDENCE: Sequence[Callable[[OrphanFacts], str]] = (
    _says_driver,
    _says_workspace,
    _says_end,
    _says_lack,
    _says_session,
)
"""One sentence for each fact, or "" if there is nothing to say."""
