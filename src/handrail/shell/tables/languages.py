"""Languages whose code is only searched for the commands that it starts."""

from handrail.shell.tables.shorthand import (
    Program,
    aliases,
    program,
)

_VALUES = "-e --eval -c -eval -E --expression -l -L -I -m --load -s -x -r --require --project"


def _language(*, single_dash: bool = False) -> Program:
    return program(
        reader="calls", single_dash=single_dash, values=_VALUES.replace("", ""),
        harmless="--version",
    )  # fmt: skip


_LANGUAGE = _language()

PROGRAMS: dict[str, Program] = {
    **dict.fromkeys(
        """
        guile racket sbcl ecl clisp scheme csi gsi chicken clojure clj elixir iex julia scala
        scala-cli
        groovy groovysh jshell kotlinc kotlin swift raku perl6 crystal octave octave-cli gnuplot
        maxima ghci runghc ocaml nim io janet fennel hy xonsh nu nushell elvish
        """.split(),
        _LANGUAGE,
    ),
    "erl": _language(single_dash=True),
    "pwsh": program(reader="powershell", posix=True),
    **aliases("pwsh", "powershell", "powershell.exe", "pwsh.exe"),
    "cmd": program(reader="powershell", posix=True),
    "cmd.exe": program(same_as="cmd"),
}  # fmt: skip
