"""Programs that make commands run later, by themselves."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    HIGH,
    LOW,
    MEDIUM,
    PERSIST,
    READ,
    UNSEEN,
    Fact,
    Program,
    Wrapper,
    program,
)

_LIST = "List the schedule: `crontab -l`."
_NOW = "Run it now, in plain sight."
_LATER = "makes a command run later, when nobody looks"


def _table_editor(list_command: str) -> Program:
    """crontab and its kin: a table is listed, edited, replaced or deleted."""
    look = f"List the schedule: `{list_command}`."
    return program(
        Fact(DESTROY, "-r|--remove", says="deletes all planned commands at once", instead=look),
        Fact(PERSIST, "-e|--edit", severity=MEDIUM, says="edits the planned commands"),
        Fact(PERSIST, "!-l|-r|-e|--list|--remove|--edit|-n|-s|-x|-T", instead=look,
             says="replaces the table of scheduled commands"),
        Fact(READ, "!-l|-r|-e @*", on="each"),
        values="-u --user", reader="crontab", harmless="-l|--list|-V|--version|--help|-h|-T|-?",
    )  # fmt: skip


_AT = program(
    Fact(DESTROY, "-r|-d|-rm", severity=MEDIUM, says="takes a planned command back"),
    Fact(PERSIST, "!-r|-d", says=_LATER, instead=_NOW),
    Fact(READ, on="-f"),
    values="-f -q -t -M_ -u", reader="at", harmless="-l|-c|-V|--version|--help",
)  # fmt: skip
_SYSTEMD_RUN = program(
    Fact(PERSIST, "--on-active|--on-boot|--on-startup|--on-unit-active|--on-unit-inactive|"
         "--on-calendar|--path-property|--socket-property|--on-clock-change", says=_LATER,
         instead=_NOW),
    Fact(CHANGE, "--uid=0|--uid=root", severity=MEDIUM, says="runs as root"),
    Fact(CHANGE, severity=LOW, says="runs a command as a service"),
    posix=True,
    values="-p --property -u --unit -H --host -M --machine --on-active --on-boot --on-startup "
    "--on-unit-active --on-unit-inactive --on-calendar --timer-property --path-property "
    "--socket-property --uid --gid --nice -E --setenv -d_ --working-directory --slice "
    "--description --service-type --background",
    chdir="--working-directory", wraps=(Wrapper(),),
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "crontab": _table_editor("crontab -l"),
    "fcrontab": _table_editor("fcrontab -l"),
    "incrontab": _table_editor("incrontab -l"),
    "at": _AT,
    "batch": _AT,
    "atrm": program(Fact(DESTROY, severity=LOW, says="takes a planned command back")),
    "systemd-run": _SYSTEMD_RUN,
    "anacron": program(
        Fact(PERSIST, "-t", on="-t", says="runs the planned commands of {target}", instead=_LIST),
        Fact(CHANGE, "-f|-n", severity=MEDIUM),
        values="-t -S", harmless="-T|-V|-h",
    ),
    "run-parts": program(
        Fact(UNSEEN, "@/tmp/*|/var/tmp/*|/dev/shm/*",
             says="runs every program of a world-writable folder",
             instead="Only list them: `run-parts --test`."),
        values="-a --arg -u --umask --regex", harmless="--test|--list|--report",
    ),
    "schtasks": program(
        Fact(PERSIST, "/create|/change", says=_LATER, instead="Look: `schtasks /query`."),
        Fact(DESTROY, "/delete", severity=HIGH, says="deletes a planned command",
             instead="Look: `schtasks /query`."),
        Fact(CHANGE, "/run|/end", severity=MEDIUM),
    ),
    "update-motd": program(Fact(CHANGE, severity=LOW)),
    "whenever": program(
        Fact(PERSIST, "--update-crontab|-i|--write-crontab|-w|--clear-crontab|-c",
             says="replaces planned commands", instead="Only show it: `whenever`."),
    ),
    "cronitor": program(wraps=(Wrapper(when="exec", skip=1),)),
    "flock": program(
        Fact(READ, on="1"),
        posix=True, values="-w --timeout -E --conflict-exit-code -c --command",
        wraps=(Wrapper(form="shell", options="-c|--command"),
               Wrapper(skip=1, when="!-c|--command")),
    ),
}  # fmt: skip
