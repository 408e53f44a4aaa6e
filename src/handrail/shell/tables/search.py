"""find, xargs and their relatives. Names alone give nothing away, so looking is no effect."""

from handrail.shell.tables.shorthand import CHANGE, MEDIUM, WRITE, Fact, Program

_HELP = "--help|--version"

PROGRAMS: dict[str, Program] = {
    "find": Program(reader="find", single_dash=True),
    "gfind": Program(same_as="find"),
    "fd": Program(
        reader="fd",
        values="-e --extension -t --type -d --max-depth --min-depth --exact-depth -E --exclude -S "
        "--size --changed-within --changed-before --newer --older -o --owner -j --threads -c "
        "--color --base-directory -C --search-path --path-separator --ignore-file --format "
        "--max-results --batch-size --and",
        chdir="-C|--base-directory",
        harmless=_HELP,
    ),
    "fdfind": Program(same_as="fd"),
    "xargs": Program(
        reader="xargs",
        posix=True,
        values="-a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars "
        "--process-slot-var -J -R -S",
        harmless=f"{_HELP}|--show-limits",
    ),
    "gxargs": Program(same_as="xargs"),
    "parallel": Program(
        reader="parallel",
        posix=True,
        values="-j --jobs -a --arg-file -S --sshlogin --sshloginfile --joblog --results --timeout "
        "-N -n --max-args --max-replace-args -L --max-lines --delay --retries --colsep -C "
        "--tagstring --workdir --wd --block --recstart --recend -d --delimiter -E -I --rpl "
        "--trim --load --memfree --nice --tmpdir --halt --halt-on-error --arg-sep --transferfile "
        "--return --basefile --env --seqreplace --shuf-seed",
        harmless=f"{_HELP}|--dry-run|--dryrun",
    ),
    "fzf": Program(
        reader="fzf",
        values="--preview --bind -q --query -f --filter --delimiter -d -n --nth --with-nth",
        harmless=_HELP,
    ),
    "updatedb": Program(
        values="-o --output -U --database-root",
        facts=(
            Fact(CHANGE, severity=MEDIUM, says="lists all files of the machine anew"),
            Fact(WRITE, on="-o|--output"),
        ),
        harmless=_HELP,
    ),
}  # fmt: skip
