"""How a command is about to run."""

import msgspec


class CommandInput(msgspec.Struct, frozen=True, gc=False):
    """A command's input, and what it was found behind."""

    input: str | None = None
    """What stands on its standard input, where that is known."""
    fed_by: tuple[int, ...] = ()
    """Commands whose output it gets."""
    via: tuple[str, ...] = ()
    """Wrappers that it was found behind, outermost first."""
    elsewhere: str = ""
    """Where it runs, if not on this machine."""
    concurrent: bool = False
    """In a pipeline or in the background, so that calling itself multiplies it."""


ALONE = CommandInput()
