"""Evidence that the files of a run got worse."""

import msgspec


class Worsening(msgspec.Struct, frozen=True):
    """A check that passed, or had fewer failures, before the agent's last edits."""

    says: str
    """The check and both results, without a period."""
    since: int
    """The step in which all was better."""
