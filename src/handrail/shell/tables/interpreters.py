"""Programs that run code: shells and languages. What the code does is read from the code."""

from handrail.shell.tables.shorthand import READ, WRITE, Fact, Program

_SHELL = Program(reader="shell", posix=True)

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
    "python": Program(reader="interpreter", posix=True, values="-c -m -W -X"),
    "pypy": Program(same_as="python"),
    "ipython": Program(same_as="python"),
    "node": Program(
        reader="interpreter",
        posix=True,
        values="-e --eval -p --print -pe -r --require --import --loader -C --conditions",
    ),
    "nodejs": Program(same_as="node"),
    "tsx": Program(same_as="node"),
    "ts-node": Program(same_as="node"),
    "perl": Program(
        reader="interpreter",
        posix=True,
        values="-e -E -I -M -m -x",
        facts=(
            Fact(WRITE, "-i -e|-E", on="each"),
            Fact(WRITE, "-i !-e|-E", on="2+"),
            Fact(READ, "-n|-p -e|-E !-i", on="each"),
        ),
    ),
    "ruby": Program(
        reader="interpreter",
        posix=True,
        values="-e -I -r -C -x",
        facts=(
            Fact(WRITE, "-i -e", on="each"),
            Fact(WRITE, "-i !-e", on="2+"),
            Fact(READ, "-n|-p -e !-i", on="each"),
        ),
    ),
    "jruby": Program(same_as="ruby"),
    "php": Program(reader="interpreter", posix=True, values="-r --run -B -R -E -d -c -f"),
    "lua": Program(reader="interpreter", posix=True, values="-e -l"),
    "luajit": Program(same_as="lua"),
    "osascript": Program(reader="interpreter", posix=True, values="-e -l -s"),
    "rscript": Program(reader="interpreter", posix=True, values="-e"),
    "awk": Program(
        reader="interpreter",
        posix=True,
        values="-e --source -f --file -F --field-separator -v --assign -i --include -l --load",
        facts=(
            Fact(WRITE, "-i=inplace|--include=inplace !-e|--source|-f|--file", on="2+"),
            Fact(WRITE, "-i=inplace|--include=inplace -e|--source|-f|--file", on="each"),
            Fact(READ, "!-i|--include|-e|--source|-f|--file", on="2+"),
            Fact(READ, "!-i|--include -e|--source|-f|--file", on="each"),
        ),
    ),
    "gawk": Program(same_as="awk"),
    "mawk": Program(same_as="awk"),
    "nawk": Program(same_as="awk"),
}
