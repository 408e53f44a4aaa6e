"""What only the BSDs, macOS, illumos and Windows have for looking after the machine."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    DEVICE,
    HIGH,
    MEDIUM,
    PERMIT,
    READ,
    SYSTEM,
    TAMPER,
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)

_ASK = "List the users instead: `id`."
_ACCOUNTS = "changes the accounts of the machine"


def _system(when: str, says: str, instead: str, values: str = "", harmless: str = "") -> Program:
    facts = (Fact(SYSTEM, when, severity=HIGH, says=says, instead=instead),)
    return program(*facts, values=values, harmless=harmless)


def _tampers(when: str, says: str, instead: str, values: str = "") -> Program:
    facts = (Fact(TAMPER, when, severity=HIGH, says=says, instead=instead),)
    return program(*facts, values=values)


def _device(when: str, says: str, instead: str, values: str = "") -> Program:
    return program(Fact(DEVICE, when, says=says, instead=instead), values=values)


_BSD: dict[str, Program] = {
    "pw": program(
        Fact(SYSTEM, "useradd|usermod|userdel|groupadd|groupmod|groupdel|lock|unlock",
             says=_ACCOUNTS, instead=_ASK),
        Fact(SYSTEM, "user|group|add|mod|del add|mod|del|user|group", says=_ACCOUNTS, instead=_ASK),
        values="-R -V -C -n -u -g -G -d -s -w -L -c -e -p -h -H -b -k -l", harmless="-N",
    ),
    "rmuser": _system("", _ACCOUNTS, _ASK, "-f"),
    "chpass": _system("", _ACCOUNTS, _ASK, "-a -e -p -s"),
    "pwd_mkdb": _system("!-C", _ACCOUNTS, _ASK, "-d -s -u"),
    "sysrc": program(
        Fact(SYSTEM, "@*=*", severity=HIGH, on="each",
             says="changes what the machine starts and how it is set up ({target})",
             instead="Only look: `sysrc -a`."),
        Fact(SYSTEM, "-x", severity=HIGH, on="each",
             says="takes {target} out of the settings of the machine",
             instead="Only look: `sysrc -a`."),
        values="-f -j -R -s", harmless="-c",
    ),
    "rcctl": _system("disable|stop|set", "stops a service or changes whether it starts",
                     "Only look: `rcctl ls on`."),
    "svcadm": _system("disable|delete|mark", "stops a service", "Only look: `svcs -a`."),
    "ipfw": _tampers("flush|delete|disable|-f", "changes the firewall", "Only look: `ipfw list`."),
    "kldload": _system("*", "loads a module into the kernel", "List the modules: `kldstat`."),
    "kldunload": _system("*", "takes a module out of the kernel", "List the modules: `kldstat`."),
    "bectl": program(
        Fact(DESTROY, "destroy", says="destroys a boot environment",
             instead="Look first: `bectl list`."),
        Fact(SYSTEM, "activate", severity=HIGH, says="changes what the machine starts",
             instead="Look first: `bectl list`."),
    ),
    "beadm": program(same_as="bectl"),
    "freebsd-update": _system("install|rollback|upgrade", "replaces the system",
                              "Look first: `freebsd-update fetch`.", "-b -d -f -k -r -s -t -j"),
    "gpart": _device("destroy|delete|create|add|bootcode|recover|resize|restore|set|unset|modify|"
                     "commit", "changes the partitions of a disk", "Only look: `gpart show`.",
                     "-t -s -i -b -a -l -f -p -n -e"),
    "gmirror": _device("destroy|clear|remove|stop|label|create", "changes the disks of a mirror",
                       "Only look: `gmirror status`."),
    "geli": _device("init|kill|delkey|clear|setkey|restore|detach", "locks or wipes a disk",
                    "Only look: `geli status`.", "-s -K -k -J -j -e -l -a -P -b"),
    "bioctl": _device("-d|-R|-P", "changes an encrypted disk or a raid",
                      "Look: `bioctl softraid0`.", "-c -C -k -l -P -R -r -s"),
    **dict.fromkeys(
        ("disklabel", "bsdlabel"),
        _device("-w|-e|-E|-R|-B|-W", "changes the partitions of a disk",
                "Only look: `disklabel sd0`.", "-t -b -f"),
    ),
    "jexec": program(values="-d -e -u -U", posix=True, wraps=(Wrapper(skip=1, where="elsewhere"),)),
}  # fmt: skip

_MAC: dict[str, Program] = {
    "log": program(
        Fact(TAMPER, "erase", severity=HIGH, says="deletes the logs of the machine",
             instead="Only look: `log show --last 1h`."),
        Fact(TAMPER, "config --mode=*off*|--reset", severity=HIGH, says="changes what is logged",
             instead="Only look: `log config --status`."),
        Fact(WRITE, "collect", on="--output"),
        values="--predicate --last --start --end --style --level --process --source --output "
        "--type --timeout --archive --mode --subsystem --category --ttl",
    ),
    "dsenableroot": _system("", "switches the root account on or off", _ASK, "-u -p -r"),
    "firmwarepasswd": _system("-setpasswd|-delete|-setmode", "changes the firmware's password",
                              "Only ask: `firmwarepasswd -check`."),
    "bputil": _tampers("-n|-k|-c|-m|-g|-a", "lowers the security of starting the machine",
                       "Only look: `bputil -d`."),
    "mdutil": program(Fact(CHANGE, "-i|-E|-d|-X", severity=MEDIUM)),
    "PlistBuddy": program(
        Fact(WRITE, "-c=set*|-c=add*|-c=delete*|-c=clear*|-c=merge*|-c=import*|-c=copy*", on="1"),
        Fact(READ, on="1"),
        values="-c",
    ),
    "installer": program(
        Fact(READ, on="-pkg"),
        Fact(SYSTEM, "-pkg", severity=MEDIUM, says="installs a package for all users"),
        values="-pkg -target", single_dash=True,
    ),
    "pkgutil": _system("--forget", "forgets an installed package",
                       "Only list: `pkgutil --pkgs`."),
}  # fmt: skip

_WINDOWS: dict[str, Program] = {
    "bcdedit": _system("/set|/delete|/deletevalue|/import|/default|/bootsequence",
                       "changes how the machine starts", "Only look: `bcdedit /enum`."),
    "vssadmin": program(
        Fact(DESTROY, "delete|resize", says="deletes the copies for restoring files",
             instead="Only look: `vssadmin list shadows`."),
    ),
    "wbadmin": program(
        Fact(DESTROY, "delete|disable", says="deletes the backups of the machine",
             instead="Only look: `wbadmin get versions`."),
    ),
    "diskpart": program(
        Fact(DEVICE, "/s", says="changes the partitions of the disks",
             instead="Look first: `wmic diskdrive list brief`."),
    ),
    "cipher": program(
        Fact(DESTROY, "/w:*", says="overwrites all free space",
             instead="Leave the free space as it is."),
    ),
    "manage-bde": _tampers("-off|-lock|-disable|-forcerecovery", "changes the encryption of a disk",
                           "Only ask: `manage-bde -status`."),
    "fsutil": program(
        Fact(TAMPER, "usn deletejournal", severity=HIGH, says="deletes the journal of a disk",
             instead="Only look: `fsutil usn queryjournal C:`."),
    ),
    "icacls": program(Fact(PERMIT, "* /grant|/grant:r|/deny|/reset|/setowner", on="1")),
    "takeown": _system("/f", "makes itself the owner of files", "Only look: `icacls FILE`."),
    "sdelete": program(
        Fact(DESTROY, says="deletes files beyond recovery",
             instead="Delete them plainly: `rm FILE`."),
    ),
}  # fmt: skip

PROGRAMS: dict[str, Program] = {**_BSD, **_MAC, **_WINDOWS}
