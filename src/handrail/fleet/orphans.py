"""Decide about a task whose attempt has lost its driver: adopt, resume, requeue or park it.

Pure: the caller looks at leases, processes, sessions and git, and writes the decision and its
evidence to the audit log. The first rule that fits decides; their order is the policy.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from handrail.fleet.one_line import one_line

SAME_START = 0.05
"""Seconds between two readings of one process's start: systems count in ticks."""
_SHOWN_FILES = 3


class OrphanAction(StrEnum):
    """What becomes of an orphaned task."""

    ADOPT = "adopt"
    """Its driver lives: it goes on."""
    RESUME = "resume"
    """A new driver goes on with the agent's session, in the same workspace."""
    REQUEUE = "requeue"
    """A new attempt starts, and is told about the last one."""
    PARK = "park"
    """It waits for a person."""
    CLOSE = "close"
    """It is finished already: nobody runs it again."""


class DriverSign(StrEnum):
    """What the process table says about the driver of an attempt."""

    OURS = "ours"
    GONE = "gone"
    STRANGER = "stranger"
    """Another process has its number."""
    OTHER_BOOT = "other_boot"
    """The machine has been restarted, so no number means anything."""
    NEVER = "never"
    """There was none yet."""


class LastFailure(StrEnum):
    """How the last attempt failed, as far as that decides about the next."""

    NONE = "none"
    CRASH = "crash"
    SESSION = "session"
    """The agent could not go on with its session."""
    PERSON = "person"
    """A person stopped it."""
    INCIDENT = "incident"
    """Handrail stopped it in an emergency."""
    CONFLICT = "conflict"
    """Its work cannot be merged."""


class OrphanFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a task and its lost attempt."""

    lease_over: bool
    driver: DriverSign
    pid: int = 0
    has_session: bool
    """The host still has the agent's session, so it can go on."""
    is_finished: bool
    """The task was done, cancelled or merged meanwhile."""
    stale_files: tuple[str, ...] = ()
    """Files of this task that the target branch has changed since the attempt began."""
    has_changes: bool | None
    """The workspace has uncommitted files, or commits since its base; None: nobody could look."""
    expiries: int
    """Attempts that were lost, this one included."""
    max_expiries: int
    """0: any number."""
    failure: LastFailure = LastFailure.NONE

    @property
    def is_capped(self) -> bool:
        """Return whether it was lost too often to be tried again."""
        return 0 < self.max_expiries <= self.expiries

    @property
    def is_stale(self) -> bool:
        """Return whether the work stands on a base that no longer holds."""
        return bool(self.stale_files)


class OrphanDecision(msgspec.Struct, frozen=True):
    """The decision, and the evidence for the audit log."""

    action: OrphanAction
    rule: str
    """The name of the rule that decided."""
    evidence: tuple[str, ...]
    """Sentences."""
    keeps_workspace: bool
    """The next attempt works where the last one did."""

    @property
    def says(self) -> str:
        """Return the evidence as one text."""
        return " ".join(self.evidence)


def driver_sign(
    *, pid: int, began: float, boot: str, boot_now: str, alive_since: float | None
) -> DriverSign:
    """Compare the process of a lease with the process table.

    `began`: when the driver began; `alive_since`: when the process that has its number now began,
    None if there is none. Both in seconds since the boot.
    """
    if pid <= 0:
        return DriverSign.NEVER
    if not boot or boot != boot_now:
        return DriverSign.OTHER_BOOT
    if alive_since is None:
        return DriverSign.GONE
    return DriverSign.OURS if abs(alive_since - began) <= SAME_START else DriverSign.STRANGER


class OrphanRule(NamedTuple):
    """One row of the policy."""

    name: str
    fits: Callable[[OrphanFacts], bool]
    action: OrphanAction
    says: str
    keeps_workspace: bool = True


_NEEDS_PERSON = frozenset({LastFailure.PERSON, LastFailure.INCIDENT, LastFailure.CONFLICT})

RULES: Sequence[OrphanRule] = (
    OrphanRule(
        "finished",
        lambda facts: facts.is_finished,
        OrphanAction.CLOSE,
        "The task was finished meanwhile, so nobody runs it again.",
    ),
    OrphanRule(
        "too often",
        lambda facts: facts.is_capped,
        OrphanAction.PARK,
        "It was lost too often, so a person has to look at it.",
    ),
    OrphanRule(
        "needs a person",
        lambda facts: facts.failure in _NEEDS_PERSON,
        OrphanAction.PARK,
        "A person has to decide how it goes on.",
    ),
    OrphanRule(
        "alive",
        lambda facts: facts.driver is DriverSign.OURS,
        OrphanAction.ADOPT,
        "Its driver lives and is ours, so it goes on.",
    ),
    OrphanRule(
        "stale work",
        lambda facts: facts.is_stale and facts.has_changes is not False,
        OrphanAction.PARK,
        "Its work may be in conflict with the target branch, so a person has to look at it.",
    ),
    OrphanRule(
        "stale base",
        lambda facts: facts.is_stale,
        OrphanAction.REQUEUE,
        "It starts again on the target branch as it is now.",
        keeps_workspace=False,
    ),
    OrphanRule(
        "session",
        lambda facts: facts.has_session and facts.failure is not LastFailure.SESSION,
        OrphanAction.RESUME,
        "A new driver goes on with the agent's session.",
    ),
    OrphanRule(
        "work left",
        lambda facts: facts.has_changes is not False,
        OrphanAction.REQUEUE,
        "The next attempt goes on in the same workspace.",
    ),
    OrphanRule(
        "nothing left",
        lambda facts: True,
        OrphanAction.REQUEUE,
        "The next attempt starts in a new workspace.",
        keeps_workspace=False,
    ),
)
"""The first rule that fits decides."""


def decide(facts: OrphanFacts) -> OrphanDecision:
    """Decide what becomes of an orphaned task."""
    rule = next(rule for rule in RULES if rule.fits(facts))
    evidence = (*(line for say in _EVIDENCE if (line := say(facts))), rule.says)
    return OrphanDecision(rule.action, rule.name, evidence, rule.keeps_workspace)


_DRIVER = {
    DriverSign.OURS: "Its driver, process {}, is running.",
    DriverSign.GONE: "Its driver, process {}, is not running.",
    DriverSign.STRANGER: "Process {} is not its driver: it began at another time.",
    DriverSign.OTHER_BOOT: "The machine was restarted since its driver, process {}, began.",
    DriverSign.NEVER: "It had no driver yet.",
}
_FAILURE = {
    LastFailure.NONE: "",
    LastFailure.CRASH: "The last attempt crashed.",
    LastFailure.SESSION: "The agent could not go on with its session.",
    LastFailure.PERSON: "A person stopped the last attempt.",
    LastFailure.INCIDENT: "Handrail stopped the last attempt in an emergency.",
    LastFailure.CONFLICT: "The work of the last attempt cannot be merged.",
}
_CHANGES = {
    True: "The workspace has changes.",
    False: "The workspace has no changes.",
    None: "Nobody could look for changes in the workspace.",
}


def _says_stale(facts: OrphanFacts) -> str:
    if not facts.stale_files:
        return ""
    shown = ", ".join(one_line(name, 100) for name in facts.stale_files[:_SHOWN_FILES])
    left = len(facts.stale_files) - _SHOWN_FILES
    others = f" and {left:,} more" if left > 0 else ""
    return f"The target branch has changed the same files: {shown}{others}."


def _says_expiries(facts: OrphanFacts) -> str:
    if not facts.expiries:
        return ""
    times = "once" if facts.expiries == 1 else f"{facts.expiries:,} times"
    most = f" of at most {facts.max_expiries:,}" if facts.max_expiries else ""
    return f"It was lost {times}{most}."


_EVIDENCE: Sequence[Callable[[OrphanFacts], str]] = (
    lambda facts: "Its lease is over." if facts.lease_over else "Its lease still holds.",
    lambda facts: _DRIVER[facts.driver].format(facts.pid),
    lambda facts: _FAILURE[facts.failure],
    _says_expiries,
    _says_stale,
    lambda facts: _CHANGES[facts.has_changes],
    lambda facts: (
        "The host has the agent's session." if facts.has_session else "The host has no session."
    ),
)
"""One sentence for each fact, or "" if there is nothing to say."""
