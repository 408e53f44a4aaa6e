"""Kernel and firmware: changing them is stopped, asking is not."""

from collections.abc import Callable

import pytest

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

STOPPED = [
    ("insmod x.ko", Kind.SYSTEM),
    ("modprobe -r ext4", Kind.SYSTEM),
    ("kexec -s -l vmlinuz", Kind.SYSTEM),
    ("sysctl -w kernel.sysrq=1", Kind.SYSTEM),
    ("sysctl kernel.sysrq=1 vm.max_map_count=262144", Kind.SYSTEM),
    ("sysctl --load=/tmp/x", Kind.SYSTEM),
    ("sysctl -p", Kind.SYSTEM),
    ("dmesg -C", Kind.TAMPER),
    ("bpftool prog load x.o /sys/fs/bpf/x", Kind.SYSTEM),
    ("efibootmgr -b 1 -B", Kind.SYSTEM),
    ("grub-install /dev/sda", Kind.SYSTEM),
    ("update-initramfs -u", Kind.SYSTEM),
    ("mokutil --disable-validation", Kind.TAMPER),
    ("nvram boot-args=-v", Kind.SYSTEM),
    ("flashrom -p internal -w x.rom", Kind.DEVICE),
    ("fwupdmgr install x.cab", Kind.SYSTEM),
    ("setpci -s 0:1 0x50.l=0", Kind.SYSTEM),
    ("tpm2_clear", Kind.SYSTEM),
    ("ipmitool -H bmc chassis power off", Kind.SYSTEM),
]


@pytest.mark.parametrize(("command", "kind"), STOPPED)
def test_changing(effects: Effects, command: str, kind: Kind) -> None:
    worst = max(effects(command), key=lambda effect: effect.severity)
    assert (worst.kind, worst.severity >= Severity.HIGH) == (kind, True)
    assert worst.instead


CALM = [
    "lsmod",
    "modprobe -n -v ext4",
    "modprobe --show-depends ext4",
    "sysctl -a",
    "sysctl -n kernel.pid_max",
    "dmesg -T",
    "dmesg --console-level=8",
    "bpftool prog list",
    "efibootmgr -v",
    "bootctl status",
    "mokutil --sb-state",
    "nvram -p",
    "fwupdmgr get-devices",
    "ethtool -i eth0",
    "ipmitool sensor list",
    "udevadm info /dev/sda",
    "kexec --version",
]


@pytest.mark.parametrize("command", CALM)
def test_asking(effects: Effects, command: str) -> None:
    assert max((e.severity for e in effects(command)), default=Severity.NONE) <= Severity.LOW


@pytest.mark.parametrize(
    "command", ["sysctl -w vm.max_map_count=262144", "sysctl fs.inotify.max_user_watches=9"]
)
def test_limits_that_development_needs_are_only_noticed(effects: Effects, command: str) -> None:
    assert max(e.severity for e in effects(command)) is Severity.MEDIUM
