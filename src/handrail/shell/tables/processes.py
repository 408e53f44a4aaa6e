"""Programs that end, watch or enter other processes, and that use the machine up."""

from handrail.shell.tables.environment import STEERING_NAMES
from handrail.shell.tables.shorthand import (
    CHANGE,
    CRITICAL,
    EXHAUST,
    HIGH,
    KILL,
    LOW,
    MEDIUM,
    READ,
    SECRET,
    TAMPER,
    UNSEEN,
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)

SYSTEM_PROCESSES = (
    "systemd systemd-journald systemd-logind systemd-udevd systemd-resolved init launchd kthreadd "
    "sshd dbus-daemon dbus-broker dockerd containerd kubelet crio podman NetworkManager "
    "wpa_supplicant polkitd udevd agetty getty login cron crond atd rsyslogd syslogd Xorg Xwayland "
    "gdm gdm3 lightdm sddm gnome-shell WindowServer loginwindow snapd chronyd ntpd "
    "explorer.exe lsass.exe"
).split()
"""Processes that the machine, its users or the way into it depend on."""

GUARD_PROCESSES = (
    "auditd firewalld ufw fail2ban-server apparmor crowdstrike falcon-sensor falco osqueryd clamd "
    "wazuh-agentd ossec-agentd sentinelone sentinelctl suricata snort aide tripwire cbagentd "
    "mdatp wdavdaemon santa xagt ds_agent elastic-agent crowdsec sysmon usbguard"
).split()
"""Processes that guard the machine."""

SECRET_PROCESSES = (
    "ssh-agent gpg-agent gnome-keyring-daemon kwalletd kwalletd5 secretd 1password op keepassxc "
    "bitwarden vault sshd sudo su login chrome firefox"
).split()
"""Processes whose memory holds secrets."""

_ATTACH = "Watch a program from its start: `strace ./program`."
_END_ONE = "End one process by its number: `kill 12345`."
_LOGGED_OUT = "ends all processes of a user"

_STRESS = program(
    Fact(EXHAUST, "-t=0|--timeout=0", severity=HIGH, says="uses the machine up without an end",
         instead="Limit it: `stress --cpu 2 --timeout 10s`."),
    Fact(EXHAUST, "--vm-bytes=9?%|--vm-bytes=100%|--fork=0|-f=0", severity=HIGH,
         says="uses up all memory or processes",
         instead="Limit it: `stress --cpu 2 --timeout 10s`."),
    Fact(EXHAUST, severity=MEDIUM, says="puts load on the machine"),
    values="-c --cpu -i --io -m --vm -d --hdd -t --timeout --vm-bytes --fork -f -b --class",
    harmless="--help|--version|-n|--dry-run|-V",
)  # fmt: skip
_TRACER = program(
    Fact(WRITE, on="-o|--output"),
    values="-a -b -e -E -I -o -O -p -P -s -S -u -X --attach --output -l -n -x -F", posix=True,
    reader="attach", wraps=(Wrapper(),),
)  # fmt: skip
_MULTIPLEXER = program(
    Fact(KILL, "kill-server", severity=MEDIUM, says="ends every session"),
    Fact(TAMPER, f"set-environment|setenv {STEERING_NAMES}", severity=CRITICAL,
         says="changes the settings of agents or of their guard",
         instead="Look: `tmux show-environment`."),
    reader="multiplexer", values="-f",
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "kill": program(reader="kill"),
    "pkill": program(reader="pkill"),
    "killall": program(reader="pkill"),
    "pkill-all": program(same_as="pkill"),
    "killall5": program(
        Fact(KILL, severity=CRITICAL, says="ends every process but its own session",
             instead=_END_ONE),
    ),
    "skill": program(
        Fact(KILL, "-u|-t|-c", severity=HIGH, says=_LOGGED_OUT, instead=_END_ONE),
        Fact(KILL, severity=MEDIUM),
        values="-u -t -c -p",
    ),
    "slay": program(Fact(KILL, severity=HIGH, says=_LOGGED_OUT, instead=_END_ONE)),
    "xkill": program(Fact(KILL, severity=MEDIUM, says="closes a window by force")),
    "fuser": program(reader="fuser", values="-n --namespace -N"),
    "kill-port": program(Fact(KILL, on="each", severity=LOW)),
    "taskkill": program(
        Fact(KILL,
             "@lsass.exe|csrss.exe|winlogon.exe|services.exe|wininit.exe|svchost.exe|explorer.exe",
             severity=HIGH, says="ends a process needed by Windows",
             instead="End one process: `taskkill /PID 12345`."),
        Fact(KILL, severity=LOW),
    ),
    "renice": program(reader="renice"),
    "ionice": program(
        values="-c --class -n --classdata -p --pid -P -u", posix=True, reader="limits",
        wraps=(Wrapper(when="!-p|--pid|-P|-u"),),
    ),
    "prlimit": program(
        Fact(CHANGE, "-p=1|--pid=1", severity=HIGH, says="limits the first process of the system",
             instead="Limit a new program: `prlimit --nofile=1024 ./program`."),
        Fact(CHANGE, "-p|--pid", severity=LOW),
        values="-p --pid -o --output", posix=True, reader="limits",
        wraps=(Wrapper(when="!-p|--pid"),),
    ),
    "gdb": program(
        Fact(READ, on="-x|--command|-command|-ix|-c|--core|-core"),
        single_dash=True,
        values="-p --pid -pid -x --command -command -ex --eval-command -eval-command -iex "
        "--init-eval-command -ix --init-command -c --core -core -s --symbols -e --exec -d "
        "--directory -cd --cd -b -l -tty --tty -D --data-directory",
        reader="debugger", wraps=(Wrapper(when="--args|-args"),),
    ),
    "lldb": program(
        Fact(READ, on="-s|--source|-S|--source-before-file|-K|-c|--core"),
        values="-o --one-line -O --one-line-before-file -k --one-line-on-crash -s --source -S "
        "--source-before-file -K -p --attach-pid -n --attach-name -f --file -c --core -a --arch -l",
        reader="debugger",
    ),
    "gcore": program(Fact(WRITE, on="-o"), values="-o", reader="attach"),
    "procdump": program(reader="attach"),
    "strace": _TRACER,
    "ltrace": _TRACER,
    "dtruss": _TRACER,
    "truss": _TRACER,
    "reptyr": program(
        Fact(CHANGE, severity=HIGH, says="takes over the terminal of another process",
             instead=_ATTACH),
        values="-T -l -s", harmless="-h|-v",
    ),
    "injcode": program(Fact(UNSEEN, says="puts code into another process", instead=_ATTACH)),
    "py-spy": program(
        Fact(WRITE, on="-o|--output"),
        values="-p --pid -o --output -d --duration -r --rate", reader="limits",
        wraps=(Wrapper(when="record|top !-p|--pid"),),
    ),
    "pyrasite": program(
        Fact(UNSEEN, says="puts code into another process",
             instead="Look from outside: `py-spy dump --pid 12345`."),
    ),
    "pyrasite-shell": program(same_as="pyrasite"),
    "nsys": program(wraps=(Wrapper(when="profile"),)),
    "perf": program(
        Fact(WRITE, on="-o|--output"),
        values="-e -o -p --pid -F -C -t --call-graph -g_ -i --output --input",
        wraps=(Wrapper(when="stat|record|trace|bench !-p|--pid"),),
    ),
    "valgrind": program(posix=True, wraps=(Wrapper(),)),
    "stress": _STRESS,
    "stress-ng": _STRESS,
    "stressapptest": _STRESS,
    "s-tui": program(Fact(EXHAUST, severity=LOW)),
    "tmux": _MULTIPLEXER,
    "byobu": program(same_as="tmux"),
    "screen": program(
        Fact(KILL, "-X=quit", severity=LOW),
        values="-c -e -h -p -s -S -t -T -X", posix=True,
        wraps=(Wrapper(when="!-X|-r|-x|-ls|-list|-wipe"),),
    ),
    "pm2": program(
        Fact(KILL, "kill", severity=MEDIUM, says="ends every program under pm2"),
        Fact(KILL, "delete|stop @all", severity=MEDIUM, says="ends every program of pm2"),
        Fact(KILL, "delete|stop|restart|reload", severity=LOW),
        Fact(CHANGE, "startup", severity=MEDIUM, says="starts programs with the machine"),
        values="-n --name -i --instances --interpreter --cwd -l --log",
    ),
    "forever": program(Fact(KILL, "stop|stopall|restart*", severity=LOW)),
    "supervisorctl": program(
        Fact(KILL, "stop @all", severity=HIGH, says="stops every supervised program",
             instead="Look first: `supervisorctl status`."),
        Fact(KILL, "shutdown", severity=HIGH, says="stops every supervised program",
             instead="Look first: `supervisorctl status`."),
        Fact(KILL, "stop|restart|signal|remove", severity=MEDIUM),
        values="-c -s -u -p",
    ),
    "mimipenguin": program(
        Fact(SECRET, says="takes passwords out of memory",
             instead="Leave passwords where they are."),
    ),
    "mimikatz": program(same_as="mimipenguin"),
}  # fmt: skip
