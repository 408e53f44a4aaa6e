"""A command line as a program: its simple commands, in the order in which they run."""

import msgspec

from handrail.model.effect import Effect
from handrail.shell.word import Word


class Redirect(msgspec.Struct, frozen=True, gc=False):
    """A file that the shell itself opens for a command."""

    operator: str
    target: Word
    descriptor: str = ""
    """The number in front of the operator (`2>`), if there is one."""

    @property
    def writes(self) -> bool:
        """Whether the file is changed by opening it."""
        return ">" in self.operator

    @property
    def takes_output(self) -> bool:
        """Whether standard output goes there instead of on."""
        return self.writes and self.descriptor in {"", "1"}

    @property
    def appends(self) -> bool:
        return ">>" in self.operator


class Command(msgspec.Struct, frozen=True, gc=False):
    """One simple command with everything that decides what it does."""

    argv: tuple[Word, ...]
    cwd: Word
    span: tuple[int, int] = (-1, -1)
    """Where it stands in the source, in bytes; (-1, -1) if it was found inside a string."""
    redirects: tuple[Redirect, ...] = ()
    assignments: tuple[tuple[str, Word], ...] = ()
    via: tuple[str, ...] = ()
    """Wrappers that it was found behind, outermost first (`sudo`, `xargs`)."""
    elsewhere: str = ""
    """The program that takes it to another machine or into a container; empty: it runs here."""
    input: str | None = None
    """What stands on its standard input, where that is known."""
    fed_by: tuple[int, ...] = ()
    """Commands whose output it gets by pipe, substitution or redirect."""

    @property
    def name(self) -> str:
        """The program's name without its folder."""
        return self.argv[0].text.rpartition("/")[2] if self.argv else ""

    @property
    def text(self) -> str:
        """The command as a person would write it."""
        return " ".join(word.shown if word.text else "''" for word in self.argv)


class ProgramNote(msgspec.Struct, frozen=True, gc=False):
    """Something about the program that its commands alone do not show."""

    kind: str
    says: str
    command: int


class SyntaxFault(msgspec.Struct, frozen=True, gc=False):
    """A place where the syntax cannot be read."""

    line: int
    near: str
    """The text there."""
    says: str = ""
    """What is wrong with it, where that is known."""


class ParsedProgram(msgspec.Struct, frozen=True):
    """What a command line does, as far as it can be known."""

    commands: tuple[Command, ...]
    notes: tuple[ProgramNote, ...] = ()
    found: tuple[Effect, ...] = ()
    """What code of other languages does; paths are as written there."""
    files: tuple[tuple[str, str], ...] = ()
    """Text that it writes into files, as far as it is known."""
    fault: SyntaxFault | None = None
    """The first error in its syntax, behind which parts may have been missed."""

    @property
    def broken(self) -> bool:
        """Whether the syntax has errors."""
        return self.fault is not None
