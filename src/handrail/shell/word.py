"""A word of a command line after expansion, as far as it can be known before it runs."""

import msgspec

OPAQUE = "\ufffc"
"""Stands in a word's text for a part whose value is only known at run time."""


class Word(msgspec.Struct, frozen=True, gc=False):
    """One argument: its value, with `OPAQUE` for what cannot be known."""

    text: str
    glob: bool = False
    """Holds wildcards that the shell would expand."""
    raw: str = ""
    """How it was written, where that differs from the value."""

    @property
    def exact(self) -> bool:
        """Whether the whole value is known."""
        return OPAQUE not in self.text

    @property
    def shown(self) -> str:
        """The word for a person: the value, or how it was written where that is unknown."""
        return self.text if self.exact else (self.raw or self.text.replace(OPAQUE, "…"))


UNKNOWN = Word(OPAQUE)
