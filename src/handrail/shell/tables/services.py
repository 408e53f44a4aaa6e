"""services"""

from handrail.shell.tables.shorthand import Program

PROGRAMS: dict[str, Program] = {}
