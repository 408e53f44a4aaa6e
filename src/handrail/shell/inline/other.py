"""Reads code without a reader of its own: the commands that it starts, and what it deletes."""

from handrail.shell.inline.code import Code
from handrail.shell.readers.languages import MAX_CODE, started_commands


def read(code: str) -> Code:
    """Return the command lines that such code starts; a deletion is shown as the equal `rm`."""
    return Code(scripts=tuple(dict.fromkeys(started_commands(code[:MAX_CODE]))))
