"""A command line as a program: the commands it runs, and their effects on the world."""

from handrail.shell.command import Command, ParsedProgram, ProgramNote, Redirect, SyntaxFault
from handrail.shell.errors import UnreadableError
from handrail.shell.program_lookup import ProgramLookup
from handrail.shell.read import Reading, default_knowledge, read
from handrail.shell.word import OPAQUE, Word

__all__ = [
    "OPAQUE",
    "Command",
    "ParsedProgram",
    "ProgramLookup",
    "ProgramNote",
    "Reading",
    "Redirect",
    "SyntaxFault",
    "UnreadableError",
    "Word",
    "default_knowledge",
    "read",
]
