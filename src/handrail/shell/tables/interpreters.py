"""Programs that run code: shells and languages. What the code does is read from the code."""

from handrail.shell.tables.shorthand import (
    READ,
    WRITE,
    Fact,
    Program,
    aliases,
    program,
)

_SHELL = program(reader="shell", posix=True)

PROGRAMS: dict[str, Program] = {
    "sh": _SHELL,
    "bash": _SHELL,
    "dash": _SHELL,
    "zsh": _SHELL,
    "ksh": _SHELL,
    "ash": _SHELL,
    "fish": _SHELL,
    "mksh": _SHELL,
    "tcsh": _SHELL,
    "csh": _SHELL,
    "rbash": _SHELL,
    "python": program(reader="interpreter", posix=True, values="-c -m -W -X"),
    **aliases("python", "pypy", "ipython"),
    "node": program(
        reader="interpreter", posix=True,
        values="-e --eval -p --print -pe -r --require --import --loader -C --conditions",
    ),
    **aliases("node", "nodejs", "tsx", "ts-node"),
    "perl": program(
        Fact(WRITE, "-i -e|-E", on="each"),
        Fact(WRITE, "-i !-e|-E", on="2+"),
        Fact(READ, "-n|-p -e|-E !-i", on="each"),
        reader="interpreter", posix=True, values="-e -E -I -M -m -x",
    ),
    "ruby": program(
        Fact(WRITE, "-i -e", on="each"),
        Fact(WRITE, "-i !-e", on="2+"),
        Fact(READ, "-n|-p -e !-i", on="each"),
        reader="interpreter", posix=True, values="-e -I -r -C -x",
    ),
    "jruby": program(same_as="ruby"),
    "php": program(reader="interpreter", posix=True, values="-r --run -B -R -E -d -c -f"),
    "lua": program(reader="interpreter", posix=True, values="-e -l"),
    "luajit": program(same_as="lua"),
    "osascript": program(reader="interpreter", posix=True, values="-e -l -s"),
    "rscript": program(reader="interpreter", posix=True, values="-e"),
    "awk": program(
        Fact(WRITE, "-i=inplace|--include=inplace !-e|--source|-f|--file", on="2+"),
        Fact(WRITE, "-i=inplace|--include=inplace -e|--source|-f|--file", on="each"),
        Fact(READ, "!-i|--include|-e|--source|-f|--file", on="2+"),
        Fact(READ, "!-i|--include -e|--source|-f|--file", on="each"),
        reader="interpreter", posix=True,
        values="-e --source -f --file -F --field-separator -v --assign -i --include -l --load",
    ),
    **aliases("awk", "gawk", "mawk", "nawk"),
}  # fmt: skip
