"""Programs that run the command in their arguments, and are looked through."""

from handrail.shell.tables.shorthand import LOW, PRIVILEGE, Fact, Program, Wrapper

_RAISED = "runs as another user"

PROGRAMS: dict[str, Program] = {
    "sudo": Program(
        posix=True,
        values="-u --user -g --group -p --prompt -C -h --host -r -t -T -U -D --chdir -R --chroot",
        wraps=(Wrapper(assignments=True),),
        facts=(Fact(PRIVILEGE, severity=LOW, says=_RAISED),),
        harmless="-l|-v|-k|-K|--list|--validate|--version|-V",
    ),
    "doas": Program(
        posix=True,
        values="-u -C",
        wraps=(Wrapper(),),
        facts=(Fact(PRIVILEGE, severity=LOW, says=_RAISED),),
    ),
    "env": Program(
        posix=True,
        values="-u --unset -C --chdir -S --split-string -P",
        wraps=(
            Wrapper(form="words", options="-S|--split-string"),
            Wrapper(assignments=True),
        ),
    ),
    "timeout": Program(posix=True, values="-s --signal -k --kill-after", wraps=(Wrapper(skip=1),)),
    "nohup": Program(posix=True, wraps=(Wrapper(),)),
    "nice": Program(posix=True, values="-n --adjustment", wraps=(Wrapper(),)),
}
