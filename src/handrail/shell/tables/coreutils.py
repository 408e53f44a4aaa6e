"""Tools that make, copy, move, fill and delete files, and set the clock and the name."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DELETE,
    DESTROY,
    DEVICE,
    HIGH,
    IMPOSSIBLE,
    LOW,
    MEDIUM,
    NEEDLESS,
    PERSIST,
    PRIVILEGE,
    READ,
    SYSTEM,
    TAMPER,
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)

_HELP = "--help|--version"
_COPY = "-t --target-directory -S --suffix --sparse --no-preserve"
_SETUID = (
    "-m=4???|-m=6???|-m=0[46]???|-m=*u*[+=]*s*|-m=+*s*|--mode=4???|--mode=6???|--mode=0[46]???"
    "|--mode=*u*[+=]*s*|--mode=+*s*"
)


def _writes(values: str = "", says: str = "") -> Program:
    return program(Fact(WRITE, on="each", says=says), values=values, harmless=_HELP)


def _shreds(values: str = "") -> Program:
    return program(
        Fact(DELETE, on="each", severity=HIGH, undo=IMPOSSIBLE, recursive=True,
             says="overwrites {target} beyond recovery",
             instead="Delete it without shredding: `rm {target}`."),
        values=values, harmless=_HELP,
    )  # fmt: skip


_TO_TRASH = _writes(says="moves {target} to the trash")
_NO_CLOCK = "Ask for another time without setting it: `date -d '2 days ago'`."
_ISO = "-Iseconds|-Ins|-Iminutes|-Ihours|-Idate"
_NO_DEFAULTS = "Only read it: `defaults read com.apple.LaunchServices`."
_NO_NAME = "Only ask for the name: `hostname`."

PROGRAMS: dict[str, Program] = {
    "rm": program(
        Fact(DELETE, "-r|-R|--recursive", on="each", recursive=True),
        Fact(DELETE, "!-r|-R|--recursive", on="each"),
        harmless=_HELP,
    ),
    "grm": program(same_as="rm"),
    "unlink": program(Fact(DELETE, on="each"), harmless=_HELP),
    "rmdir": program(
        Fact(DELETE, on="each", severity=LOW, says="removes the empty folder {target}"),
        harmless=_HELP,
    ),
    "rimraf": program(
        Fact(DELETE, on="each", recursive=True),
        values="--preserve-root --tmp --max-retries --backoff", harmless=_HELP,
    ),
    "del-cli": program(Fact(DELETE, on="each", recursive=True), harmless="--dry-run|-d"),
    "shred": _shreds("-n -s --iterations --size --random-source"),
    "srm": _shreds(),
    "wipe": _shreds("-P -Q -S -T -M -k -R"),
    "scrub": _shreds("-p -s -b -X -D --pattern"),
    "nwipe": _shreds("-m -r -p --method --rounds --prng"),
    **dict.fromkeys(("trash", "trash-put", "rmtrash", "gomi"), _TO_TRASH),
    **dict.fromkeys(("trash-empty", "trash-rm"), program(
        Fact(DESTROY, says="empties the trash for good",
             instead="Look inside first: `trash-list`."),
        harmless="--help|--dry-run",
    )),
    "gio": program(
        Fact(WRITE, "trash !--empty|--list|--restore", on="each",
             says="moves {target} to the trash"),
        Fact(DESTROY, "trash --empty", says="empties the trash for good",
             instead="Look inside first: `gio trash --list`."),
        Fact(DELETE, "remove", on="each"),
        Fact(READ, "cat|copy", on="each"),
        Fact(WRITE, "copy|move|rename|save|mkdir", on="last"),
    ),
    "cp": program(reader="copy", values=_COPY, harmless=_HELP),
    "gcp": program(same_as="cp"),
    "ditto": program(reader="copy", values="--arch --bom"),
    "mv": program(reader="move", values=_COPY, harmless=_HELP),
    "gmv": program(same_as="mv"),
    "ln": program(reader="link", values=_COPY, harmless=_HELP),
    "link": program(reader="link"),
    "install": program(
        Fact(PRIVILEGE, _SETUID, on="last",
             says="installs {target} setuid: it runs with its owner's rights",
             instead="Install it without the setuid bit: `install -m 755 tool build/tool`."),
        reader="install", values=f"{_COPY} -m --mode -o --owner -g --group --strip-program",
        wraps=(Wrapper(form="shell", options="--strip-program"),), harmless=_HELP,
    ),
    "rename": program(
        Fact(WRITE, "!-n|--nono|--no-act|--dry-run", on="2+"),
        values="-e -E", harmless=_HELP,
    ),
    "prename": program(same_as="rename"),
    "mmv": program(Fact(WRITE, "!-n", on="each")),
    "touch": _writes("-t -d -r --date --reference --time"),
    "mkdir": program(Fact(WRITE, on="each", undo=NEEDLESS), values="-m --mode", harmless=_HELP),
    "mkfifo": _writes("-m --mode"),
    "mknod": program(
        Fact(WRITE, on="1"),
        Fact(DEVICE, "* b|c|u", severity=HIGH,
             says="makes a device file, which reaches past the file system",
             instead="Look at the devices there are: `ls -l /dev`."),
        values="-m --mode", harmless=_HELP,
    ),
    "tee": program(Fact(WRITE, on="each"), reader="tee", harmless=_HELP),
    "sponge": _writes(),
    "truncate": _writes("-s --size -r --reference"),
    "fallocate": program(
        Fact(WRITE, "!-p|--punch-hole|-z|--zero-range|-c|--collapse-range", on="each"),
        Fact(WRITE, "-p|--punch-hole|-z|--zero-range|-c|--collapse-range", on="each",
             severity=MEDIUM, says="cuts data out of {target}"),
        reader="fallocate", values="-l --length -o --offset", harmless=_HELP,
    ),
    "dd": program(reader="dd", harmless=_HELP),
    "gdd": program(same_as="dd"),
    "dcfldd": program(reader="dd", harmless=_HELP),
    "dc3dd": program(reader="dd", harmless=_HELP),
    "ddrescue": program(
        Fact(READ, on="1"),
        Fact(WRITE, on="2"),
        Fact(WRITE, on="3"),
        values="-b -c -i -m -o -r -s -S -t --input-position --output-position --size "
        "--retry-passes",
        harmless=_HELP,
    ),
    "date": program(
        Fact(SYSTEM, "-s|--set", says="sets the clock of the machine", instead=_NO_CLOCK),
        Fact(SYSTEM, f"[0-9]* !-j|{_ISO}", says="sets the clock of the machine", instead=_NO_CLOCK),
        Fact(READ, on="-f|--file"),
        values="-d --date -f --file -r --reference -s --set -v", harmless=_HELP,
    ),
    "hostname": program(
        Fact(SYSTEM, "*", says="gives the machine another name", instead=_NO_NAME),
        Fact(SYSTEM, "-F|--file", says="gives the machine another name", instead=_NO_NAME),
        values="-F --file", harmless=f"{_HELP}|-h|-V",
    ),
    # extended attributes, signatures and property lists
    "xattr": program(
        Fact(WRITE, "-w", on="3+"),
        Fact(WRITE, "-d !@com.apple.quarantine", on="2+"),
        Fact(WRITE, "-c", on="each", severity=MEDIUM,
             says="takes away all marks of {target}, also that it was downloaded"),
        Fact(TAMPER, "com.apple.quarantine -d", on="each", severity=HIGH,
             says="removes the download mark of {target}, so it runs unchecked",
             instead="Look at the marks: `xattr -l {target}`."),
    ),
    "setfattr": program(
        Fact(PRIVILEGE, "-n=security.*|--name=security.*", on="each",
             says="gives {target} extra powers for all its users",
             instead="Look at it: `getfattr -d {target}`."),
        Fact(WRITE, on="each"),
        values="-n --name -v --value -x --remove --restore", harmless=_HELP,
    ),
    "codesign": program(
        Fact(WRITE, "-s|--sign|--remove-signature", on="each"),
        values="-s --sign -i --identifier -o --options -r --requirements --entitlements --keychain",
    ),
    "plutil": program(
        Fact(READ, "-p|-lint|-extract|-type", on="last"),
        Fact(WRITE, "-replace|-insert|-remove|-convert|-create !-o", on="last"),
        Fact(WRITE, on="-o"),
        single_dash=True, values="-o -e",
    ),
    "defaults": program(
        Fact(PERSIST, "write @LoginHook|LogoutHook", says="makes a program run at every login",
             instead=_NO_DEFAULTS),
        Fact(TAMPER, "write @LSQuarantine|globalstate|askForPassword|GKAutoRearm|"
             "DisableFDEAutoLogin|AutomaticCheckEnabled|CriticalUpdateInstall", severity=HIGH,
             says="switches off a safeguard of the system", instead=_NO_DEFAULTS),
        Fact(DESTROY, "delete -g|NSGlobalDomain|-globalDomain", says="forgets all settings",
             instead=_NO_DEFAULTS),
        Fact(CHANGE, "write|delete|import|rename", severity=MEDIUM,
             says="changes the settings of an app"),
    ),
}  # fmt: skip
