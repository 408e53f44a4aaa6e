"""Names that people give to checkpoints."""

import re

from handrail.checkpoint.errors import CheckpointError

MAX_NAME = 60
_NAME = re.compile(r"[\w.-]+", re.ASCII)
_LIKE_AN_ID = re.compile(r"c\d+|[0-9a-f]{7,}")


class BadNameError(CheckpointError, ValueError):
    """A checkpoint cannot be called that."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"a checkpoint cannot be called {name!r}: {why}")
        self.name = name
        self.why = why


def check_name(name: str) -> str:
    """A name that is no id and can be typed without quotes; raises BadNameError."""
    if not _NAME.fullmatch(name) or name.startswith(("-", ".")):
        raise BadNameError(name, "use letters, digits, and . _ - inside it (before-refactor)")
    if len(name) > MAX_NAME:
        raise BadNameError(name, f"it has more than {MAX_NAME} characters")
    if _LIKE_AN_ID.fullmatch(name):
        raise BadNameError(name, "it looks like an id")
    return name
