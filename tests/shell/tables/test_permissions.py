"""Modes, owners and accounts: what opens a door is stopped, everyday modes are not."""

from collections.abc import Callable

import pytest

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

STOPPED = [
    ("chmod -R 777 .", Kind.PERMIT),
    ("chmod 777 *", Kind.PERMIT),
    ("chmod -R a+w src", Kind.PERMIT),
    ("chmod -R 000 .", Kind.PERMIT),
    ("find . | xargs chmod 666", Kind.PERMIT),
    ("chmod u+s tool", Kind.PRIVILEGE),
    ("chmod +s tool", Kind.PRIVILEGE),
    ("chmod 04755 tool", Kind.PRIVILEGE),
    ("sudo chmod g+s tool", Kind.PRIVILEGE),
    ("sudo chmod 2755 tool", Kind.PRIVILEGE),
    ("setfacl -R -m o::rwx src", Kind.PERMIT),
    ("setcap cap_setuid+ep tool", Kind.PRIVILEGE),
    ("useradd -m bob", Kind.SYSTEM),
    ("usermod -aG sudo me", Kind.SYSTEM),
    ("userdel -r bob", Kind.DESTROY),
    ("passwd root", Kind.SYSTEM),
    ("chpasswd", Kind.SYSTEM),
    ("visudo", Kind.PRIVILEGE),
    ("su", Kind.PRIVILEGE),
    ("su - root -c id", Kind.PRIVILEGE),
    ("pkexec bash", Kind.PRIVILEGE),
    ("gosu root ls", Kind.PRIVILEGE),
    ("setenforce 0", Kind.TAMPER),
    ("aa-disable x", Kind.TAMPER),
    ("csrutil disable", Kind.TAMPER),
    ("spctl --master-disable", Kind.TAMPER),
    ("dscl . -delete /Users/x", Kind.DESTROY),
    ("dseditgroup -o edit -a me -t user admin", Kind.SYSTEM),
    ("auditctl -e 0", Kind.TAMPER),
]


@pytest.mark.parametrize(("command", "kind"), STOPPED)
def test_opening_a_door(effects: Effects, command: str, kind: Kind) -> None:
    worst = max(effects(command), key=lambda effect: effect.severity)
    assert (worst.kind, worst.severity >= Severity.HIGH) == (kind, True)
    assert worst.instead


CALM = [
    "chmod g+s shared",
    "chmod 2775 shared",
    "chmod +x run.sh",
    "chmod 755 bin/*",
    "chmod -R u+rwX,go-w build",
    "chmod g+s shared",
    "chmod 1777 tmp",
    "chmod -x run.sh",
    "chmod --reference=a b",
    "chown -R me:me dist",
    "setfacl -m u:me:rwx a",
    "umask 022",
    "passwd -S me",
    "chage -l me",
    "visudo -c",
    "setenforce 1",
    "csrutil status",
    "capsh --print",
    "dscl . -list /Users",
]


@pytest.mark.parametrize("command", CALM)
def test_everyday_modes_are_calm(effects: Effects, command: str) -> None:
    assert max((e.severity for e in effects(command)), default=Severity.NONE) <= Severity.LOW


@pytest.mark.parametrize("mode", ["600", "0700", "go-rwx", "o-w"])
def test_taking_access_from_others_is_nothing(effects: Effects, mode: str) -> None:
    assert [e.severity for e in effects(f"chmod {mode} key")] == [Severity.NONE]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("chmod -R -x /bin", ["permit /bin*"]),
        ("chown -R me /etc", ["permit /etc*"]),
        ("chgrp x a", ["permit /w/a"]),
        ("chattr +i /etc/x", ["permit /etc/x"]),
        ("chattr -i /etc/x", ["permit /etc/x"]),
        ("restorecon -R /", ["permit /*"]),
    ],
)
def test_paths(touched: Callable[[str], list[str]], command: str, expected: list[str]) -> None:
    assert touched(command) == expected
