"""The signs of what became of an action, the same on the screen and at the command line."""

from typing import NamedTuple

from handrail.model.ordinal import Decision

MARKS = {
    Decision.ALLOW: ("✓", "green", ""),
    Decision.WARN: ("!", "yellow", "warned"),
    Decision.MODIFY: ("~", "yellow", "changed"),
    Decision.BLOCK: ("✗", "red", "stopped"),
}


class Status(NamedTuple):
    """What became of an action, in a sign and a few words."""

    mark: str
    style: str
    words: str
