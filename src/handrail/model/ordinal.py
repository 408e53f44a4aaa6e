"""Named values with an order, so that the worst of several is a plain `max`."""

from enum import Enum


class Ordinal(Enum):
    """An enum whose members are ordered as they are written."""

    rank: int

    def __init__(self, value: str) -> None:
        self.rank = len(type(self).__members__)

    # Written out, because every review compares a dozen times: total_ordering is slow.

    def __lt__(self, other: object) -> bool:
        if self.__class__ is not other.__class__:
            return NotImplemented
        return self.rank < other.rank

    def __le__(self, other: object) -> bool:
        if self.__class__ is not other.__class__:
            return NotImplemented
        return self.rank <= other.rank

    def __gt__(self, other: object) -> bool:
        if self.__class__ is not other.__class__:
            return NotImplemented
        return self.rank > other.rank

    def __ge__(self, other: object) -> bool:
        if self.__class__ is not other.__class__:
            return NotImplemented
        return self.rank >= other.rank

    def __str__(self) -> str:
        return str(self.value)

    def __hash__(self) -> int:
        return hash(self._name_)


class Severity(Ordinal):
    """How bad an effect, a risk or a finding is."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Decision(Ordinal):
    """The decision about an action, from the mildest to the strictest."""

    ALLOW = "allow"
    WARN = "warn"
    MODIFY = "modify"
    BLOCK = "block"

    @property
    def stops(self) -> bool:
        """Return whether the action does not run as requested."""
        return self.rank >= Decision.MODIFY.rank


class Undo(Ordinal):
    """The effort to undo an effect, from nothing to impossible."""

    NEEDLESS = "needless"
    CHECKPOINT = "checkpoint"
    UNKNOWN = "unknown"
    IMPOSSIBLE = "impossible"
