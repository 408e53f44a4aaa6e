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
    refused: bool
    """Handrail refuses it unless the person approves it."""
    would: str
    """What it would do, in a line."""
    tests: str
    """How the last test run before it ended: `passed at 02:02`; empty: nobody knows."""
    edited: dict[str, object] | None
    """The input that the person let run instead."""
    edited_says: str
    editable: bool
    """Its input is a command or a text that a person may change."""
    always: str
    """The rule, as a diff of the settings, by which such actions would not be asked about again in
    this project; empty: there can be none."""
    no_rule: str
    """Why there can be no such rule."""


class ApprovalList(msgspec.Struct, frozen=True):
    """The open questions, the oldest first, then those answered lately."""

    items: tuple[ApprovalRow, ...]
    next: str
    """The cursor of the next page; empty: this is the last one."""


class ApprovalDecision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person's answer."""

    decision: Literal["approve", "deny"]
    reason: str = ""
    edited: dict[str, object] | None = None
    """Values of the input that replace the action's own; it is reviewed again, and runs instead."""
    always: bool = False
    """Write the rule that `always` of the question showed."""


class EditOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another input for an action that waits, to see its verdict."""

    edited: dict[str, object]
    """Values of the input that replace the action's own."""


class EditVerdict(msgspec.Struct, frozen=True):
    """The verdict on an edited action, before anybody approves it."""

    input: dict[str, object]
    says: str
    possible: bool
    """It can be approved."""
    decision: str
    reason: str
    alternative: str
    rewritten: dict[str, object] | None
    """What runs, if Handrail changes it once more."""
    changes: tuple[str, ...]
    effects: tuple[EffectRow, ...]
    parts: tuple[CommandPart, ...]
    risk: float
    severity: str


class ApprovalResult(msgspec.Struct, frozen=True):
    """What the answer came to."""

    ok: bool
    says: str
    runs: str
    """What runs instead; empty: the action itself, or nothing."""
    note: str
    """What else the person has to know or do."""
    approval: ApprovalRow
