"""Services, power, the network and the clock of the machine, its logs."""

from handrail.shell.tables.environment import STEERING_NAMES
from handrail.shell.tables.shorthand import (
    CHANGE,
    CRITICAL,
    HIGH,
    KILL,
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
    aliases,
    program,
)

_GUARDS = (
    "@ufw*|firewalld*|iptables*|nftables*|audit*|apparmor*|fail2ban*|crowdstrike*|falcon*|falco*|"
    "osquery*|clamav*|wazuh*|ossec*|sentinel*|suricata*|aide*|selinux*|usbguard*|mdatp*|crowdsec*|"
    "com.apple.alf*|com.apple.syslogd|*edr*|rsyslog*|syslog*|systemd-journald*|unattended-upgrades*|"
    "apt-daily*|elastic-agent*|sysmon*"
)
_SELF = "@*handrail*|[*?]*|h[*?]*|ha[*?]*|han[*?]*|hand[*?]*|handr[*?]*|handra[*?]*|handrai[*?]*"
"""The units of this guard, also by a pattern that may mean them."""
_STATUS = "Look at it: `systemctl status {target}`."
_POWER = "See how long it has been up: `uptime`."
_NET = "Only look: `ip addr` and `ip route`."
_WALL = "Only look: `iptables -L -n`."
_ASK_GUARD = "Ask a person to decide; an agent does not change its own supervision."


def _stops(when: str, on: str = "each", look: str = _STATUS) -> tuple[Fact, ...]:
    """Ways to stop a service: worse if it guards the machine, worst if it is this guard."""
    return (
        Fact(CHANGE, when, on=on, severity=HIGH, says="stops the service {target}", instead=look),
        Fact(TAMPER, f"{when} {_GUARDS}", on=on, severity=HIGH, instead=look,
             says="stops {target}, the machine's security software"),
        Fact(TAMPER, f"{when} {_SELF}", on=on, says="stops this agent's guard",
             instead=_ASK_GUARD),
    )  # fmt: skip


def _power(when: str = "", says: str = "switches the machine off or restarts it") -> Fact:
    return Fact(SYSTEM, when, severity=HIGH, says=says, instead=_POWER)


_SYSTEMCTL = program(
    _power("poweroff|reboot|halt|kexec|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|"
           "sleep|soft-reboot|exit"),
    _power("rescue|emergency|isolate|default|switch-root", "stops nearly every service"),
    Fact(SYSTEM, "set-default", on="1", says="changes how the machine starts",
         instead="Only ask: `systemctl get-default`."),
    *_stops("stop|disable|mask|kill|clean|freeze"),
    Fact(PERSIST, "enable|reenable|link|add-wants|add-requires|preset", on="each",
         says="makes {target} start by itself", instead=_STATUS),
    Fact(CHANGE, "edit|revert|set-property", on="1", severity=HIGH,
         says="changes the service {target}", instead="Read it: `systemctl cat {target}`."),
    Fact(CHANGE, "preset-all", severity=HIGH, says="changes which services start by themselves",
         instead="Only look: `systemctl list-unit-files`."),
    Fact(TAMPER, f"restart|try-restart|reload|reload-or-*|edit|revert|set-property|link|preset|"
         f"reenable|add-*|bind|mount-image {_SELF}",
         says="restarts or changes this agent's guard", instead=_ASK_GUARD),
    Fact(TAMPER, f"set-environment|unset-environment {STEERING_NAMES}", severity=CRITICAL,
         says="changes the settings of agents or of their guard",
         instead="Only look: `systemctl show-environment`."),
    Fact(UNSEEN, "set-environment|import-environment @LD_PRELOAD*|LD_AUDIT*|PATH=*",
         says="changes what every service loads or runs",
         instead="Only look: `systemctl show-environment`."),
    Fact(CHANGE, "restart|try-restart|reload-or-restart|condrestart|set-environment|"
         "import-environment|daemon-reexec|unmask", severity=MEDIUM),
    Fact(CHANGE, "start|reload|daemon-reload|reset-failed", severity=LOW),
    values="-t --type -p --property -P -n --lines -o --output -s --signal -H --host -M --machine "
    "--root --state --kill-whom --kill-who --when --preset-mode --job-mode --what --message",
    harmless="--dry-run|--help|-h|--version",
)  # fmt: skip
_LAUNCHCTL = program(
    *_stops("unload|bootout|disable|remove|stop|kill", look="Look: `launchctl list`."),
    Fact(CHANGE, "kickstart -k", severity=MEDIUM),
    Fact(TAMPER, f"kickstart -k {_SELF}", says="restarts this agent's guard", instead=_ASK_GUARD),
    Fact(PERSIST, "load|bootstrap|submit|enable", on="last",
         says="makes {target} run by itself from now on", instead="Look: `launchctl list`."),
    _power("reboot", "restarts the machine"),
    Fact(TAMPER, f"setenv|unsetenv {STEERING_NAMES}", severity=CRITICAL,
         says="changes the settings of agents or of their guard",
         instead="Look: `launchctl getenv PATH`."),
    Fact(UNSEEN, "setenv|config @DYLD_*|PATH", says="changes what every program loads or runs",
         instead="Look: `launchctl getenv PATH`."),
    wraps=(Wrapper(when="asuser", skip=1), Wrapper(when="submit")),
)  # fmt: skip
_DBUS = (
    "*.PowerOff*|*.Reboot*|*.Suspend*|*.Hibernate*|*.Halt*|*.KExec*|*.InstallPackages*|"
    "*.RemovePackages*|*.UpdatePackages*|*.InstallFiles*|*.DeleteUser*|*.CreateUser*|*.SetPassword*|"
    "*.SetAccountType*|*.StopUnit*|*.StartUnit*|*.RestartUnit*|*.DisableUnitFiles*|"
    "*.EnableUnitFiles*|*.MaskUnitFiles*|*.KillUnit*|*.StartTransientUnit*|*.SetDefaultTarget*|"
    "*.TerminateSession*|*.TerminateUser*|*.KillSession*|*.SetUserLinger*|*.RepoEnable*|"
    "*.addInterface*|*.removeInterface*|*.addService*|*.SetHostname*|*.SetTime*"
)
_DBUS_MEMBERS = _DBUS.replace("*.", "")
_DBUS_LOOK = "Only look: `busctl list`."
_DBUS_SAYS = "asks a system service to change users, packages, services or power"
_IPTABLES = program(
    Fact(SYSTEM, "-A|-I|-D|-R|-F|-X|-P|-N|-Z|-E|--append|--insert|--delete|--replace|--flush|"
         "--delete-chain|--policy|--new-chain|--rename-chain|--zero", severity=HIGH,
         says="changes the firewall", instead=_WALL),
    values="-t --table -s --source -d --destination -i --in-interface -o --out-interface -p "
    "--protocol --dport --sport -j --jump -m --match -w --wait --icmp-type --comment",
    harmless="--help|-h|--version|-C|--check",
)  # fmt: skip
_RESTORE = program(
    Fact(SYSTEM, severity=HIGH, says="replaces the whole firewall", instead=_WALL),
    Fact(READ, on="each"),
    harmless="-t|--test|--help|-h",
)  # fmt: skip
_NAMES = "Only look: `resolvectl status`."
_FIREWALLD = "|".join(
    f"--{verb}-{what}"
    for verb in ("add", "remove", "set")
    for what in (
        "port service rich-rule interface source masquerade forward-port protocol target "
        "default-zone icmp-block lockdown-whitelist-uid"
    ).split()
)
_NETWORKSETUP = "|".join(
    f"-{verb}"
    for verb in (
        "setdnsservers setsearchdomains setwebproxy setwebproxystate setsecurewebproxy "
        "setsecurewebproxystate setautoproxyurl setautoproxystate setproxyautodiscovery "
        "setsocksfirewallproxy setsocksfirewallproxystate setproxybypassdomains setairportpower "
        "setairportnetwork setmanual setmanualwithdhcprouter setdhcp setbootp setv6off setMTU "
        "setnetworkserviceenabled setcomputername setadditionalroutes createnetworkservice "
        "removenetworkservice ordernetworkservices switchtolocation deletelocation "
        "removepreferredwirelessnetwork"
    ).split()
)
_CHANGING = "add|a|del|delete|d|change|replace|append|flush|f|set|restore|prepend"

PROGRAMS: dict[str, Program] = {
    # Power
    "shutdown": program(_power(), harmless="-c|--help|-k|--show"),
    "reboot": program(_power(), harmless="--help|-w|--wtmp-only"),
    "poweroff": program(_power(), harmless="--help|-w|--wtmp-only"),
    "halt": program(_power(), harmless="--help|-w|--wtmp-only"),
    "init": program(_power("0|1|6|s|S|u|q")),
    "telinit": program(_power("0|1|6|s|S|u")),
    "pm-suspend": program(_power()),
    "pm-hibernate": program(_power()),
    "rtcwake": program(
        _power("-m=off|-m=mem|-m=disk|-m=standby|-m=freeze|--mode=off|--mode=mem|--mode=disk|"
               "--mode=standby"),
        values="-m --mode -s --seconds -t --time -d --device", harmless="--dry-run|-n|--help",
    ),
    "pmset": program(
        _power("sleepnow|displaysleepnow|restoredefaults|schedule|repeat|boot"),
        Fact(SYSTEM, "-a|-b|-c|-u", severity=MEDIUM, says="changes how the machine saves power"),
    ),
    "wsl": program(
        _power("--shutdown|--terminate|-t", "stops Linux under Windows"),
        Fact(SYSTEM, "--unregister|--uninstall", severity=HIGH, says="deletes a whole Linux",
             instead="Only look: `wsl --list`."),
    ),
    "loginctl": program(
        _power("poweroff|reboot|suspend|hibernate|halt"),
        Fact(KILL, "terminate-*|kill-*", on="each", severity=HIGH,
             says="ends all processes of {target}", instead="Only look: `loginctl`."),
        Fact(PERSIST, "enable-linger", severity=MEDIUM, says="lets services outlive the login"),
    ),
    # Services
    "systemctl": _SYSTEMCTL,
    "service": program(
        Fact(CHANGE, "* stop|disable|--full-restart", severity=HIGH, says="stops a service",
             instead="Look at them: `service --status-all`."),
        Fact(TAMPER, f"{_GUARDS[1:]} stop|disable", severity=HIGH,
             says="stops the machine's security software", instead="Look: `service --status-all`."),
        Fact(CHANGE, "* restart|reload|force-reload|condrestart", severity=MEDIUM),
        Fact(CHANGE, "* start", severity=LOW),
    ),
    **aliases("service", "invoke-rc.d", "rc-service"),
    "rc-update": program(
        *_stops("del|delete|-d", look="Look at them: `rc-status`."),
        Fact(PERSIST, "add|-a", on="1", says="makes {target} start by itself",
             instead="Look at them: `rc-status`."),
    ),
    "sv": program(
        *_stops("down|stop|exit|kill|force-stop|d|x|k", on="1",
                look="Look at it: `sv status {target}`."),
        Fact(CHANGE, "restart|hup|term", severity=MEDIUM),
    ),
    "initctl": program(*_stops("stop", look="Look at them: `initctl list`.")),
    "chkconfig": program(
        *_stops("* off", look="Look at them: `chkconfig --list`."),
        *_stops("--del", look="Look at them: `chkconfig --list`."),
        Fact(PERSIST, "--add", on="each", says="makes {target} start by itself",
             instead="Look at them: `chkconfig --list`."),
        Fact(PERSIST, "* on", severity=HIGH, says="makes a service start by itself",
             instead="Look at them: `chkconfig --list`."),
    ),
    "update-rc.d": program(
        Fact(CHANGE, "* remove|disable", severity=HIGH, says="stops a service from starting",
             instead="Look at them: `service --status-all`."),
        Fact(PERSIST, "* defaults|enable|start", says="makes a service start by itself",
             instead="Look at them: `service --status-all`."),
    ),
    "launchctl": _LAUNCHCTL,
    "sc": program(
        *_stops("stop|delete|config|failure", look="Look: `sc query`."),
        Fact(PERSIST, "create", on="1", says="makes a program run as a service",
             instead="Look: `sc query`."),
    ),
    "net": program(*_stops("stop", look="Look: `sc query`.")),
    "apachectl": program(
        *_stops("stop|graceful-stop", look="Look: `apachectl configtest`."),
        Fact(CHANGE, "restart|graceful|-k", severity=LOW),
    ),
    "nginx": program(
        Fact(CHANGE, "-s=stop|-s=quit", severity=MEDIUM, says="stops the web server"),
        Fact(READ, on="-c"),
        values="-s -c -p -g -e",
    ),
    "trust": program(
        Fact(TAMPER, "anchor !--remove", on="each", severity=HIGH,
             says="lets {target} vouch for any server", instead="Look: `trust list`."),
    ),
    "update-ca-certificates": program(
        Fact(TAMPER, severity=MEDIUM, says="changes which servers are trusted"),
    ),
    "update-ca-trust": program(same_as="update-ca-certificates"),
    # D-Bus
    "busctl": program(
        Fact(SYSTEM, f"call * * * {_DBUS_MEMBERS}", severity=HIGH, says=_DBUS_SAYS,
             instead=_DBUS_LOOK),
        Fact(CHANGE, "call|set-property", severity=LOW),
        values="--address -H --host -M --machine --match --timeout --expect-reply",
    ),
    "dbus-send": program(
        Fact(SYSTEM, f"@{_DBUS}", severity=HIGH, says=_DBUS_SAYS, instead=_DBUS_LOOK),
    ),
    "gdbus": program(
        Fact(SYSTEM,
             "call " + "|".join(f"{name}={glob}" for name in ("-m", "--method")
                                for glob in _DBUS.split("|")), severity=HIGH, says=_DBUS_SAYS,
             instead=_DBUS_LOOK),
        values="-d --dest -o --object-path -m --method -a --address -t --timeout",
    ),
    "qdbus": program(
        Fact(SYSTEM, f"@{_DBUS}|{_DBUS_MEMBERS}", severity=HIGH, says=_DBUS_SAYS,
             instead=_DBUS_LOOK),
    ),
    # Firewall
    "iptables": _IPTABLES,
    "ip6tables": _IPTABLES,
    "ebtables": _IPTABLES,
    "arptables": _IPTABLES,
    "iptables-nft": _IPTABLES,
    "iptables-legacy": _IPTABLES,
    "iptables-restore": _RESTORE,
    "ip6tables-restore": _RESTORE,
    "ipset": program(
        Fact(SYSTEM, "add|del|flush|destroy|create|restore|swap|rename", severity=HIGH,
             says="changes the firewall", instead=_WALL),
    ),
    "nft": program(
        Fact(SYSTEM, "add*|insert*|delete*|flush*|replace*|create*|destroy*|rename*|reset*",
             severity=HIGH, says="changes the firewall", instead="Only look: `nft list ruleset`."),
        Fact(SYSTEM, "-f|--file", severity=HIGH, says="replaces the firewall",
             instead="Only look: `nft list ruleset`."),
        Fact(READ, on="-f|--file"),
        values="-f --file -I --includepath -D --define", harmless="-c|--check|--help|-h|--version",
    ),
    "ufw": program(
        Fact(TAMPER, "disable|reset", severity=HIGH, says="switches the firewall off",
             instead="Only look: `ufw status`."),
        Fact(SYSTEM,
             "enable|allow|deny|reject|limit|delete|insert|prepend|route|default|logging|reload",
             severity=HIGH, says="changes the firewall", instead="Only look: `ufw status`."),
        harmless="--dry-run|--help",
    ),
    "firewall-cmd": program(
        Fact(TAMPER, "--panic-on|--panic-off|--complete-reload|--runtime-to-permanent",
             severity=HIGH, says="changes the firewall",
             instead="Only look: `firewall-cmd --list-all`."),
        Fact(SYSTEM, _FIREWALLD, severity=HIGH, says="changes the firewall",
             instead="Only look: `firewall-cmd --list-all`."),
    ),
    "pfctl": program(
        Fact(TAMPER, "-d|-F|-e|-f|-k|-R", severity=HIGH, says="changes the firewall",
             instead="Only look: `pfctl -s rules`."),
        values="-f -a -t -T -k -i -o", harmless="-n|-s",
    ),
    "netsh": program(
        Fact(SYSTEM, "advfirewall|firewall set|add|delete|reset", severity=HIGH,
             says="changes the firewall", instead="Only look: `netsh advfirewall show`."),
        Fact(SYSTEM, "interface|winhttp|int set|add|delete|reset", severity=HIGH,
             says="changes the network", instead="Only look: `netsh interface show`."),
    ),
    "socketfilterfw": program(
        Fact(TAMPER, "--setglobalstate|--setblockall|--unblockapp|--add|--remove", severity=HIGH,
             says="changes the firewall", instead="Look: `socketfilterfw --listapps`."),
    ),
    # Network
    "ip": program(
        Fact(SYSTEM,
             f"r|ro|rou|route|ru|rule|n|neigh|neighbor|neighbour|a|addr|address|l|link|"
     f"tunnel|tuntap|maddr|mroute|xfrm|ntable|tcp_metrics|token|macsec|l2tp|nexthop "
     f"{_CHANGING}", severity=HIGH, says="changes the network of this machine", instead=_NET),
        Fact(SYSTEM, "netns add|del|delete|set|attach", severity=MEDIUM),
        Fact(SYSTEM, "-b|-batch", severity=HIGH, instead=_NET,
             says="changes the network of this machine"),
        single_dash=True, values="-n -netns -f -family -b -batch -l -loops -rcvbuf",
        wraps=(Wrapper(when="netns exec", skip=1), Wrapper(when="vrf exec", skip=1)),
    ),
    "ifconfig": program(
        Fact(SYSTEM, "* up|down|add|del|delete|alias|-alias|hw|netmask|mtu|promisc|lladdr|ether|"
             "inet|inet6|[0-9]*", severity=HIGH, says="changes the network of this machine",
             instead=_NET),
    ),
    "ifup": program(Fact(SYSTEM, severity=MEDIUM)),
    "ifdown": program(
        Fact(SYSTEM, severity=HIGH, says="switches a network card off", instead=_NET),
    ),
    "route": program(
        Fact(SYSTEM, "add|del|delete|flush|change|-f", severity=HIGH,
             says="changes where this machine sends data", instead=_NET),
        Fact(SYSTEM, "-f", severity=HIGH, says="changes where this machine sends data",
             instead=_NET),
    ),
    "arp": program(
        Fact(SYSTEM, "-s|-d|-f|--set|--delete|-S", severity=HIGH,
             says="changes who answers for an address", instead="Look: `arp -a`."),
        values="-i -s -d -f",
    ),
    "brctl": program(
        Fact(SYSTEM, "addbr|delbr|addif|delif|stp|set*", severity=HIGH,
             says="changes the network of this machine", instead=_NET),
    ),
    "tc": program(
        Fact(SYSTEM, f"qdisc|filter|class {_CHANGING}", severity=HIGH,
             says="slows down or redirects the network", instead=_NET),
    ),
    "nmcli": program(
        Fact(SYSTEM, "c|con|conn|connection|d|dev|device|n|net|networking|r|radio|g|general add|"
             "mod|modify|del|delete|up|down|off|on|connect|disconnect|set|edit|import|reload|"
             "hostname|reapply", severity=HIGH, says="changes the network",
             instead="Look: `nmcli device show`."),
        Fact(SYSTEM, "d|dev|device|r|radio wifi|wwan|all connect|hotspot|on|off",
             says="changes the network", instead="Look: `nmcli device wifi list`."),
        values="-f --fields -g --get-values -m --mode -t_ -w --wait -c --colors",
        harmless="--help|-h",
    ),
    "iwconfig": program(
        Fact(SYSTEM, "* *", severity=HIGH, instead=_NET, says="changes the wireless network"),
    ),
    "iw": program(
        Fact(SYSTEM, "dev * set|del|connect|disconnect|interface", severity=HIGH,
             says="changes the wireless network", instead=_NET),
    ),
    "rfkill": program(Fact(SYSTEM, "block|toggle", severity=MEDIUM)),
    "resolvectl": program(
        Fact(SYSTEM, "dns|domain|default-route|llmnr|mdns|dnsovertls|dnssec|nta|revert * *",
             severity=HIGH, says="changes how names are looked up", instead=_NAMES),
        Fact(CHANGE, "flush-caches|reset-*", severity=LOW),
    ),
    "resolvconf": program(
        Fact(SYSTEM, "-a|-d", severity=HIGH, instead=_NAMES,
             says="changes how names are looked up"),
    ),
    "networksetup": program(
        Fact(SYSTEM, _NETWORKSETUP, severity=HIGH, says="changes the network of this machine",
             instead="Only look: `networksetup -listallnetworkservices`."),
        single_dash=True,
    ),
    "scutil": program(
        Fact(SYSTEM, "--set|--renew", severity=HIGH, says="changes a name or the network",
             instead="Only look: `scutil --dns`."),
        Fact(CHANGE, "--nc start|stop|enable|disable", severity=MEDIUM),
    ),
    "systemsetup": program(
        Fact(SYSTEM, "-setremotelogin|-settimezone|-setdate|-settime|-setusingnetworktime|"
             "-setnetworktimeserver|-setsleep|-setremoteappleevents|-setcomputername",
             severity=HIGH, says="changes a setting of the machine",
             instead="Only look: `systemsetup -gettimezone`."),
        single_dash=True,
    ),
    "scselect": program(Fact(SYSTEM, "*", severity=MEDIUM)),
    "wg-quick": program(Fact(SYSTEM, "up|down", severity=MEDIUM)),
    "ntpdate": program(
        Fact(SYSTEM, severity=HIGH, says="changes the clock", instead="Only look: `date`."),
        harmless="-q|-d",
    ),
    # Names, clock, language
    "hostnamectl": program(
        Fact(SYSTEM, "set-*|hostname|chassis|deployment|location|icon-name *", severity=HIGH,
             says="changes the machine's name", instead="Only look: `hostnamectl status`."),
    ),
    "timedatectl": program(
        Fact(SYSTEM, "set-*|ntp-servers|revert", severity=HIGH, says="changes the clock",
             instead="Only look: `timedatectl status`."),
    ),
    "localectl": program(Fact(SYSTEM, "set-*", severity=MEDIUM)),
    "hwclock": program(
        Fact(SYSTEM, "--set|--systohc|-w|--hctosys|-s|--adjust", severity=HIGH,
             says="changes the clock", instead="Only look: `hwclock --show`."),
        values="--date -f --rtc",
    ),
    "domainname": program(Fact(SYSTEM, "*", severity=MEDIUM)),
    # Logs
    "journalctl": program(
        Fact(TAMPER, "--vacuum-time|--vacuum-size|--vacuum-files", severity=HIGH,
             says="deletes logs", instead="See their size: `journalctl --disk-usage`."),
        Fact(TAMPER, "--rotate|--flush|--relinquish-var", severity=MEDIUM,
             says="closes the present log"),
        values="-u --unit -n --lines -o --output -p --priority -b_ -S --since -U --until -t "
        "--identifier -D --directory --file -g --grep -c --cursor --user-unit -F --field -M",
    ),
    "logrotate": program(
        Fact(TAMPER, "-f|--force", severity=HIGH, says="moves or deletes logs now",
             instead="Only look: `logrotate -d /etc/logrotate.conf`."),
        Fact(READ, on="each"),
        Fact(WRITE, on="-s|--state|-l|--log"),
        values="-s --state -m --mail -l --log", harmless="-d|--debug|--help|--version",
    ),
    "history": program(Fact(CHANGE, "-c|-d|-w", severity=LOW, says="forgets commands")),
    "wevtutil": program(
        Fact(TAMPER, "cl|clear-log|sl|set-log", severity=HIGH, says="deletes logs",
             instead="Only look: `wevtutil el`."),
    ),
    "utmpdump": program(Fact(TAMPER, "-r|--reverse", severity=MEDIUM)),
}  # fmt: skip
