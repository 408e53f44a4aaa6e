"""A saved point of a run, and its state at that time."""

import msgspec


class Checkpoint(msgspec.Struct, frozen=True, omit_defaults=True):
    """A saved point of a run: files, conversation position, state."""

    id: str
    run: str
    step: int
    """The last step in it."""
    commit: str
    at: float = 0.0
    why: str = ""


class StateSnapshot(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The state of a run that goes back with its files; findings and usage do not."""

    goal: str = ""
    last_prompt: str = ""
    created: tuple[str, ...] = ()
    """Files that the run had made itself."""
    tasks: dict[str, str] = {}
    """The state of each task."""
