"""A saved point of a run, and what the run knew then."""

import msgspec


class Checkpoint(msgspec.Struct, frozen=True, omit_defaults=True):
    """A saved point of a run: files, conversation position, state."""

    id: str
    run: str
    step: int
    """The last step that it contains."""
    commit: str
    at: float = 0.0
    why: str = ""


class StateSnapshot(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What a run knew that goes back with its files; what was detected and spent does not."""

    goal: str = ""
    last_prompt: str = ""
    created: tuple[str, ...] = ()
    """Files that the run had made itself."""
    tasks: dict[str, str] = {}
    """By task, how far it was."""
