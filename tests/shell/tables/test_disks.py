"""Disks: whatever empties or rebuilds one is stopped, looking is not, images are files."""

from collections.abc import Callable

import pytest

from handrail.model.effect import Effect
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

STOPPED = [
    "mkfs.ext4 -L data -F /dev/sdb1",
    "mkfs -t xfs /dev/sdb",
    "mkfs.vfat -F 32 /dev/sdb1",
    "mkswap /dev/sda3",
    "fdisk /dev/sda",
    "sfdisk /dev/sda",
    "sgdisk -p -Z /dev/sda",
    "parted -s /dev/sdb -- mklabel gpt",
    "parted /dev/sda mkl gpt",
    "parted -s /dev/sda unit MiB mkp primary 0% 100%",
    "parted /dev/sda print rm 1",
    "parted /dev/sda tog 1 boot",
    "parted /dev/sda disk_s pmbr_boot on",
    "wipefs -a /dev/sda",
    "blkdiscard /dev/sda",
    "hdparm --security-erase x /dev/sda",
    "nvme format /dev/nvme0n1",
    "badblocks -wsv /dev/sdb",
    "tune2fs -O ^has_journal /dev/sda1",
    "e2fsck -y /dev/sda1",
    "btrfs subvolume delete /mnt/x",
    "zpool destroy tank",
    "zfs destroy -r tank/x",
    "lvremove -f vg/x",
    "lvreduce -l 10 vg/x",
    "lvresize -L -10G vg/x",
    "lvm vgremove vg",
    "mdadm --zero-superblock /dev/sdb1",
    "cryptsetup luksFormat /dev/sdb1",
    "mount --bind /tmp/x /etc",
    "mount -o remount,rw /",
    "umount -a",
    "diskutil eraseDisk JHFS+ X disk2",
    "tmutil delete /x",
    "ssh host mkfs.ext4 /dev/sdb",
]


@pytest.mark.parametrize("command", STOPPED)
def test_emptying_a_disk(effects: Effects, command: str) -> None:
    worst = max(effects(command), key=lambda effect: effect.severity)
    assert worst.severity >= Severity.HIGH
    assert worst.instead


CALM = [
    "mkfs.ext4 -F disk.img",
    "mkfs.ext4 /dev/loop0",
    "parted -s disk.img mklabel gpt",
    "fdisk -l /dev/sda",
    "sfdisk -d /dev/sda",
    "sgdisk -p /dev/sda",
    "parted -s /dev/sda unit MiB print",
    "wipefs /dev/sda",
    "wipefs -a --no-act /dev/sda",
    "hdparm -I /dev/sda",
    "nvme list",
    "tune2fs -l /dev/sda1",
    "e2fsck -n /dev/sda1",
    "zfs destroy -n tank/x",
    "lvremove --test vg/x",
    "mdadm --detail /dev/md0",
    "cryptsetup luksDump /dev/sda2",
    "mount",
    "mount | grep ext4",
    "qemu-img create -f qcow2 x.qcow2 1G",
    "parted /dev/sda unit s p free",
    "parted /dev/sda align-check opt 1",
    "diskutil list",
]


@pytest.mark.parametrize("command", CALM)
def test_looking_and_images_are_calm(effects: Effects, command: str) -> None:
    assert max((e.severity for e in effects(command)), default=Severity.NONE) <= Severity.LOW


@pytest.mark.parametrize("command", ["mount /dev/sdb1 /mnt/x", "umount /mnt/x", "swapoff -a"])
def test_mounting_elsewhere_is_only_noticed(effects: Effects, command: str) -> None:
    assert max(e.severity for e in effects(command)) is Severity.MEDIUM
