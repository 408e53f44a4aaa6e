"""A command line as a program: what it runs, and what that does to the world."""

from handrail.shell.command import Command, Fault, Note, Program, Redirect
from handrail.shell.errors import UnreadableError
from handrail.shell.knowledge import Knowledge
from handrail.shell.read import Reading, default_knowledge, read
from handrail.shell.word import OPAQUE, Word

__all__ = [
    "OPAQUE",
    "Command",
    "Fault",
    "Knowledge",
    "Note",
    "Program",
    "Reading",
    "Redirect",
    "UnreadableError",
    "Word",
    "default_knowledge",
    "read",
]
