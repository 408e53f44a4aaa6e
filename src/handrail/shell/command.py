"""A command line as a program: its simple commands, in the order in which they run."""

import msgspec

from handrail.model.effect import Effect
from handrail.shell.word import Word


class Redirect(msgspec.Struct, frozen=True, gc=False):
    """A file that the shell opens for a command."""

    operator: str
    target: Word
    descriptor: str = ""
    """The number in front of the operator (`2>`), if there is one."""

    @property
    def writes(self) -> bool:
        """Whether opening the file changes it."""
        return ">" in self.operator

    @property
    def takes_output(self) -> bool:
        """Whether the file takes the standard output."""
        return self.writes and self.descriptor in {"", "1"}

    @property
    def appends(self) -> bool:
        return ">>" in self.operator


class Command(msgspec.Struct, frozen=True, gc=False):
    """One simple command, with everything that decides its effects."""

    argv: tuple[Word, ...]
    cwd: Word
    span: tuple[int, int] = (-1, -1)
    """Its byte range in the source, or (-1, -1) if it was found inside a string."""
    redirects: tuple[Redirect, ...] = ()
    assignments: tuple[tuple[str, Word], ...] = ()
    via: tuple[str, ...] = ()
    """Wrappers that run it, outermost first (`sudo`, `xargs`)."""
    elsewhere: str = ""
    """The program that runs it on another machine or in a container; empty if it runs here."""
    input: str | None = None
    """Its standard input, or None if unknown."""
    fed_by: tuple[int, ...] = ()
    """Indexes of commands whose output it reads by pipe, substitution or redirect."""
    input_from: tuple[int, ...] = ()
    """Those of them whose output is its standard input."""
    input_file: str = ""
    """The file that its standard input comes from, if a redirect names it."""

    @property
    def name(self) -> str:
        """The program's name without its folder."""
        return self.argv[0].text.rpartition("/")[2] if self.argv else ""

    @property
    def text(self) -> str:
        """The command as a person would write it."""
        return " ".join(word.shown if word.text else "''" for word in self.argv)


class ProgramNote(msgspec.Struct, frozen=True, gc=False):
    """A remark about the whole program, such as a fork bomb."""

    kind: str
    says: str
    command: int


class SyntaxFault(msgspec.Struct, frozen=True, gc=False):
    """The first place that the parser cannot read."""

    line: int
    near: str
    """The text there."""
    says: str = ""
    """What is wrong with it; empty if unknown."""


class ParsedProgram(msgspec.Struct, frozen=True):
    """A parsed command line: its commands, and what its inline code does."""

    commands: tuple[Command, ...]
    notes: tuple[ProgramNote, ...] = ()
    code_effects: tuple[Effect, ...] = ()
    """Effects of code in other languages; paths are as written there."""
    files: tuple[tuple[str, str], ...] = ()
    """Known text that it writes into files, by path."""
    fault: SyntaxFault | None = None
    """The first syntax error; the parser may have missed parts behind it."""
    code_files: tuple[tuple[str, int], ...] = ()
    """Files that it may run and whose text is only on the disk, and the command that runs each."""
    word_files: tuple[tuple[str, int], ...] = ()
    """Files of which it makes words of commands, and the command that reads each."""

    @property
    def broken(self) -> bool:
        """Whether the syntax has errors."""
        return self.fault is not None
