"""Read code of other languages inside a command line for its effects."""

from handrail.shell.inline.code import Code, forget_parsed, load_readers, read_code

__all__ = ["Code", "forget_parsed", "load_readers", "read_code"]
