"""How a command runs: its input, and what runs it."""

import msgspec


class CommandContext(msgspec.Struct, frozen=True, gc=False):
    """What surrounds a command: its input, its wrappers, and where it runs."""

    input: str | None = None
    """Its standard input, or None if unknown."""
    fed_by: tuple[int, ...] = ()
    """Indexes of commands whose output it gets, on its input or in its words."""
    input_from: tuple[int, ...] = ()
    """Indexes of commands whose output is its standard input."""
    shared: bool = False
    """Whether other commands read from the same input, each a part of it."""
    via: tuple[str, ...] = ()
    """Wrappers that run it, outermost first."""
    elsewhere: str = ""
    """The program that runs it elsewhere; empty if it runs on this machine."""
    concurrent: bool = False
    """Whether it runs in a pipeline or in the background, so that calling itself multiplies it."""


TOP_LEVEL = CommandContext()
