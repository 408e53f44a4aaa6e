"""The names of topics: every run has its own."""

RUNS = "run:"
"""The prefix of all runs' topics."""


def topic_of(run: str) -> str:
    """Return the topic of a run's events."""
    return RUNS + run


def run_of(topic: str) -> str:
    """Return the run of a topic."""
    return topic.removeprefix(RUNS)
