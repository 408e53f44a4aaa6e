"""Code of other languages that stands in a command line, read for what it does."""

from handrail.shell.inline.code import Code, read_code

__all__ = ["Code", "read_code"]
