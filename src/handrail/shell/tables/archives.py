"""Programs that pack, unpack and compress."""

from handrail.shell.tables.shorthand import (
    DELETE,
    HIGH,
    READ,
    RUN,
    WRITE,
    Fact,
    Program,
    Wrapper,
    aliases,
    program,
)

_HELP = "--help|--version"
_PLAINLY = "Run the command on its own, in plain sight."


def _compresses(values: str = "", *, keeps: bool = False) -> Program:
    """Puts `file.gz` in the place of `file`, or back; the content stays the same."""
    only_reads = "-c|--stdout|--to-stdout|-l|--list|-t|--test"
    return program(
        Fact(READ, only_reads, on="each"),
        Fact(READ if keeps else WRITE, f"!{only_reads}", on="each",
             says="" if keeps else "puts a packed or unpacked file in the place of {target}"),
        Fact(WRITE, on="-o|--output"),
        Fact(DELETE, "--rm", on="each"),
        values=f"{values} -o --output -S --suffix", harmless=f"{_HELP}|-h|-V",
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
    "tar": program(
        Fact(RUN, "-F|--info-script|--new-volume-script|--rsh-command|--rmt-command", severity=HIGH,
             says="runs another program while it packs", instead=_PLAINLY),
        reader="tar", values=_TAR_VALUES,
        wraps=(Wrapper(form="shell",
                       options="-I|--use-compress-program|--to-command|--rsh-command|-F|"
                       "--info-script|--new-volume-script|--rmt-command"),),
        harmless=_HELP,
    ),
    **aliases("tar", "gtar", "bsdtar", "star"),
    "zip": program(
        Fact(WRITE, "!-d|--delete", on="1"),
        Fact(DELETE, "-d|--delete", on="1", says="deletes files out of {target}"),
        Fact(WRITE, on="-O|--output-file"),
        Fact(READ, "!-d|--delete", on="2+", recursive=True),
        Fact(DELETE, "-m|--move !-d|--delete", on="2+", recursive=True),
        reader="zip",
        values="-b -i -n -P -t -tt -s -O -TT --unzip-command --password -x --exclude --include "
        "--output-file --temp-path --suffixes",
        wraps=(Wrapper(form="shell", options="-TT|--unzip-command"),),
        harmless=f"{_HELP}|-h|-sf|--show-files",
    ),
    "zipcloak": program(Fact(WRITE, on="1")),
    "unzip": program(
        Fact(READ, on="1"),
        Fact(WRITE, _UNPACKS, on="-d"),
        Fact(WRITE, f"{_UNPACKS} !-d @*", on="cwd"),
        values="-d -x -P -O -I", harmless=f"{_HELP}|-h|-hh",
    ),
    **dict.fromkeys(("7z", "7za", "7zr", "7zz", "p7zip"), program(
        reader="7z", single_dash=True, harmless="--help|-h",
    )),
    "rar": program(
        Fact(WRITE, "a|u|f|m|mf|d|rn|c|k|ch", on="1"),
        Fact(READ, "a|u|f|m|mf", on="2+", recursive=True),
        Fact(DELETE, "m|mf", on="2+", recursive=True),
        Fact(DELETE, "a|u -df|-dw", on="2+", recursive=True),
        Fact(READ, "x|e|p|l|t|v|lb|vt", on="1"),
        Fact(WRITE, "x|e", on="2+"),
        single_dash=True,
    ),
    "unrar": program(
        Fact(READ, "x|e|p|l|t|v", on="1"),
        Fact(WRITE, "x|e", on="2+"),
        single_dash=True,
    ),
    "unar": program(
        Fact(READ, on="1"),
        Fact(WRITE, on="-o|-output-directory"),
        values="-o -output-directory -p -password -e -encoding",
    ),
    "dpkg-deb": program(
        Fact(READ, on="1"),
        Fact(WRITE, "-x|--extract|-X|--vextract|-R|--raw-extract|-b|--build", on="2"),
        values="-Z -z -S -D --nocheck", harmless=_HELP,
    ),
    "cpio": program(
        Fact(READ, on="-I|-E|--pattern-file"),
        Fact(WRITE, on="-O"),
        Fact(WRITE, "-o|--create", on="-F|--file"),
        Fact(READ, "-i|--extract", on="-F|--file"),
        Fact(WRITE, "-i|--extract !-t|--list|--to-stdout !-D|--directory", on="cwd"),
        Fact(WRITE, "-i|--extract", on="-D|--directory"),
        Fact(WRITE, "-p|--pass-through", on="1"),
        Fact(RUN, "--rsh-command", severity=HIGH, says="runs another program while it packs",
             instead=_PLAINLY),
        values="-F --file -D --directory -C -E --pattern-file -H --format -I -O -R --owner -M "
        "--rsh-command",
        wraps=(Wrapper(form="shell", options="--rsh-command"),), harmless=_HELP,
    ),
    # `python3 -m zipfile -e archive folder`
    **dict.fromkeys(("zipfile", "tarfile"), program(
        Fact(READ, on="-e|--extract|-l|--list|-t|--test"),
        Fact(WRITE, "-e|--extract", on="1"),
        Fact(WRITE, on="-c|--create"),
        Fact(READ, "-c|--create", on="each", recursive=True),
        values="-e --extract -l --list -t --test -c --create",
    )),
    "pax": program(
        Fact(WRITE, "-w", on="-f"),
        Fact(READ, "-w", on="each", recursive=True),
        Fact(READ, "-r !-w", on="-f"),
        Fact(WRITE, "-r !-w", on="cwd"),
        Fact(WRITE, "-r -w", on="last"),
        values="-f -s -x -o -b -E -T -B -U -G",
    ),
    "ar": program(
        Fact(WRITE, "[dmqrs]*", on="1"),
        Fact(WRITE, "-d|-m|-q|-r|-s", on="1"),
        Fact(READ, "[ptx]*", on="1"),
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
