"""Services, network, clock and logs: changing them is stopped, looking is not."""

from collections.abc import Callable

import pytest

from handrail.model.effect import PATH_KINDS, Effect, Kind
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

STOPPED = {
    Kind.SYSTEM: [
        "shutdown -h now",
        "sudo reboot",
        "init 6",
        "systemctl poweroff",
        "systemctl isolate rescue.target",
        "loginctl poweroff",
        "busctl call x /o org.freedesktop.login1.Manager PowerOff b false",
        "dbus-send --system --dest=x /o org.freedesktop.login1.Manager.Reboot boolean:true",
        "gdbus call --system -d x -o /o -m org.freedesktop.Accounts.DeleteUser 1 true",
        "iptables -F",
        "sudo iptables -P INPUT ACCEPT",
        "iptables-restore /tmp/rules",
        "nft delete table inet filter",
        "ufw allow 22",
        "firewall-cmd --permanent --add-port=22/tcp",
        "ip route del default",
        "ip -4 rule flush",
        "ip neigh replace 192.168.1.1 lladdr aa:bb:cc:dd:ee:ff dev eth0",
        "ip link set eth0 down",
        "ifconfig eth0 down",
        "sudo route add -net 10.0.0.0/8 gw 192.168.1.1",
        "arp -s 1.1.1.1 aa:bb:cc:dd:ee:ff",
        "nmcli radio wifi off",
        "resolvectl dns eth0 203.0.113.9",
        "networksetup -setdnsservers Wi-Fi 203.0.113.9",
        "scutil --set HostName x",
        "hostnamectl set-hostname x",
        "timedatectl set-time 2000-01-01",
    ],
    Kind.CHANGE: [
        "systemctl stop postgresql",
        "systemctl edit --full sshd",
        "service mysql stop",
        "rc-service sshd stop",
        "launchctl bootout system/com.x",
    ],
    Kind.TAMPER: [
        "systemctl stop ufw",
        "systemctl disable --now auditd",
        "systemctl --user stop handrail",
        "ufw disable",
        "journalctl --vacuum-time=1s",
        "logrotate -f /etc/logrotate.conf",
        "trust anchor rogue.crt",
    ],
    Kind.PERSIST: [
        "systemctl enable --now x.service",
        "launchctl load ~/Library/LaunchAgents/x.plist",
        "rc-update add x default",
    ],
    Kind.KILL: [
        "loginctl terminate-user root",
    ],
    Kind.DELETE: [
        "ip netns exec x rm -rf /etc",
    ],
}
ROWS = [(kind, command) for kind, commands in STOPPED.items() for command in commands]


@pytest.mark.parametrize(("kind", "command"), ROWS)
def test_changing_the_machine(effects: Effects, kind: Kind, command: str) -> None:
    severe = [effect for effect in effects(command) if effect.severity >= Severity.HIGH]
    assert kind in {effect.kind for effect in severe}


@pytest.mark.parametrize(("kind", "command"), ROWS)
def test_what_to_do_instead(effects: Effects, kind: Kind, command: str) -> None:
    severe = [effect for effect in effects(command) if effect.severity >= Severity.HIGH]
    assert all(effect.instead for effect in severe if effect.kind not in PATH_KINDS)


CALM = [
    "shutdown -c",
    "systemctl status nginx",
    "systemctl restart nginx",
    "systemctl daemon-reload",
    "systemctl list-timers",
    "systemctl --user show-environment",
    "service nginx status",
    "launchctl list",
    "busctl list",
    "busctl introspect org.x /o",
    "dbus-send --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames",
    "iptables -L -n",
    "iptables -t nat -S",
    "nft list ruleset",
    "ufw status",
    "firewall-cmd --list-all",
    "ip -br link",
    "ip route get 8.8.8.8",
    "ip neigh show dev eth0",
    "ip -n testns addr",
    "ifconfig -a",
    "route -n get default",
    "arp -a",
    "nmcli -t -f ACTIVE,SSID dev wifi",
    "resolvectl status",
    "networksetup -getdnsservers Wi-Fi",
    "scutil --dns",
    "hostnamectl",
    "timedatectl status",
    "journalctl -u nginx --since today",
    "logrotate -d /etc/logrotate.conf",
]


@pytest.mark.parametrize("command", CALM)
def test_looking_at_it(effects: Effects, command: str) -> None:
    assert all(effect.severity < Severity.HIGH for effect in effects(command))
