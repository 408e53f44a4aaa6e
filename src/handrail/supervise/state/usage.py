"""The usage of a run."""

import msgspec

MAX_RISKS = 24


class RunUsage(msgspec.Struct, omit_defaults=True):
    """The usage of a run, and its decisions."""

    decided: dict[str, int] = {}
    """The number of each decision."""
    asked: int = 0
    overruled: int = 0
    ran: int = 0
    failed: int = 0
    breaches: int = 0
    faults: int = 0
    right: int = 0
    wrong: int = 0
    tokens: int = 0
    opinions: int = 0
    """The number of second opinions."""
    risks: list[float] = []
    """The risk of the last actions, for people to look at."""
    tool_ms: float = 0.0
    review_ms: float = 0.0

    def add_risk(self, score: float) -> None:
        """Take in the risk of an action."""
        self.risks.append(round(score, 2))
        if len(self.risks) > MAX_RISKS:
            del self.risks[0]
