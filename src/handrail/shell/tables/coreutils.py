"""The everyday file tools."""

from handrail.shell.tables.shorthand import DELETE, READ, WRITE, Fact, Program

_READS = Program(facts=(Fact(READ, on="each"),))

PROGRAMS: dict[str, Program] = {
    "rm": Program(
        facts=(
            Fact(DELETE, "-r|-R|--recursive", on="each", recursive=True),
            Fact(DELETE, "!-r|-R|--recursive", on="each"),
        ),
        harmless="--help|--version",
    ),
    "cat": _READS,
    "head": Program(values="-n -c --lines --bytes", facts=(Fact(READ, on="each"),)),
    "touch": Program(values="-t -d -r --date --reference", facts=(Fact(WRITE, on="each"),)),
    "mkdir": Program(values="-m --mode", facts=(Fact(WRITE, on="each"),)),
    "cp": Program(reader="copy", values="-t --target-directory -S --suffix"),
    "mv": Program(reader="move", values="-t --target-directory -S --suffix"),
    "ln": Program(reader="link", values="-t --target-directory -S --suffix"),
    "tee": Program(facts=(Fact(WRITE, on="each"),)),
}
