"""The everyday file tools say which paths they read, write and delete."""

from collections.abc import Callable

import pytest

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo

TOUCHED = [
    ("rm a b", ["delete /w/a", "delete /w/b"]),
    ("rm -rf build", ["delete /w/build*"]),
    ("rm -- -x", ["delete /w/-x"]),
    ("unlink a", ["delete /w/a"]),
    ("cp a b", ["read /w/a", "write /w/b"]),
    ("cp a b /etc", ["read /w/a", "read /w/b", "write /etc/a", "write /etc/b"]),
    ("cp -t /etc a", ["read /w/a", "write /etc/a"]),
    ("cp -r a /tmp/x", ["read /w/a*", "write /tmp/x"]),
    ("cp .bashrc ~", ["read /w/.bashrc", "write /home/me/.bashrc"]),
    ("cp .env.example .env", ["read /w/.env.example", "write /w/.env"]),
    ("mv a b", ["write /w/a*", "write /w/b"]),
    ("mv src /dev/null", ["delete /w/src*"]),
    ("install -d a/b", ["write /w/a/b"]),
    ("install -m 755 tool /usr/bin/tool", ["read /w/tool", "write /usr/bin/tool"]),
    ("ln -s ../x a/b", ["link /w/x", "write /w/a/b"]),
    ("ln x y", ["link /w/x", "write /w/y"]),
    ("tee -a out.txt", ["write /w/out.txt"]),
    ("truncate -s 0 log", ["write /w/log"]),
    ("dd if=a of=b bs=1M count=1", ["read /w/a", "write /w/b"]),
    ("touch -r a b", ["write /w/b"]),
    ("mkdir -m 700 a", ["write /w/a"]),
    ("trash a", ["write /w/a"]),
    ("rm --help", []),
]


@pytest.mark.parametrize(("command", "expected"), TOUCHED)
def test_paths(touched: Callable[[str], list[str]], command: str, expected: list[str]) -> None:
    assert touched(command) == expected


STOPPED = [
    ("yes > fill", Kind.EXHAUST),
    ("cat /dev/zero > fill", Kind.EXHAUST),
    ("dd if=/dev/zero of=fill", Kind.EXHAUST),
    ("dd if=/dev/zero of=fill bs=1G count=1000", Kind.EXHAUST),
    ("fallocate -l 10T fill", Kind.EXHAUST),
    ("install -m 4755 sh /tmp/sh", Kind.PRIVILEGE),
    ("mknod /tmp/sda b 8 0", Kind.DEVICE),
    ("date -s '2020-01-01'", Kind.SYSTEM),
    ("date 010100002020", Kind.SYSTEM),
    ("hostname other", Kind.SYSTEM),
    ("trash-empty", Kind.DESTROY),
    ("xattr -d com.apple.quarantine x.app", Kind.TAMPER),
    ("setfattr -n security.capability -v x tool", Kind.PRIVILEGE),
    ("defaults write com.apple.loginwindow LoginHook /tmp/x", Kind.PERSIST),
    ("gio trash --empty", Kind.DESTROY),
]


@pytest.mark.parametrize(("command", "kind"), STOPPED)
def test_what_is_bad_wherever_it_happens(
    effects: Callable[[str], tuple[Effect, ...]], command: str, kind: Kind
) -> None:
    worst = max(effects(command), key=lambda effect: effect.severity)
    assert (worst.kind, worst.severity >= Severity.HIGH) == (kind, True)
    assert worst.instead


CALM = [
    "yes | head -3",
    "yes > /dev/null",
    "head -c 16 /dev/urandom > key",
    "dd if=/dev/zero of=x bs=1M count=10",
    "dd if=/dev/sda of=/dev/null bs=1M count=1",
    "fallocate -l 64M x",
    "date +%F",
    "date -u -Iseconds",
    "date -d '2 days ago'",
    "hostname -f",
    "install -m 755 a b",
    "rmdir empty",
    "xattr -w com.apple.metadata:x y file.zip",
    "codesign -d --entitlements - x.app",
    "defaults read com.apple.dock",
    "plutil -p Info.plist",
]


@pytest.mark.parametrize("command", CALM)
def test_ordinary_use_is_calm(effects: Callable[[str], tuple[Effect, ...]], command: str) -> None:
    assert max((effect.severity for effect in effects(command)), default=Severity.NONE) <= (
        Severity.LOW
    )


@pytest.mark.parametrize("command", ["shred -u a", "srm a", "wipe a", "mv a /dev/null"])
def test_nothing_brings_back_what_was_overwritten(
    effects: Callable[[str], tuple[Effect, ...]], command: str
) -> None:
    assert [(e.severity, e.undo) for e in effects(command)] == [(Severity.HIGH, Undo.IMPOSSIBLE)]
