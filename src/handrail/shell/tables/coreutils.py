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
)

_HELP = "--help|--version"
_COPY = "-t --target-directory -S --suffix --sparse --no-preserve"
_SETUID = (
    "-m=4???|-m=6???|-m=0[46]???|-m=*u*[+=]*s*|-m=+*s*|--mode=4???|--mode=6???|--mode=0[46]???"
    "|--mode=*u*[+=]*s*|--mode=+*s*"
)


def _writes(values: str = "", says: str = "") -> Program:
    return Program(values=values, facts=(Fact(WRITE, on="each", says=says),), harmless=_HELP)


def _shreds(values: str = "") -> Program:
    return Program(
        values=values,
        facts=(
            Fact(DELETE, on="each", severity=HIGH, undo=IMPOSSIBLE, recursive=True,
                 says="overwrites {target} so that nothing can bring it back",
                 instead="Delete it so that it can come back: `rm {target}`."),
        ),
        harmless=_HELP,
    )  # fmt: skip


_TO_TRASH = _writes(says="moves {target} to the trash")
_NO_CLOCK = "Ask for another time without setting it: `date -d '2 days ago'`."
_ISO = "-Iseconds|-Ins|-Iminutes|-Ihours|-Idate"
_NO_DEFAULTS = "Only read it: `defaults read com.apple.LaunchServices`."
_NO_NAME = "Only ask for the name: `hostname`."

PROGRAMS: dict[str, Program] = {
    "rm": Program(
        facts=(
            Fact(DELETE, "-r|-R|--recursive", on="each", recursive=True),
            Fact(DELETE, "!-r|-R|--recursive", on="each"),
        ),
        harmless=_HELP,
    ),
    "grm": Program(same_as="rm"),
    "unlink": Program(facts=(Fact(DELETE, on="each"),), harmless=_HELP),
    "rmdir": Program(
        facts=(Fact(DELETE, on="each", severity=LOW, says="removes the empty folder {target}"),),
        harmless=_HELP,
    ),
    "rimraf": Program(
        values="--preserve-root --tmp --max-retries --backoff",
        facts=(Fact(DELETE, on="each", recursive=True),),
        harmless=_HELP,
    ),
    "del-cli": Program(facts=(Fact(DELETE, on="each", recursive=True),), harmless="--dry-run|-d"),
    "shred": _shreds("-n -s --iterations --size --random-source"),
    "srm": _shreds(),
    "wipe": _shreds("-P -Q -S -T -M -k -R"),
    "scrub": _shreds("-p -s -b -X -D --pattern"),
    "nwipe": _shreds("-m -r -p --method --rounds --prng"),
    **dict.fromkeys(("trash", "trash-put", "rmtrash", "gomi"), _TO_TRASH),
    **dict.fromkeys(
        ("trash-empty", "trash-rm"),
        Program(
            facts=(Fact(DESTROY, says="empties the trash for good",
                        instead="Look first what is in it: `trash-list`."),),
            harmless="--help|--dry-run",
        ),
    ),
    "gio": Program(
        facts=(
            Fact(WRITE, "trash !--empty|--list|--restore", on="each",
                 says="moves {target} to the trash"),
            Fact(DESTROY, "trash --empty", says="empties the trash for good",
                 instead="Look first what is in it: `gio trash --list`."),
            Fact(DELETE, "remove", on="each"),
            Fact(READ, "cat|copy", on="each"),
            Fact(WRITE, "copy|move|rename|save|mkdir", on="last"),
        ),
    ),
    "cp": Program(reader="copy", values=_COPY, harmless=_HELP),
    "gcp": Program(same_as="cp"),
    "ditto": Program(reader="copy", values="--arch --bom"),
    "mv": Program(reader="move", values=_COPY, harmless=_HELP),
    "gmv": Program(same_as="mv"),
    "ln": Program(reader="link", values=_COPY, harmless=_HELP),
    "link": Program(reader="link"),
    "install": Program(
        reader="install",
        values=f"{_COPY} -m --mode -o --owner -g --group --strip-program",
        facts=(
            Fact(PRIVILEGE, _SETUID, on="last",
                 says="installs {target} so that everyone who runs it acts as its owner (setuid)",
                 instead="Install it without the setuid bit: `install -m 755 tool build/tool`."),
        ),
        wraps=(Wrapper(form="shell", options="--strip-program"),),
        harmless=_HELP,
    ),
    "rename": Program(
        values="-e -E",
        facts=(Fact(WRITE, "!-n|--nono|--no-act|--dry-run", on="2+"),),
        harmless=_HELP,
    ),
    "prename": Program(same_as="rename"),
    "mmv": Program(facts=(Fact(WRITE, "!-n", on="each"),)),
    "touch": _writes("-t -d -r --date --reference --time"),
    "mkdir": Program(values="-m --mode", facts=(Fact(WRITE, on="each", undo=NEEDLESS),),
                     harmless=_HELP),
    "mkfifo": _writes("-m --mode"),
    "mknod": Program(
        values="-m --mode",
        facts=(
            Fact(WRITE, on="1"),
            Fact(DEVICE, "* b|c|u", severity=HIGH,
                 says="makes a device file, which reaches past the file system",
                 instead="Look at the devices there are: `ls -l /dev`."),
        ),
        harmless=_HELP,
    ),
    "tee": Program(reader="tee", facts=(Fact(WRITE, on="each"),), harmless=_HELP),
    "sponge": _writes(),
    "truncate": _writes("-s --size -r --reference"),
    "fallocate": Program(
        reader="fallocate",
        values="-l --length -o --offset",
        facts=(
            Fact(WRITE, "!-p|--punch-hole|-z|--zero-range|-c|--collapse-range", on="each"),
            Fact(WRITE, "-p|--punch-hole|-z|--zero-range|-c|--collapse-range", on="each",
                 severity=MEDIUM, says="cuts data out of {target}"),
        ),
        harmless=_HELP,
    ),
    "dd": Program(reader="dd", harmless=_HELP),
    "gdd": Program(same_as="dd"),
    "dcfldd": Program(reader="dd", harmless=_HELP),
    "dc3dd": Program(reader="dd", harmless=_HELP),
    "ddrescue": Program(
        values="-b -c -i -m -o -r -s -S -t --input-position --output-position --size "
        "--retry-passes",
        facts=(Fact(READ, on="1"), Fact(WRITE, on="2"), Fact(WRITE, on="3")),
        harmless=_HELP,
    ),
    "date": Program(
        values="-d --date -f --file -r --reference -s --set -v",
        facts=(
            Fact(SYSTEM, "-s|--set", says="sets the clock of the machine", instead=_NO_CLOCK),
            Fact(SYSTEM, f"[0-9]* !-j|{_ISO}", says="sets the clock of the machine",
                 instead=_NO_CLOCK),
            Fact(READ, on="-f|--file"),
        ),
        harmless=_HELP,
    ),
    "hostname": Program(
        values="-F --file",
        facts=(
            Fact(SYSTEM, "*", says="gives the machine another name", instead=_NO_NAME),
            Fact(SYSTEM, "-F|--file", says="gives the machine another name", instead=_NO_NAME),
        ),
        harmless=f"{_HELP}|-h|-V",
    ),
    # extended attributes, signatures and property lists
    "xattr": Program(
        facts=(
            Fact(WRITE, "-w", on="3+"),
            Fact(WRITE, "-d !@com.apple.quarantine", on="2+"),
            Fact(WRITE, "-c", on="each", severity=MEDIUM,
                 says="takes away all marks of {target}, also that it was downloaded"),
            Fact(TAMPER, "com.apple.quarantine -d", on="each", severity=HIGH,
                 says="takes away the mark that {target} was downloaded, so that it runs unchecked",
                 instead="Look at the marks: `xattr -l {target}`."),
        ),
    ),
    "setfattr": Program(
        values="-n --name -v --value -x --remove --restore",
        facts=(
            Fact(PRIVILEGE, "-n=security.*|--name=security.*", on="each",
                 says="gives {target} powers for everyone who runs it",
                 instead="Look at what it has: `getfattr -d {target}`."),
            Fact(WRITE, on="each"),
        ),
        harmless=_HELP,
    ),
    "codesign": Program(
        values="-s --sign -i --identifier -o --options -r --requirements --entitlements --keychain",
        facts=(Fact(WRITE, "-s|--sign|--remove-signature", on="each"),),
    ),
    "plutil": Program(
        single_dash=True,
        values="-o -e",
        facts=(
            Fact(READ, "-p|-lint|-extract|-type", on="last"),
            Fact(WRITE, "-replace|-insert|-remove|-convert|-create !-o", on="last"),
            Fact(WRITE, on="-o"),
        ),
    ),
    "defaults": Program(
        facts=(
            Fact(PERSIST, "write @LoginHook|LogoutHook", says="makes a program run at every login",
                 instead=_NO_DEFAULTS),
            Fact(TAMPER, "write @LSQuarantine|globalstate|askForPassword|GKAutoRearm"
                 "|DisableFDEAutoLogin|AutomaticCheckEnabled|CriticalUpdateInstall", severity=HIGH,
                 says="switches off a safeguard of the system", instead=_NO_DEFAULTS),
            Fact(DESTROY, "delete -g|NSGlobalDomain|-globalDomain", says="forgets all settings",
                 instead=_NO_DEFAULTS),
            Fact(CHANGE, "write|delete|import|rename", severity=MEDIUM,
                 says="changes the settings of an app"),
        ),
    ),
}  # fmt: skip
