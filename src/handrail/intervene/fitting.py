"""Which means fit which kind of trouble."""

from collections.abc import Mapping

import msgspec

from handrail.model.intervention import Means
from handrail.model.ordinal import Severity

_SOFT = Means.SOFT_CORRECTION
_AGAIN = Means.CONTEXT_REINFORCEMENT
_SLOW = Means.RESOURCE_THROTTLING
_BACK = Means.CHECKPOINT_ROLLBACK
_STOP = Means.EMERGENCY_STOP

DEFAULT = "default"


class Row(msgspec.Struct, frozen=True):
    """What fits one kind of trouble."""

    places: tuple[str, ...]
    """Four means: for low, medium, high and critical."""
    at_once: Severity | None = None
    """From here on a stop may come first: each further action can do harm. None: never, because
    what such a run wastes is time, and that can wait for milder means."""

    @property
    def means(self) -> tuple[str, ...]:
        """The fitting ones, each once, from the mildest to the strongest."""
        return tuple(dict.fromkeys(self.places))


_WASTE = Row((_SOFT, _AGAIN, _BACK, _STOP))
_NOTHING_WRITTEN = Row((_SOFT, _AGAIN, _SLOW, _STOP))
"""There is nothing to put back, or it would not help."""

ROWS: dict[str, Row] = {
    "loop": _WASTE,
    "stall": _WASTE,
    "repetitive_errors": _WASTE,
    "goal_drift": _WASTE,
    "hallucination": _WASTE,
    "error_exploration_loop": _WASTE,
    "confused_state": _WASTE,
    "exploration_wandering": _NOTHING_WRITTEN,
    "repeated_refusals": _NOTHING_WRITTEN,
    # Files that are put back give no time, no calls and no memory back.
    "resource_spiral": _NOTHING_WRITTEN,
    "runaway_execution": _NOTHING_WRITTEN,
    "scope_creep": Row((_SOFT, _AGAIN, _BACK, _STOP)),
    # What has left the machine cannot be put back, only be kept from going on.
    "information_flow": Row((_SOFT, _AGAIN, _SLOW, _STOP), at_once=Severity.HIGH),
    DEFAULT: Row((_SOFT, _AGAIN, _BACK, _STOP), at_once=Severity.CRITICAL),
}


def row_for(kind: str, patterns: Mapping[str, tuple[str, ...]]) -> Row:
    """What fits a kind of trouble; settings come before what is known here."""
    known = ROWS.get(kind)
    usual = known or ROWS[DEFAULT]
    places = patterns.get(kind) or (patterns.get(DEFAULT) if known is None else None)
    return usual if places is None else Row(places, usual.at_once)
