"""Programs that pack, unpack and compress."""

from handrail.shell.tables.shorthand import DELETE, HIGH, READ, RUN, WRITE, Fact, Program, Wrapper

_HELP = "--help|--version"
_PLAINLY = "Run that command on its own, so that it can be read."


def _compresses(values: str = "", *, keeps: bool = False) -> Program:
    """Puts `file.gz` in the place of `file`, or back; the content stays the same."""
    only_reads = "-c|--stdout|--to-stdout|-l|--list|-t|--test"
    return Program(
        values=f"{values} -o --output -S --suffix",
        facts=(
            Fact(READ, only_reads, on="each"),
            Fact(READ if keeps else WRITE, f"!{only_reads}", on="each",
                 says="" if keeps else "puts a packed or unpacked file in the place of {target}"),
            Fact(WRITE, on="-o|--output"),
            Fact(DELETE, "--rm", on="each"),
        ),
        harmless=f"{_HELP}|-h|-V",
    )  # fmt: skip


_TAR_VALUES = (
    "-f --file -C --directory -T --files-from -X --exclude-from -I --use-compress-program "
    "--to-command --checkpoint-action --rsh-command -F --info-script --new-volume-script --exclude "
    "--transform --xform --strip-components --owner --group --mode --mtime --format --sort -b -g "
    "-K "
    "-N -V -L"
)
_UNPACKS = "!-l|-t|-v|-Z|-p|-c|-z"

PROGRAMS: dict[str, Program] = {
    "tar": Program(
        reader="tar",
        values=_TAR_VALUES,
        facts=(
            Fact(RUN, "-F|--info-script|--new-volume-script|--rsh-command|--rmt-command",
                 severity=HIGH, says="runs another program while it packs", instead=_PLAINLY),
        ),
        wraps=(
            Wrapper(form="shell", options="-I|--use-compress-program|--to-command|--rsh-command"
                    "|-F|--info-script|--new-volume-script|--rmt-command"),
        ),
        harmless=_HELP,
    ),
    **dict.fromkeys(("gtar", "bsdtar", "star"), Program(same_as="tar")),
    "zip": Program(
        reader="zip",
        values="-b -i -n -P -t -tt -s -O -TT --unzip-command --password -x --exclude --include "
        "--output-file --temp-path --suffixes",
        facts=(
            Fact(WRITE, "!-d|--delete", on="1"),
            Fact(DELETE, "-d|--delete", on="1", says="deletes files out of {target}"),
            Fact(WRITE, on="-O|--output-file"),
            Fact(READ, "!-d|--delete", on="2+", recursive=True),
            Fact(DELETE, "-m|--move !-d|--delete", on="2+", recursive=True),
        ),
        wraps=(Wrapper(form="shell", options="-TT|--unzip-command"),),
        harmless=f"{_HELP}|-h|-sf|--show-files",
    ),
    "zipcloak": Program(facts=(Fact(WRITE, on="1"),)),
    "unzip": Program(
        values="-d -x -P -O -I",
        facts=(
            Fact(READ, on="1"),
            Fact(WRITE, _UNPACKS, on="-d"),
            Fact(WRITE, f"{_UNPACKS} !-d @*", on="cwd"),
        ),
        harmless=f"{_HELP}|-h|-hh",
    ),
    **dict.fromkeys(
        ("7z", "7za", "7zr", "7zz", "p7zip"),
        Program(reader="7z", single_dash=True, harmless="--help|-h"),
    ),
    "rar": Program(
        single_dash=True,
        facts=(
            Fact(WRITE, "a|u|f|m|mf|d|rn|c|k|ch", on="1"),
            Fact(READ, "a|u|f|m|mf", on="2+", recursive=True),
            Fact(DELETE, "m|mf", on="2+", recursive=True),
            Fact(DELETE, "a|u -df|-dw", on="2+", recursive=True),
            Fact(READ, "x|e|p|l|t|v|lb|vt", on="1"),
            Fact(WRITE, "x|e", on="2+"),
        ),
    ),
    "unrar": Program(
        single_dash=True,
        facts=(Fact(READ, "x|e|p|l|t|v", on="1"), Fact(WRITE, "x|e", on="2+")),
    ),
    "unar": Program(
        values="-o -output-directory -p -password -e -encoding",
        facts=(Fact(READ, on="1"), Fact(WRITE, on="-o|-output-directory")),
    ),
    "dpkg-deb": Program(
        values="-Z -z -S -D --nocheck",
        facts=(
            Fact(READ, on="1"),
            Fact(WRITE, "-x|--extract|-X|--vextract|-R|--raw-extract|-b|--build", on="2"),
        ),
        harmless=_HELP,
    ),
    "cpio": Program(
        values="-F --file -D --directory -C -E --pattern-file -H --format -I -O -R --owner -M "
        "--rsh-command",
        facts=(
            Fact(READ, on="-I|-E|--pattern-file"),
            Fact(WRITE, on="-O"),
            Fact(WRITE, "-o|--create", on="-F|--file"),
            Fact(READ, "-i|--extract", on="-F|--file"),
            Fact(WRITE, "-i|--extract !-t|--list|--to-stdout !-D|--directory", on="cwd"),
            Fact(WRITE, "-i|--extract", on="-D|--directory"),
            Fact(WRITE, "-p|--pass-through", on="1"),
            Fact(RUN, "--rsh-command", severity=HIGH, says="runs another program while it packs",
                 instead=_PLAINLY),
        ),
        wraps=(Wrapper(form="shell", options="--rsh-command"),),
        harmless=_HELP,
    ),
    # `python3 -m zipfile -e archive folder`
    **dict.fromkeys(
        ("zipfile", "tarfile"),
        Program(
            values="-e --extract -l --list -t --test -c --create",
            facts=(
                Fact(READ, on="-e|--extract|-l|--list|-t|--test"),
                Fact(WRITE, "-e|--extract", on="1"),
                Fact(WRITE, on="-c|--create"),
                Fact(READ, "-c|--create", on="each", recursive=True),
            ),
        ),
    ),
    "pax": Program(
        values="-f -s -x -o -b -E -T -B -U -G",
        facts=(
            Fact(WRITE, "-w", on="-f"),
            Fact(READ, "-w", on="each", recursive=True),
            Fact(READ, "-r !-w", on="-f"),
            Fact(WRITE, "-r !-w", on="cwd"),
            Fact(WRITE, "-r -w", on="last"),
        ),
    ),
    "ar": Program(
        facts=(
            Fact(WRITE, "[dmqrs]*", on="1"),
            Fact(WRITE, "-d|-m|-q|-r|-s", on="1"),
            Fact(READ, "[ptx]*", on="1"),
        ),
    ),
    **dict.fromkeys(
        ("gzip", "gunzip", "pigz", "unpigz", "compress", "uncompress", "lzop", "znew"),
        _compresses("-b -p -K --blocksize --processes"),
    ),
    **dict.fromkeys(("bzip2", "bunzip2", "pbzip2", "lbzip2"), _compresses("-m -p -n")),
    **dict.fromkeys(
        ("xz", "unxz", "lzma", "unlzma", "lzip", "lunzip", "plzip"),
        _compresses("-T -M -F -C --threads --memlimit --format --check --files"),
    ),
    **dict.fromkeys(
        ("zstd", "unzstd", "zstdmt", "pzstd", "lz4", "unlz4", "brotli", "unbrotli", "snzip"),
        _compresses("-D -M -q -w --quality --lgwin", keeps=True),
    ),
}  # fmt: skip
