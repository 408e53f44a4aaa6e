"""The library brings no command of its own."""

from handrail.model.program import Program

PROGRAMS: dict[str, Program] = {}
