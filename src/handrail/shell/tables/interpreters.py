"""Programs that run code: shells and languages. What the code does is read from the code."""

from handrail.shell.tables.shorthand import Program

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
    "perl": Program(reader="interpreter", posix=True, values="-e -E -I -M -m -x"),
    "ruby": Program(reader="interpreter", posix=True, values="-e -I -r -C -x"),
    "jruby": Program(same_as="ruby"),
    "php": Program(reader="interpreter", posix=True, values="-r --run -B -R -E -d -c -f"),
    "lua": Program(reader="interpreter", posix=True, values="-e -l"),
    "luajit": Program(same_as="lua"),
    "osascript": Program(reader="interpreter", posix=True, values="-e -l -s"),
    "rscript": Program(reader="interpreter", posix=True, values="-e"),
    "awk": Program(reader="interpreter", posix=True, values="-e --source -f --file -F -v -i -l"),
    "gawk": Program(same_as="awk"),
    "mawk": Program(same_as="awk"),
    "nawk": Program(same_as="awk"),
}
