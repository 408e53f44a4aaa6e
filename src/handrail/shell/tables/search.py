"""find, xargs and their relatives."""

from handrail.shell.tables.shorthand import Program

PROGRAMS: dict[str, Program] = {
    "find": Program(reader="find", single_dash=True),
    "gfind": Program(same_as="find"),
    "xargs": Program(
        reader="xargs",
        posix=True,
        values="-a --arg-file -d --delimiter -E -I -L --max-lines -n --max-args -P --max-procs "
        "-s --max-chars --process-slot-var",
    ),
    "gxargs": Program(same_as="xargs"),
    "parallel": Program(
        reader="parallel",
        posix=True,
        values="-j --jobs -a --arg-file -S --sshlogin --joblog --results --timeout -N -n -L "
        "--delay --retries --colsep -C --tagstring --workdir --block",
    ),
}
