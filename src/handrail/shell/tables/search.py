"""find, xargs and their relatives. Names alone give nothing away, so looking is no effect."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    MEDIUM,
    READ,
    WRITE,
    Fact,
    Program,
    program,
)

_HELP = "--help|--version"

PROGRAMS: dict[str, Program] = {
    "find": program(reader="find", single_dash=True),
    "gfind": program(same_as="find"),
    "fd": program(
        reader="fd",
        values="-e --extension -t --type -d --max-depth --min-depth --exact-depth -E --exclude -S "
        "--size --changed-within --changed-before --newer --older -o --owner -j --threads -c "
        "--color --base-directory -C --search-path --path-separator --ignore-file --format "
        "--max-results --batch-size --and",
        chdir="-C|--base-directory", harmless=_HELP,
    ),
    "fdfind": program(same_as="fd"),
    "xargs": program(
        Fact(READ, on="-a|--arg-file"),
        reader="xargs", posix=True,
        values="-a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars "
        "--process-slot-var -J -R -S",
        harmless=f"{_HELP}|--show-limits",
    ),
    "gxargs": program(same_as="xargs"),
    "parallel": program(
        Fact(READ, on="-a|--arg-file"),
        reader="parallel", posix=True,
        values="-j --jobs -a --arg-file -S --sshlogin --sshloginfile --joblog --results --timeout "
        "-N -n --max-args --max-replace-args -L --max-lines --delay --retries --colsep -C "
        "--tagstring --workdir --wd --block --recstart --recend -d --delimiter -E -I --rpl --trim "
        "--load --memfree --nice --tmpdir --halt --halt-on-error --arg-sep --transferfile "
        "--return --basefile --env --seqreplace --shuf-seed",
        harmless=f"{_HELP}|--dry-run|--dryrun",
    ),
    "fzf": program(
        reader="fzf",
        values="--preview --bind -q --query -f --filter --delimiter -d -n --nth --with-nth",
        harmless=_HELP,
    ),
    "updatedb": program(
        Fact(CHANGE, severity=MEDIUM, says="lists all files of the machine anew"),
        Fact(WRITE, on="-o|--output"),
        values="-o --output -U --database-root", harmless=_HELP,
    ),
}  # fmt: skip
