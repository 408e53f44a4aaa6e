"""What topics are called: every run has one of its own."""

RUNS = "run:"
"""How the topics of all runs begin."""


def topic_of(run: str) -> str:
    """Where a run's events stand in the log."""
    return RUNS + run


def run_of(topic: str) -> str:
    """The run whose events stand there."""
    return topic.removeprefix(RUNS)
