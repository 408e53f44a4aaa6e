"""Actions that wait for a person."""

from typing import Literal

import msgspec

from handrail.api.messages.timeline import CommandPart, EffectRow, FactorRow


class ApprovalRow(msgspec.Struct, frozen=True):
    """One question, with everything that a person needs to answer it."""

    id: str
    run: str
    run_name: str
    goal: str
    says: str
    tool: str
    input: dict[str, object]
    cwd: str
    why: str
    """Why a person is asked."""
    kinds: tuple[str, ...]
    effects: tuple[EffectRow, ...]
    parts: tuple[CommandPart, ...]
    risk: float
    severity: str
    factors: tuple[FactorRow, ...]
    alternative: str
    rewritten: dict[str, object] | None
    changes: tuple[str, ...]
    asked: float
    until: float
    """When it expires."""
    state: Literal["waiting", "approved", "denied", "expired"]
    by: str
    reason: str
    editable: bool
    """Its input is a command or a text that a person may change."""
    always: str
    """The rule, as a diff of the settings, by which such actions would not be asked about again in
    this project; empty: there can be none."""


class ApprovalList(msgspec.Struct, frozen=True):
    """The open questions, the oldest first, then those answered lately."""

    items: tuple[ApprovalRow, ...]


class ApprovalDecision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person's answer."""

    decision: Literal["approve", "deny"]
    reason: str = ""
    edited: dict[str, object] | None = None
    """Another input, which is reviewed again and runs instead."""
    always: bool = False
    """Write the rule that `always` of the question showed."""


class ApprovalResult(msgspec.Struct, frozen=True):
    """What the answer came to."""

    ok: bool
    says: str
    approval: ApprovalRow
