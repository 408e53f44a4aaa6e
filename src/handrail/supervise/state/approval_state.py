"""The approvals of a run: questions to a person, and answers that were not used yet."""

import msgspec

from handrail.model.action_kind import ActionKind
from handrail.model.event import ActionReviewed, ApprovalAsked, ApprovalDecided

ALWAYS = "always"
"""Stands for the approval of an action that a person allowed for good."""
_MAX_KEPT = 100
_MAX_USED = 20


class Approval(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question about one action, and its answer."""

    id: str
    name: str
    """The fingerprint of the action."""
    says: str
    asked: float
    until: float
    """When it expires."""
    kinds: tuple[ActionKind, ...] = ()
    agent: str = ""
    approved: bool | None = None
    """None: nobody has answered yet."""
    by: str = ""
    reason: str = ""
    refused: bool = False
    """Handrail refuses the action unless a person approves it."""
    seq: int = 0
    """The event that asked; 0: unknown."""
    edited: dict[str, object] | None = None
    """The input that runs instead of the action's own."""
    edited_says: str = ""

    @property
    def notice(self) -> str:
        """Return the answer for an agent that no longer waits for it."""
        who = self.by or "A person"
        if self.approved and self.edited is not None:
            return (
                f"{who} approved `{self.says}` in another form: make exactly this call again, and "
                f"`{self.edited_says}` runs instead, once."
            )
        if self.approved:
            return f"{who} approved `{self.says}`: make exactly this call again, it may run once."
        why = f" ({self.reason})" if self.reason else ""
        return f"{who} denied `{self.says}`{why}: do not try it again."

    def is_open(self, now: float) -> bool:
        """Return whether it still waits for an answer."""
        return self.approved is None and now < self.until


class ApprovalState(msgspec.Struct, omit_defaults=True):
    """A fold of events, like the state around it."""

    kept: dict[str, Approval] = {}
    """By id, the oldest first; an approval that was used is gone."""
    used: list[Approval] = []
    """The last approvals that let an action through."""
    always: list[str] = []
    """The fingerprints of actions that a person has allowed for good."""

    def find(self, name: str, now: float) -> Approval | None:
        """Return the question or answer about an action that counts now, or None."""
        found = (each for each in self.kept.values() if each.name == name and now < each.until)
        return max(found, key=lambda each: each.asked, default=None)

    def unanswered(self, name: str, now: float) -> Approval | None:
        """Return the last question about an action that expired without an answer, or None."""
        found = (
            each
            for each in self.kept.values()
            if each.name == name and each.approved is None and now >= each.until
        )
        return max(found, key=lambda each: each.asked, default=None)

    def waiting(self, now: float) -> list[Approval]:
        """Return the questions without an answer, the oldest first."""
        return [each for each in self.kept.values() if each.is_open(now)]

    def ask(self, event: ApprovalAsked, seq: int) -> None:
        """Take in a question, with the number of its event; forget answers that have expired."""
        self.kept = {
            name: each
            for name, each in self.kept.items()
            if event.at < each.until or each.approved is None
        }
        self.kept[event.approval] = Approval(
            event.approval,
            event.name,
            event.says,
            event.at,
            event.until,
            event.kinds,
            event.agent,
            refused=event.refused,
            seq=seq,
        )
        while len(self.kept) > _MAX_KEPT:
            del self.kept[next(iter(self.kept))]

    def decide(self, event: ApprovalDecided) -> None:
        """Take in an answer; only the first one counts."""
        asked = self.kept.get(event.approval)
        if asked is not None and asked.is_open(event.at):
            self.kept[event.approval] = msgspec.structs.replace(
                asked,
                approved=event.approved,
                by=event.by,
                reason=event.reason,
                until=event.until,
                edited=event.edited,
                edited_says=event.edited_says,
            )
            if event.always and event.approved and asked.name not in self.always:
                self.always = [*self.always, asked.name][-_MAX_KEPT:]

    def use(self, event: ActionReviewed) -> None:
        """Take in a verdict: an approval counts once, a denial until it expires."""
        used = self.kept.get(event.approval)
        if used is not None and used.approved:
            del self.kept[event.approval]
            self.used = [*self.used, used][-_MAX_USED:]
