"""Package managers of operating systems."""

from handrail.shell.tables.packages import from_plain_http
from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    HIGH,
    INSTALL,
    LOW,
    MEDIUM,
    PERSIST,
    READ,
    SYSTEM,
    TAMPER,
    UNSEEN,
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)

_ESSENTIAL = (
    "@systemd*|libc6*|libc-bin|glibc*|*/glibc|musl|bash|dash|coreutils*|util-linux*|dpkg|apt|"
    "apt-get|rpm|dnf|yum|pacman|apk-tools|base|base-files|base-passwd|filesystem|init|sysvinit*|"
    "login|mount|passwd|shadow*|sudo|openssh-server|ssh|sshd|linux-image*|linux|linux-lts|kernel*|"
    "grub*|shim*|python3|python3-minimal|python|perl-base|busybox|network-manager|NetworkManager|"
    "netplan.io|ubuntu-minimal|ubuntu-desktop|zlib*|libssl*|openssl|tar|gzip|findutils|e2fsprogs|"
    "sys-apps/*|sys-libs/*|core|core18|core2*|snapd|\\*"
)
_GUARDS = (
    "@ufw|firewalld|iptables*|nftables|auditd|audit|apparmor*|selinux*|fail2ban|clamav*|falco*|"
    "crowdsec*|aide|rkhunter|wazuh*|osquery*|falcon-sensor|sentinelone*|ossec*"
)
_LOOK = "Preview it: `apt-get remove --simulate`."
_SIGNED = "Install signed packages from the usual sources."


def _removes(verbs: str, look: str = _LOOK) -> tuple[Fact, ...]:
    return (
        Fact(INSTALL, verbs, on="each", severity=MEDIUM, says="removes the package {target}"),
        Fact(SYSTEM, f"{verbs} {_ESSENTIAL}", severity=HIGH, instead=look,
             says="removes packages needed by the system or the agent itself"),
        Fact(TAMPER, f"{verbs} {_GUARDS}", severity=HIGH, instead=look,
             says="removes the machine's security software"),
    )  # fmt: skip


def _unsigned(when: str) -> Fact:
    return Fact(UNSEEN, when, says="installs software without checking its maker", instead=_SIGNED)


def _installs(verbs: str) -> Fact:
    return Fact(INSTALL, verbs, severity=LOW, says="installs system packages")


_APT = program(
    *_removes("remove|purge|autoremove|autopurge"),
    Fact(SYSTEM, "--allow-remove-essential|--force-yes",
         says="lets apt remove packages needed by the system", instead=_LOOK),
    _unsigned("--allow-unauthenticated|--allow-insecure-repositories"),
    _unsigned("-o=*AllowUnauthenticated*|-o=*AllowInsecure*|-o=*Verify-Peer=false*"),
    Fact(UNSEEN, "-o=*Invoke*|-o=*Install-Pkgs*|-o=Dir::Bin*|--option=*Invoke*",
         says="runs a command through an option of the package manager",
         instead="Run it without `-o`: `apt-get update`."),
    *from_plain_http("install", ""),
    _installs("install|upgrade|dist-upgrade|full-upgrade|update|build-dep|reinstall"),
    Fact(READ, "install @*.deb", on="each"),
    Fact(CHANGE, "edit-sources", severity=MEDIUM),
    values="-o --option -t --target-release -c --config-file -a --host-architecture", reader="apt",
    harmless="-s|--simulate|--dry-run|--just-print|--recon|--no-act|-d|--download-only|--help|-h",
)  # fmt: skip
_DNF = program(
    *_removes("remove|erase|rm|autoremove", "Look first: `dnf info`."),
    Fact(SYSTEM, f"swap|distro-sync|downgrade --allowerasing {_ESSENTIAL}",
         says="replaces packages needed by the system", instead="Look first: `dnf info`."),
    _unsigned("--nogpgcheck|--no-gpgchecks"),
    _unsigned("--setopt=*gpgcheck=0*|--setopt=*gpgcheck=false*|--setopt=sslverify=*"),
    *from_plain_http("install|localinstall|reinstall|update|upgrade", "--repofrompath"),
    Fact(PERSIST, "config-manager --add-repo=http://*|addrepo",
         says="adds a source for later installs", instead=_SIGNED),
    Fact(PERSIST, "config-manager|copr --add-repo|enable", severity=MEDIUM),
    _installs("install|update|upgrade|groupinstall|reinstall|module|makecache|builddep"),
    Fact(CHANGE, "history undo|rollback|redo", severity=MEDIUM),
    reader="packages",
    values="-c --config -x --exclude --setopt --repo --repoid --enablerepo --disablerepo "
    "--releasever --installroot --repofrompath --forcearch",
    harmless="--assumeno|--downloadonly|--help|-h|--version",
)  # fmt: skip
_PACMAN = program(
    Fact(INSTALL, "-R|--remove", on="each", severity=MEDIUM,
         says="removes the system package {target}"),
    Fact(SYSTEM, f"-R|--remove {_ESSENTIAL}", says="removes packages needed by the system",
         instead="Look first: `pacman -Qi`."),
    Fact(SYSTEM, "-R|--remove -d|--nodeps|-c|--cascade", says="removes packages needed by others",
         instead="Look first: `pacman -Qi`."),
    Fact(TAMPER, f"-R|--remove {_GUARDS}", severity=HIGH,
         says="removes the machine's security software", instead="Look first: `pacman -Qi`."),
    *from_plain_http("-U|--upgrade", ""),
    Fact(READ, "-U|--upgrade", on="each"),
    Fact(INSTALL, "-S|-U|--sync|--upgrade !-s|--search|-i|--info|-l|--list", severity=LOW,
         says="installs system packages"),
    reader="packages",
    values="--config --root -r --dbpath -b --cachedir --arch --ignore --overwrite --sysroot",
    harmless="-p|--print|--help|-h|-V|--version",
)  # fmt: skip
_BREW = program(
    Fact(INSTALL, "uninstall|remove|rm|autoremove", severity=LOW, says="removes packages"),
    Fact(TAMPER, "uninstall|remove|rm|install|reinstall|upgrade|unlink @handrail*",
         says="removes or replaces this agent's guard",
         instead="Ask a person; an agent does not change its own supervision."),
    Fact(DESTROY, "uninstall|remove|rm --zap", severity=MEDIUM, says="deletes settings too"),
    *from_plain_http("install|tap|cask", ""),
    Fact(PERSIST, "tap @*://*", severity=MEDIUM, says="adds a source of packages"),
    Fact(CHANGE, "services stop|kill|cleanup", severity=MEDIUM, says="stops a service"),
    Fact(CHANGE, "services start|run|restart", severity=LOW),
    _installs("install|upgrade|update|reinstall|link|unlink|cask|bundle"),
    reader="packages", harmless="--dry-run|-n|--help|-h|--version",
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "apt": _APT,
    "apt-get": _APT,
    "aptitude": _APT,
    "nala": _APT,
    "apt-key": program(
        Fact(TAMPER, "add|adv|--fetch-keys|--recv-keys", severity=HIGH,
             says="lets the owner of a key install software here",
             instead="List the trusted keys: `apt-key list`."),
    ),
    "add-apt-repository": program(
        Fact(PERSIST, "@*http://* !-r|--remove", says="adds a source for later installs",
             instead="Show the sources: `apt-cache policy`."),
        Fact(PERSIST, "!@*http://*", severity=MEDIUM, says="adds a source of packages"),
        harmless="--help|-h|--list|-L",
    ),
    "apt-add-repository": program(same_as="add-apt-repository"),
    "do-release-upgrade": program(
        Fact(SYSTEM, severity=HIGH, says="replaces the whole system by a newer release",
             instead="Only ask: `do-release-upgrade --check-dist-upgrade-only`."),
        harmless="-c|--check-dist-upgrade-only|--help|-h|--version",
    ),
    "dpkg": program(
        Fact(INSTALL, "-r|--remove|-P|--purge", on="each", severity=MEDIUM,
             says="removes the system package {target}"),
        Fact(SYSTEM, f"-r|--remove|-P|--purge {_ESSENTIAL}",
             says="removes packages needed by the system", instead="Look first: `dpkg -s`."),
        Fact(TAMPER, f"-r|--remove|-P|--purge {_GUARDS}", severity=HIGH,
             says="removes the machine's security software", instead="Look first: `dpkg -s`."),
        Fact(SYSTEM,
             "--force-all|--force-depends|--force-remove-essential|--force-remove-reinstreq",
             says="overrides the protection of the system", instead="Look first: `dpkg --audit`."),
        Fact(INSTALL, "-i|--install|--unpack", severity=MEDIUM, says="installs a package file"),
        Fact(READ, "-i|--install|--unpack", on="each"),
        Fact(READ, "-c|-I|-x|-X|-e|--extract|--vextract", on="1"),
        Fact(WRITE, "-x|-X|-e|--extract|--vextract|--control", on="2", recursive=True),
        values="--root --admindir --instdir -D",
        harmless="--dry-run|--no-act|--simulate|--help|--version|-l|-L|-s|-S",
    ),
    "dnf": _DNF,
    "dnf5": _DNF,
    "yum": _DNF,
    "microdnf": _DNF,
    "tdnf": _DNF,
    "rpm": program(
        Fact(INSTALL, "-e|--erase !-q|--query", on="each", severity=MEDIUM,
             says="removes the system package {target}"),
        Fact(SYSTEM, "-e|--erase --nodeps|--allmatches", instead="Look first: `rpm -qi`.",
             says="removes packages needed by others"),
        Fact(SYSTEM, f"-e|--erase {_ESSENTIAL}", instead="Look first: `rpm -qi`.",
             says="removes packages needed by the system"),
        Fact(TAMPER, f"-e|--erase {_GUARDS}", severity=HIGH, instead="Look first: `rpm -qi`.",
             says="removes the machine's security software"),
        _unsigned("-i|-U|-F|--install|--upgrade --nosignature|--nodigest|--noverify"),
        *from_plain_http("-i|-U|-F|--install|--upgrade", ""),
        Fact(TAMPER, "--import @http://*", severity=HIGH, instead=_SIGNED,
             says="lets the owner of a key install software here"),
        Fact(TAMPER, "--import", severity=MEDIUM, says="trusts another signing key"),
        Fact(READ, "-i|-U|-F|--install|--upgrade|-p", on="each"),
        values="--root --dbpath --prefix --relocate -E --eval -D --define --qf --queryformat",
        reader="rpm", harmless="--test|--help|--version",
    ),
    "pacman": _PACMAN,
    "yay": _PACMAN,
    "paru": _PACMAN,
    "apk": program(
        *_removes("del", "Look first: `apk info`."),
        Fact(SYSTEM, "--force-broken-world", says="breaks dependencies of other packages",
             instead="Look first: `apk info`."),
        _unsigned("add --allow-untrusted"),
        *from_plain_http("add", "-X|--repository"),
        _installs("add|upgrade|update|fix"),
        reader="packages",
        values="-X --repository -p --root --repositories-file --keys-dir -t --virtual --arch",
        harmless="-s|--simulate|--help",
    ),
    "zypper": program(
        *_removes("remove|rm", "Look first: `zypper info`."),
        _unsigned("--no-gpg-checks|--allow-unsigned-rpm"),
        *from_plain_http("install|in|addrepo|ar", "-p|--plus-repo"),
        _installs("install|in|update|up|dup|refresh|ref|patch"),
        reader="packages", values="-c --config -R --root -t --type -r --repo -p --plus-repo --from",
        harmless="--dry-run|-D|--help",
    ),
    "emerge": program(
        Fact(SYSTEM, "--unmerge|-C|--depclean|-c|--prune|-P @*",
             says="removes packages without checking their dependents",
             instead="Look first: `emerge --pretend --depclean`."),
        Fact(INSTALL, "--depclean|-c !@*", severity=MEDIUM, says="removes unused packages"),
        harmless="-p|--pretend|--help|-s|--search",
    ),
    "brew": _BREW,
    "port": program(
        Fact(INSTALL, "uninstall|reclaim", severity=MEDIUM),
        _installs("install|upgrade"),
    ),
    "snap": program(
        *_removes("remove", "Look first: `snap list`."),
        _unsigned("install|try --dangerous|--devmode|--jailmode"),
        Fact(CHANGE, "stop|disable", severity=MEDIUM),
        _installs("install|refresh"),
        reader="packages", values="--channel --revision --name",
        wraps=(Wrapper(when="run", skip=1),),
    ),
    "flatpak": program(
        Fact(INSTALL, "uninstall|remove", on="each", severity=MEDIUM, says="removes {target}"),
        Fact(DESTROY, "uninstall|remove --all", says="removes every program",
             instead="List the installed ones: `flatpak list`."),
        Fact(DESTROY, "uninstall|remove --delete-data", says="deletes the data of programs too",
             instead="Keep the data: `flatpak uninstall` without it."),
        *from_plain_http("install|remote-add", "--from"),
        _unsigned("remote-add --no-gpg-verify"),
        _installs("install|update"),
        values="--arch --branch --installation --command --filesystem --env",
        wraps=(Wrapper(form="shell", options="--command", when="run"),),
    ),
    "nix": program(
        Fact(UNSEEN, "run|shell|develop|build @http://*|git+http://*|tarball+http://*",
             says="runs code over an insecure connection", instead=_SIGNED),
        Fact(DESTROY, "store delete|gc", severity=MEDIUM, says="deletes from the store"),
        Fact(DESTROY, "profile wipe-history", severity=MEDIUM, says="deletes old generations"),
        _installs("profile|build|flake"),
        values="--option -I -f --file --arg --argstr --expr -A --inputs-from --override-input",
        reader="nix",
    ),
    "nix-shell": program(
        values="-p --packages --run --command -E --expr -A --attr -I --arg --argstr",
        wraps=(Wrapper(form="shell", options="--run|--command"),),
    ),
    "nix-env": program(
        Fact(INSTALL, "-i|-u|--install|--upgrade|-e|--uninstall", severity=LOW),
        Fact(DESTROY, "--delete-generations", severity=MEDIUM),
        *from_plain_http("-i|--install", "-f|--file"),
        values="-f --file -p --profile -A --attr -I",
    ),
    "nix-collect-garbage": program(
        Fact(DESTROY, "-d|--delete-old", severity=MEDIUM,
             says="deletes every old generation, so that nothing can be rolled back"),
        values="--delete-older-than --max-freed", harmless="--dry-run",
    ),
    "pkg": program(
        *_removes("delete|remove|autoremove|uninstall", "Look first: `pkg info`."),
        Fact(SYSTEM, "delete -a|--all", says="removes every package",
             instead="List the installed ones: `pkg info`."),
        _installs("install|upgrade|update"),
        reader="packages", harmless="-n|--dry-run",
    ),
    "opkg": program(
        *_removes("remove", "Look first: `opkg list-installed`."),
        _unsigned("install --force-checksum|--no-check-certificate"),
        reader="packages",
    ),
    "xbps-remove": program(
        *_removes("", "Look first: `xbps-query -l`."),
        reader="packages", harmless="-n|--dry-run",
    ),
    "choco": program(
        Fact(INSTALL, "uninstall", severity=MEDIUM),
        Fact(DESTROY, "uninstall @all", says="removes every program",
             instead="List the installed ones: `choco list`."),
        *from_plain_http("install|upgrade|source", "-s|--source"),
        _installs("install|upgrade"),
        values="-s --source --version --params", harmless="--whatif|--noop|--help",
    ),
    "winget": program(
        Fact(INSTALL, "uninstall|remove", severity=MEDIUM),
        _installs("install|upgrade"),
        values="--id --source -s --version --name",
    ),
    "scoop": program(
        Fact(INSTALL, "uninstall", severity=MEDIUM),
        *from_plain_http("install|bucket", ""),
        _installs("install|update"),
    ),
}  # fmt: skip
