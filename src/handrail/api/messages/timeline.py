"""The timeline of a run, and one action in full."""

from typing import Literal

import msgspec

from handrail.api.messages.runs import Tone


class RecoveryStepRow(msgspec.Struct, frozen=True):
    """One action of a recovery."""

    action: str
    """In the words of the vocabulary: `press Escape`."""
    says: str
    ok: bool
    error: str


class DesktopCheckRow(msgspec.Struct, frozen=True):
    """One look of a desktop watch at the screen: what it saw, did, and what came of that."""

    status: str
    """`normal`, `dialog`, `wrong_file`, `error`, `terminal`, `unknown`."""
    outcome: str
    """`normal`, `recovered`, `not_recovered`, `unsure`, `waiting`, `given_up`, `failed`."""
    confidence: float
    description: str
    says: str
    """What it saw, in a sentence: the description of the picture."""
    result: str
    """What came of it, in a few words; empty: nothing was wrong."""
    source: str
    """Who recognised it: `local`, `vision`, or nobody."""
    expected_file: str
    actual_file: str
    symptom: str
    attempt: int
    steps: tuple[RecoveryStepRow, ...]
    why: str
    raw_response: str
    """The answer of the model; the end of a long one is left out."""
    screenshot: str
    """The name of the picture; empty: none was kept."""
    after: str
    """The name of the picture after the recovery."""
    context: str
    ms: float
    cost_usd: float


class TimelineRow(msgspec.Struct, frozen=True):
    """One entry: an action with its end, or another event."""

    seq: int
    """The number of its event: newer versions of the row have the same."""
    at: float
    kind: Literal["action", "event", "finding", "intervention", "checkpoint", "control", "desktop"]
    mark: str
    tone: Tone
    text: str
    """The action in a line (without its tool), or the sentence of the event."""
    tool: str = ""
    step: int = 0
    decision: str = ""
    status: str = ""
    """How it ended: `12 ms`, `exit 1`, `stopped` …"""
    remark: str = ""
    """Why it was changed or stopped, or the first line of its error."""
    risk: float = 0.0
    agent: str = ""
    """The letter of the sub-agent."""
    added: int = 0
    removed: int = 0
    """Lines of an edit."""
    has_output: bool = False
    has_diff: bool = False
    undoable: bool = False
    about: tuple[int, ...] = ()
    """The steps that a finding is about."""
    checkpoints: tuple[str, ...] = ()
    over: bool = True
    desktop: DesktopCheckRow | None = None
    """The check of a desktop watch, if it is one."""


class TimelinePage(msgspec.Struct, frozen=True):
    """A part of a timeline, oldest first."""

    run: str
    items: tuple[TimelineRow, ...]
    first: int
    """The seq of the first event that was looked at: `before` of the page before it; 0: none."""
    last: int
    """The last event in it: `after` of the next page."""
    position: int
    """The last position of the log in it."""


class EffectRow(msgspec.Struct, frozen=True):
    """One effect of an action."""

    kind: str
    says: str
    target: str
    severity: str
    undo: str


class FactorRow(msgspec.Struct, frozen=True):
    """One number behind a risk."""

    name: str
    weight: float


class CommandPart(msgspec.Struct, frozen=True):
    """A simple command of the line as Handrail understood it."""

    text: str
    says: str
    blamed: bool


class ActionDetail(msgspec.Struct, frozen=True):
    """One action: what was asked, how Handrail understood it, what came of it."""

    run: str
    step: int
    at: float
    tool: str
    input: dict[str, object]
    cwd: str
    decision: str
    reason: str
    reasons: tuple[str, ...]
    alternatives: tuple[str, ...]
    rewritten: dict[str, object] | None
    changes: tuple[str, ...]
    restore: str
    """One command line that puts everything back."""
    risk: float
    severity: str
    factors: tuple[FactorRow, ...]
    rationality: float
    rationality_issues: tuple[str, ...]
    rules: tuple[str, ...]
    effects: tuple[EffectRow, ...]
    parts: tuple[CommandPart, ...]
    review_ms: float
    status: str
    ended: float | None
    ok: bool | None
    exit_code: int | None
    output: str
    """With its ANSI colours; its middle is left out if it is long."""
    error: str
    duration_ms: float
    diff: str
    """A unified diff of an edit, or of the files that it wrote."""
    created: tuple[str, ...]
    changed: tuple[str, ...]
    unforeseen: tuple[str, ...]
    """What it did besides what was reviewed."""
    checkpoints: tuple[str, ...]
    undoable: bool
    feedback: Literal["", "right", "wrong"]


class FindingRow(msgspec.Struct, frozen=True):
    """A finding, and what was done about it."""

    seq: int
    at: float
    step: int
    kind: str
    label: str
    says: str
    severity: str
    confidence: float
    impact: float
    evidence: tuple[int, ...]
    feedback: Literal["", "right", "wrong"]
    interventions: tuple["InterventionRow", ...]


class InterventionRow(msgspec.Struct, frozen=True):
    """An intervention and its measured effect."""

    id: str
    at: float
    step: int
    means: str
    label: str
    says: str
    """The text for the agent, or what was done."""
    score: float
    effect: Literal["open", "helped", "did not help"]
    effect_says: str
    """The same with how it was seen; the label is what it speaks of."""
    effect_step: int


class FindingList(msgspec.Struct, frozen=True):
    """All findings of a run, the latest first."""

    items: tuple[FindingRow, ...]
    next: str
    """The cursor of the next page; empty: this is the last one."""
