"""What the command `exemplar` does."""

from handrail.shell.tables.shorthand import CRITICAL, LOW, RUN, TAMPER, Fact, Program

PROGRAMS = {
    "exemplar": Program(
        facts=(Fact(TAMPER, "--free", severity=CRITICAL), Fact(RUN, severity=LOW)),
        reader="example",
    )
}
