"""Emergency stops."""

import msgspec


class IncidentRow(msgspec.Struct, frozen=True):
    """One emergency stop in a list."""

    id: str
    run: str
    run_name: str
    at: float
    says: str
    cause: str
    open: bool
    decided: str
    """How a person decided; empty: nobody has yet."""


class IncidentList(msgspec.Struct, frozen=True):
    """All incidents, open ones first."""

    items: tuple[IncidentRow, ...]
    next: str
    """The cursor of the next page; empty: this is the last one."""


class RecoveryRow(msgspec.Struct, frozen=True):
    """A way on."""

    option: str
    label: str
    says: str
    possible: bool
    why_not: str


class IncidentDetail(msgspec.Struct, frozen=True):
    """The report of a stop, and the ways on."""

    row: IncidentRow
    report: str
    """Markdown."""
    timeline: tuple[str, ...]
    """What happened, one line of Markdown each."""
    left: tuple[str, ...]
    """Processes that are still alive."""
    options: tuple[RecoveryRow, ...]


class RecoveryOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person's decision."""

    option: str
    note: str = ""
    """For the agent."""


class RecoveryAnswer(msgspec.Struct, frozen=True):
    """What the decision came to."""

    says: str
    incident: IncidentRow
    lines: tuple[str, ...]
    """The same without the command, a sentence or two each."""
    next: str
    """The command by which the run goes on; empty: it needs none."""
    problem: str
    """Why the rollback failed."""
