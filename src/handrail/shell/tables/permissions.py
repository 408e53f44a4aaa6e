"""Who may do what: modes, owners, accounts, passwords, and becoming somebody else."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    HIGH,
    LOW,
    MEDIUM,
    PERMIT,
    PRIVILEGE,
    READ,
    SYSTEM,
    TAMPER,
    UNKNOWN,
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)

_HELP = "--help|--version"
_SHELLS = "sh|bash|zsh|dash|ksh|fish|su|*/sh|*/bash|*/zsh|*/dash|*/ksh|*/fish|*/su"
_NO_ROOT = "Do without root: run single commands with `sudo -n`, in plain sight."
_ASK = "List the users instead: `getent passwd`, `id`."
_ASK_GROUPS = "List the groups: `getent group`, `groups`."
_WORLD = "*o:*w*|*o::*w*|*other:*w*|*other::*w*"


def _with(options: str, values: str) -> str:
    """`-m|--modify` and a glob: each of these options with such a value."""
    return "|".join(f"{name}={glob}" for name in options.split("|") for glob in values.split("|"))


def _owner() -> Program:
    """chown, chgrp: the first operand is the new owner, unless it is copied from a file."""
    return program(
        Fact(PERMIT, "* !--reference -R|--recursive", on="each", recursive=True),
        Fact(PERMIT, "* !--reference !-R|--recursive", on="each"),
        Fact(PERMIT, "--reference", on="each"),
        values="--from --reference", harmless=_HELP,
    )  # fmt: skip


def _account(values: str, says: str, *, harmless: str = "") -> Program:
    return program(
        Fact(SYSTEM, says=says, instead=_ASK),
        values=values, harmless=f"{_HELP}|-h{harmless}",
    )  # fmt: skip


def _protection(says: str, instead: str, when: str = "", harmless: str = _HELP) -> Program:
    return program(Fact(TAMPER, when, says=says, instead=instead), harmless=harmless)


_CHANGES_USERS = "changes the accounts of the machine"
_LIST_USERS = "Only list: `dscl . -list /Users`."
_ADDS_USER = "adds an account to the machine"
_USERADD = (
    "-b -c -d -e -f -g -G -k -K -l -p -r -R -s -u -Z --base-dir --comment --home-dir --home --gid "
    "--groups --shell --uid --password --skel --expiredate --inactive --key --root --prefix "
    "--ingroup --gecos --firstuid --lastuid --conf --add-subids-for-system"
)
_USERMOD = (
    "-c -d -e -f -g -G -l -p -R -P -s -u -v -V -w -W -Z --comment --home --expiredate --inactive "
    "--gid --groups --login --password --root --prefix --shell --uid"
)

_MODES: dict[str, Program] = {
    "chmod": program(reader="chmod", values="--reference", harmless=_HELP),
    "gchmod": program(same_as="chmod"),
    "chown": _owner(),
    "chgrp": _owner(),
    "chattr": program(
        Fact(PERMIT, "+*|=*", on="each"),
        Fact(PERMIT, "!@+* !@=*", on="each"),
        values="-v -p",
    ),
    "chflags": program(Fact(PERMIT, "*", on="each")),
    "setfacl": program(
        Fact(PERMIT, "-R|--recursive", on="each", recursive=True),
        Fact(PERMIT, "!-R|--recursive", on="each"),
        Fact(PERMIT, _with("-m|--modify|--set", _WORLD) + " -R|--recursive", on="each",
             severity=HIGH, undo=UNKNOWN, recursive=True,
             says="lets every user change {target} and all below it",
             instead="Look at the present rights: `getfacl {target}`."),
        Fact(READ, on="-M|--modify-file|-X|--remove-file|--set-file|--restore"),
        values="-m --modify -x --remove -M --modify-file -X --remove-file --set --set-file "
        "--restore",
        harmless=f"{_HELP}|--test",
    ),
    "setcap": program(
        Fact(PRIVILEGE, "!-r", on="last",
             says="gives {target} powers of root for all its users",
             instead="Look at it: `getcap {target}`."),
        harmless="-h|-v",
    ),
    "umask": program(
        Fact(CHANGE, "0|00|000|0000|*w*", severity=MEDIUM,
             says="lets every user change the files made from now on"),
    ),
}  # fmt: skip

_ACCOUNTS: dict[str, Program] = {
    "useradd": _account(_USERADD, _ADDS_USER),
    "adduser": _account(_USERADD, _ADDS_USER),
    "newusers": _account("", _ADDS_USER),
    "usermod": _account(_USERMOD, "changes an account, its groups or its rights"),
    "userdel": program(
        Fact(DESTROY, says="deletes an account", instead=_ASK),
        values="-R -P --root --prefix", harmless=f"{_HELP}|-h",
    ),
    "deluser": program(
        Fact(DESTROY, says="deletes an account or takes it out of a group", instead=_ASK),
        values="--conf --backup-to --group", harmless=f"{_HELP}|-h",
    ),
    "groupadd": program(
        Fact(SYSTEM, severity=MEDIUM, says="adds a group to the machine"),
        values="-g -K -p -R -P --gid", harmless=f"{_HELP}|-h",
    ),
    "addgroup": program(same_as="groupadd"),
    "groupmod": _account("-g -n -p -R -P", "changes a group"),
    "groupdel": program(
        Fact(DESTROY, says="deletes a group", instead=_ASK_GROUPS),
        harmless=f"{_HELP}|-h",
    ),
    "delgroup": program(same_as="groupdel"),
    "gpasswd": _account("-a -d -A -M -Q", "changes who is in a group, or its password"),
    "groupmems": _account("-a -d -g", "changes who is in a group", harmless="|-l|--list"),
    "passwd": program(
        Fact(SYSTEM, says="changes, locks or removes a password",
             instead="Only look at its state: `passwd --status`."),
        values="-n -x -w -i -R -r --mindays --maxdays --warndays --inactive --root",
        harmless=f"{_HELP}|-h|-S|--status",
    ),
    **dict.fromkeys(
        ("chpasswd", "chgpasswd", "yppasswd", "smbpasswd", "kpasswd"),
        _account("-c -s -R -P", "changes passwords"),
    ),
    "chage": _account("-d -E -I -m -M -R -W", "changes when a password or an account ends",
                      harmless="|-l|--list"),
    "chsh": _account("-s --shell", "changes the login shell", harmless="|-l|--list-shells"),
    "chfn": program(Fact(SYSTEM, severity=MEDIUM, says="changes who an account names")),
    "faillock": program(
        Fact(SYSTEM, "--reset", severity=MEDIUM, says="forgets failed logins"),
        values="--user --dir",
    ),
    "visudo": program(
        Fact(PRIVILEGE, says="edits the rules for becoming root",
             instead="Only check the file: `visudo -c`."),
        Fact(WRITE, on="-f|--file"),
        values="-f --file -x --export", harmless=f"{_HELP}|-h|-V|-c|--check",
    ),
    **dict.fromkeys(("vipw", "vigr"), program(
        Fact(PRIVILEGE, says="edits the accounts of the machine", instead=_ASK),
        harmless=f"{_HELP}|-h",
    )),
    "pam-auth-update": program(
        Fact(TAMPER, says="changes how logins are checked",
             instead="Look at the rules: `cat /etc/pam.d/common-auth`."),
        harmless=_HELP,
    ),
    "authconfig": program(same_as="pam-auth-update"),
    "authselect": program(
        Fact(TAMPER, "select|enable-feature|disable-feature|apply-changes|opt-out",
             says="changes how logins are checked", instead="Look first: `authselect current`."),
    ),
    **dict.fromkeys(
        ("unshadow", "john", "hashcat", "hydra", "medusa", "ncrack", "ophcrack"),
        program(
            Fact(READ, on="each"),
            Fact(PRIVILEGE, says="tries to break passwords",
                 instead="Ask the owner for access, or reset the password with them."),
            harmless=f"{_HELP}|-h|-V|--list",
        ),
    ),
    "dscl": program(
        Fact(SYSTEM, "-append|-create|-createpl|-createprop|-passwd|-merge|-change|-changei",
             says=_CHANGES_USERS, instead=_LIST_USERS),
        Fact(DESTROY, "-delete|-deletepl|-deletei", says="deletes from the accounts of the machine",
             instead=_LIST_USERS),
        values="-u -P -f", single_dash=True,
    ),
    "sysadminctl": program(
        Fact(SYSTEM,
             "-addUser|-deleteUser|-resetPasswordFor|-newPassword|-secureTokenOn|-secureTokenOff",
             says=_CHANGES_USERS, instead=_LIST_USERS),
        Fact(SYSTEM, "-guestAccount|-afpGuestAccess|-smbGuestAccess|-autologin|-screenLock|"
             "-automaticTime !@status", says=_CHANGES_USERS, instead=_LIST_USERS),
        values="-fullName -UID -GID -shell -password -hint -home -picture -adminUser "
        "-adminPassword",
        single_dash=True,
    ),
    "dseditgroup": program(
        Fact(SYSTEM, "-o=edit|-o=create|-o=delete", says="changes who is in a group",
             instead="Only look: `dseditgroup -o read admin`."),
        values="-o -a -d -t -n -u -p -r -c -i -g",
    ),
}  # fmt: skip

_BECOMING: dict[str, Program] = {
    "su": program(
        Fact(PRIVILEGE, "!@[a-z_]*", says="becomes root", instead=_NO_ROOT),
        Fact(PRIVILEGE, "@root", says="becomes root", instead=_NO_ROOT),
        Fact(PRIVILEGE, "@[a-z_]* !@root", severity=MEDIUM, says="becomes another user"),
        values="-c --command --session-command -s --shell -g --group -G --supp-group -w "
        "--whitelist-environment",
        wraps=(Wrapper(form="shell", options="-c|--command|--session-command"),),
        harmless=f"{_HELP}|-h|-V",
    ),
    "runuser": program(
        Fact(PRIVILEGE, "-u=root|--user=root", says="runs as root", instead=_NO_ROOT),
        Fact(PRIVILEGE, "!-u|--user !@[a-z_]*", says="becomes root", instead=_NO_ROOT),
        Fact(PRIVILEGE, severity=LOW, says="runs as another user"),
        values="-u --user -c --command --session-command -s --shell -g --group -G --supp-group",
        wraps=(Wrapper(form="shell", options="-c|--command|--session-command"),
               Wrapper(when="-u|--user")),
        harmless=f"{_HELP}|-h|-V",
    ),
    **dict.fromkeys(("gosu", "su-exec", "setpriv", "chpst"), program(
        Fact(PRIVILEGE, "root|0|root:*|0:*", says="runs as root", instead=_NO_ROOT),
        Fact(PRIVILEGE, "--reuid=0|--reuid=root|-u=root", says="runs as root", instead=_NO_ROOT),
        Fact(PRIVILEGE, severity=LOW, says="runs as another user"),
        posix=True,
        values="--reuid --regid --groups --inh-caps --ambient-caps --bounding-set -u -U -b -e",
        wraps=(Wrapper(skip=1, when="!--reuid|--regid|--clear-groups|-u|-U"),
               Wrapper(when="--reuid|--regid|--clear-groups|-u|-U")),
        harmless=f"{_HELP}|-h|--dump|-d",
    )),
    "pkexec": program(
        Fact(PRIVILEGE, severity=LOW, says="runs as another user"),
        Fact(PRIVILEGE, _SHELLS, says="opens a shell as root", instead=_NO_ROOT),
        Fact(PRIVILEGE, "!@*", says="opens a shell as root", instead=_NO_ROOT),
        posix=True, values="--user -u", wraps=(Wrapper(),), harmless=f"{_HELP}|-h",
    ),
    "newgrp": program(
        Fact(PRIVILEGE, severity=MEDIUM, says="opens a shell with the rights of a group"),
    ),
    "sg": program(
        Fact(PRIVILEGE, severity=MEDIUM, says="runs with the rights of a group"),
        wraps=(Wrapper(form="shell", skip=2, when="* -c"), Wrapper(form="shell", skip=1)),
    ),
    "sudoedit": program(
        Fact(WRITE, on="each"),
        Fact(PRIVILEGE, severity=MEDIUM, says="edits a file as another user"),
        values="-u --user -g --group -p -C -h -r -t -T -U -D -R", harmless=_HELP,
    ),
    "capsh": program(
        Fact(PRIVILEGE, "--uid=0|--gid=0|--user=root|--addamb|--inh",
             says="gives itself powers of root", instead="Only look: `capsh --print`."),
    ),
    "login": program(
        Fact(PRIVILEGE, says="logs in as somebody", instead="Check the login: `id`."),
        values="-h -r -t", harmless=_HELP,
    ),
}  # fmt: skip

_GUARDS: dict[str, Program] = {
    "setenforce": _protection("switches SELinux off", "Only ask: `getenforce`.", "0|permissive"),
    "semanage": program(
        Fact(TAMPER, "permissive !-l|--list|-d|--delete", says="takes a domain out of SELinux",
             instead="Only list: `semanage permissive -l`."),
        Fact(SYSTEM, "boolean|fcontext|port|user|login|module|dontaudit !-l|--list|-E",
             says="changes what SELinux allows", instead="Only list: `semanage boolean -l`."),
        values="-t -r -s -p -l -N -S --type --range --seuser --proto", harmless=f"{_HELP}|-h",
    ),
    "setsebool": program(
        Fact(SYSTEM, says="changes what SELinux allows", instead="Only ask: `getsebool -a`."),
    ),
    "semodule": program(
        Fact(TAMPER, "-i|-r|-d|-u|-b|-D|--install|--remove|--disable|--base",
             says="changes the policy of SELinux", instead="Only list: `semodule -l`."),
        values="-i -r -e -d -u -b -s -p -X --install --remove",
        harmless="-l|--list-modules|-h|--help",
    ),
    "restorecon": program(
        Fact(PERMIT, "-R|-r|--recursive", on="each", recursive=True),
        Fact(PERMIT, "!-R|-r|--recursive", on="each"),
        harmless="-n",
    ),
    "chcon": program(
        Fact(PERMIT, "!-t|-u|-r|-l|--type|--user|--role|--range|--reference", on="2+"),
        Fact(PERMIT, "-t|-u|-r|-l|--type|--user|--role|--range|--reference", on="each"),
        values="-t -u -r -l --type --user --role --range --reference",
    ),
    **dict.fromkeys(
        ("aa-disable", "aa-complain", "aa-teardown", "aa-remove-unknown"),
        _protection("takes programs out of AppArmor", "Only ask: `aa-status`."),
    ),
    "apparmor_parser": _protection("takes programs out of AppArmor", "Only ask: `aa-status`.",
                                   "-R|--remove|-C|--Complain"),
    "csrutil": _protection("switches System Integrity Protection off",
                           "Only ask: `csrutil status`.",
                           "disable|clear|authenticated-root|netboot !@status"),
    "spctl": _protection("switches Gatekeeper off", "Only ask: `spctl --status`.",
                         "--master-disable|--global-disable|--disable|--remove|--add"),
    "profiles": program(
        Fact(TAMPER, "remove|renew|install", says="changes the rules this machine is managed by",
             instead="Only list: `profiles list`."),
        Fact(TAMPER, "-R|-D|-I", says="changes the rules this machine is managed by",
             instead="Only list: `profiles list`."),
    ),
    "fdesetup": program(
        Fact(TAMPER, "disable|removerecovery|remove|changerecovery|authrestart",
             says="changes or switches off the encryption of the disk",
             instead="Only ask: `fdesetup status`."),
        Fact(SYSTEM, "enable|add|sync", says="changes the encryption of the disk",
             instead="Only ask: `fdesetup status`."),
    ),
    "tccutil": _protection("forgets what apps were allowed", "Look in the settings instead.",
                           "reset"),
    "auditctl": program(
        Fact(TAMPER, "-D|-d|-W", says="removes rules of the audit log",
             instead="Only list: `auditctl -l`."),
        Fact(TAMPER, "-e=0", says="switches the audit log off", instead="Only ask: `auditctl -s`."),
        values="-a -A -d -w -W -p -k -F -S -b -f -r -e -R",
    ),
}  # fmt: skip

PROGRAMS: dict[str, Program] = {**_MODES, **_ACCOUNTS, **_BECOMING, **_GUARDS}
