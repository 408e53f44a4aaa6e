"""The usage of a run."""

import msgspec

from handrail.model.event import UsageSampled

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
    cost_usd: float = 0.0
    """The cost of the measured tokens; 0: not known."""
    unpriced: tuple[str, ...] = ()
    """Models without a price: the cost is not known."""
    memory_mb: float = 0.0
    """The last measured memory of the agent and all processes below it."""
    peak_mb: float = 0.0
    """The peak of `memory_mb`."""
    looks_usd: float = 0.0
    """What a model cost that a desktop watch asked."""

    def sample(self, event: UsageSampled) -> None:
        """Take in a measurement."""
        self.tokens = max(self.tokens, event.tokens)
        self.cost_usd, self.unpriced = event.cost_usd, event.unpriced
        self.memory_mb = event.memory_mb
        self.peak_mb = max(self.peak_mb, event.memory_mb)

    def add_risk(self, score: float) -> None:
        """Take in the risk of an action."""
        self.risks.append(round(score, 2))
        if len(self.risks) > MAX_RISKS:
            del self.risks[0]
