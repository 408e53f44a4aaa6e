"""Disks, partitions, file systems, volumes and their snapshots."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    CRITICAL,
    DESTROY,
    DEVICE,
    ESCAPE,
    IMPOSSIBLE,
    MEDIUM,
    NONE,
    PERMIT,
    READ,
    SYSTEM,
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)

_HELP = "--help|--version"
_ON_DEVICE = "@/dev/* !@/dev/loop* !@/dev/shm/* !@/dev/ram*"
_LOOK = "Look first: `lsblk -f`."
_SYSTEM = (
    "/|/etc|/etc/*|/usr|/usr/*|/bin|/bin/*|/sbin|/lib|/lib64|/home|/home/*|/root|/root/*|/boot"
    "|/boot/*|/var|/var/*|/opt|/srv|/Users|/Users/*|/System|/System/*|/Library"
)


def _makes(values: str = "", harmless: str = "", says: str = "makes {target} empty") -> Program:
    """Writes a new, empty file system or partition table; on an image that is harmless."""
    return program(
        Fact(DEVICE, _ON_DEVICE, on="1", says=says, instead=_LOOK),
        Fact(WRITE, "!@/dev/*", on="1"),
        values=values, harmless=f"{_HELP}{harmless}",
    )  # fmt: skip


def _edits(when: str, says: str, instead: str = _LOOK, values: str = "") -> Program:
    """Changes a device only when called in a certain way."""
    return program(
        Fact(DEVICE, f"{when} {_ON_DEVICE}", says=says, instead=instead),
        Fact(WRITE, f"{when} !@/dev/*", on="1"),
        values=values, harmless=_HELP,
    )  # fmt: skip


def _repairs(harmless: str, values: str = "") -> Program:
    says = "repairs a file system, which can lose data on it"
    return program(
        Fact(DEVICE, _ON_DEVICE, says=says, instead="Only check it: `fsck -n {target}`."),
        values=values, harmless=f"{_HELP}|{harmless}",
    )  # fmt: skip


def _destroys(when: str, says: str, instead: str, values: str = "", harmless: str = "") -> Program:
    return program(
        Fact(DESTROY, when, says=says, instead=instead),
        values=values, harmless=f"{_HELP}{harmless}",
    )  # fmt: skip


_NEW = "puts a new, empty file system on {target}"
_TABLE = "changes the partitions of {target}"
_MKE2FS = "-b -C -d -e -E -f -g -G -i -I -J -l -L -m -M -N -o -O -r -t -T -U -z"
_MKXFS = "-b -d -i -l -L -m -n -p -r -s"
_MKFAT = "-a -b -D -f -F -g -h -i -m -M -n -r -R -s -S"
_MKFS = (
    "mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.ext4dev mke2fs newfs mkfs.minix mkfs.bfs mkfs.cramfs "
    "mkreiserfs mkfs.reiserfs mkfs.jfs mkfs.nilfs2 mkfs.ocfs2 mkfs.gfs2 mkfs.udf mkudffs "
    "newfs_apfs "
    "newfs_hfs newfs_msdos newfs_exfat newfs_udf"
).split()
_PARTITIONS: dict[str, Program] = {
    "mkfs": _makes("-t --type -V -c -l -L -b", says=_NEW),
    **dict.fromkeys(_MKFS, _makes(_MKE2FS, "|-n", _NEW)),
    "mkfs.xfs": _makes(_MKXFS, "|-N", _NEW),
    "mkfs.btrfs": _makes("-A -b -d -m -L -l -n -s -r -O -R -U --label --data --metadata --rootdir",
                         says=_NEW),
    "mkfs.f2fs": _makes("-a -c -C -e -E -g -i -l -o -O -R -s -t -T -w -z", says=_NEW),
    "mkfs.erofs": program(Fact(WRITE, on="1"), Fact(READ, on="2+", recursive=True)),
    **dict.fromkeys(("mkfs.vfat", "mkfs.fat", "mkfs.msdos", "mkdosfs"), _makes(_MKFAT, says=_NEW)),
    **dict.fromkeys(("mkfs.ntfs", "mkntfs"), _makes("-s -S -p -H -c -z -L", "|-n", _NEW)),
    **dict.fromkeys(("mkfs.exfat", "mkexfatfs"), _makes("-L -n -s -c -b -p", says=_NEW)),
    "mkswap": _makes("-L -p -U -v -e -o --label --uuid --pagesize",
                     says="makes {target} swap space"),
    "fdisk": _makes("-b -B -c -C -H -L -o -S -t -u -w -W --sector-size --type --output --wipe",
                    "|-l|--list|-s|-x|--list-details|--getsz|-v|-V|-h", _TABLE),
    "cfdisk": _makes("-L -b --sector-size", "|-h|-V|-r|--read-only", _TABLE),
    "gdisk": _makes("", "|-l", _TABLE),
    "cgdisk": _makes("-a", "", _TABLE),
    "sfdisk": _makes("-b -N -o -w -W -X -Y -O --backup-file --label --partno --wipe --output",
                     "|-l|--list|-d|--dump|-J|--json|-F|--list-free|-s|--show-size|-V|--verify|-T|"
                     "-n|--no-act|-g|--show-geometry|-h|-v", _TABLE),
    "sgdisk": _edits("-o|--clear|-Z|--zap-all|-z|--zap|-d|--delete|-n|--new|-N|--largest-new|-t|"
                     "--typecode|-c|--change-name|-g|--mbrtogpt|-G|--randomize-guids|-R|"
                     "--replicate|-s|--sort|-S|--resize-table|-h|--hybrid|-l|--load-backup|-r|"
                     "--transpose|-m|--gpttombr|-e|--move-second-header|-A|--attributes|-u|"
                     "--partition-guid|-U|--disk-guid", "changes the partitions of a disk",
                     "Only print them: `sgdisk -p /dev/sda`.",
                     "-d --delete -n --new -N --largest-new -t --typecode -c --change-name -R "
                     "--replicate -S --resize-table -h --hybrid -l --load-backup -r --transpose "
                     "-m --gpttombr -A --attributes -u --partition-guid -U --disk-guid -a "
                     "--set-alignment -b --backup -i --info"),
    # parted takes every beginning of a command's name that can only mean one of them.
    "parted": _edits("@mkl*|mkt*|mkp*|mkf*|rm|res[ci]*|resize|set|n|na|nam|name|to|tog*|ty|typ|"
                     "type|mo|mov|move|cp|d|di|dis|disk*", "changes the partitions of a disk",
                     "Only print them: `parted /dev/sda print`.", "-a --align"),
    "growpart": _edits("", "changes the partitions of a disk"),
    "wipefs": _edits("-a|--all|-o|--offset !-n|--no-act", "wipes the signatures of a disk",
                     "Only look: `wipefs --no-act /dev/sda`.",
                     "-o --offset -t --types -O --output"),
    "blkdiscard": _edits("", "throws away everything on a disk",
                         values="-o -l -p --offset --length"),
    "blkzone": _edits("reset|finish", "throws away the data in the zones of a disk"),
    "hdparm": _edits("--security-erase|--security-erase-enhanced|--security-set-pass|"
                     "--security-disable|--security-unlock|--security-freeze|--write-sector|"
                     "--make-bad-sector|--repair-sector|--trim-sector-ranges|"
                     "--trim-sector-ranges-stdin|--fwdownload|--fwdownload-modeall|--dco-restore|"
                     "--dco-freeze|--sanitize-block-erase|--sanitize-crypto-scramble|"
                     "--sanitize-overwrite-passes|-N", "erases, locks or rewrites a disk",
                     "Only ask: `hdparm -I /dev/sda`.",
                     "--security-erase --security-erase-enhanced --security-set-pass "
                     "--security-disable --security-unlock --user-master --security-mode "
                     "--write-sector --make-bad-sector --repair-sector --fwdownload "
                     "--trim-sector-ranges"),
    "nvme": program(
        Fact(DEVICE, "format|sanitize|write|write-zeroes|write-uncor|delete-ns|create-ns|detach-ns|"
             "fw-download|fw-activate|fw-commit|dsm|reset|subsystem-reset|set-feature|"
             "security-send|admin-passthru|io-passthru|resv-release|ns-rescan", on="1",
             says="erases or rewrites the drive {target}", instead="Only look: `nvme list`."),
        harmless=_HELP,
    ),
    **dict.fromkeys(
        ("sg_format", "sg_sanitize", "sg_write_buffer", "sg_unmap", "sg_wr_mode", "sg_write_same",
         "sg_reset", "sg_dd", "sg_persist"),
        _edits("", "erases or rewrites a disk", "Only ask: `sg_inq /dev/sda`."),
    ),
    "badblocks": _edits("-w|-n", "overwrites a disk to test it",
                        "Only read: `badblocks -sv /dev/sdb`.", "-b -c -d -e -i -o -p -t -B"),
    "bmaptool": _edits("copy", "writes an image over a disk"),
    "fsarchiver": _edits("restfs|restdir", "writes an image over a disk"),
    "ntfsclone": _edits("--overwrite|-O|--restore-image|-r", "writes an image over a disk",
                        values="-o --output -O --overwrite"),
    **dict.fromkeys(("partclone.restore", "rpi-imager"), _edits("", "writes an image over a disk")),
}  # fmt: skip

_FILE_SYSTEMS: dict[str, Program] = {
    "tune2fs": _edits("-c|-C|-e|-E|-f|-g|-i|-I|-j|-J|-L|-m|-M|-o|-O|-Q|-r|-T|-u|-U|-z",
                      "changes how a file system works", "Only look: `tune2fs -l /dev/sda1`.",
                      "-c -C -e -E -g -i -I -J -L -m -M -o -O -Q -r -T -u -U -z"),
    "resize2fs": _edits("!-P", "changes the size of a file system", values="-d -o -S -z"),
    "debugfs": program(
        Fact(READ, on="1"),
        Fact(DEVICE, f"-w {_ON_DEVICE}", says="changes a file system past its driver",
             instead=_LOOK),
        values="-b -s -R -f -d", harmless="-V",
    ),
    "e2image": _edits("-I|-r", "writes over a file system"),
    **dict.fromkeys(
        ("e2fsck", "fsck.ext2", "fsck.ext3", "fsck.ext4"),
        _repairs("-n|-V", "-b -B -E -j -l -L -z -C"),
    ),
    "fsck": program(
        Fact(DEVICE, _ON_DEVICE, says="repairs a file system, which can lose data on it",
             instead="Preview it: `fsck -N /dev/sda1`."),
        values="-C -r -t", harmless=f"{_HELP}|-N|-n",
    ),
    **dict.fromkeys(
        ("fsck.fat", "fsck.vfat", "dosfsck", "fsck.xfs", "fsck.exfat", "ntfsfix"),
        _repairs("-n|--no-action"),
    ),
    "xfs_repair": _repairs("-n|-V", "-l -r -m -o -t"),
    "xfs_admin": _edits("-e|-f|-j|-p|-c|-L|-U|-O", "changes how a file system works",
                        values="-L -U -c -O"),
    "fsfreeze": program(
        Fact(SYSTEM, "-f|--freeze", says="stops all writing to a file system",
             instead="Only look: `findmnt`."),
        harmless=_HELP,
    ),
    "btrfs": program(
        Fact(DESTROY, "subvolume|sub|subvol delete|del", on="each",
             says="deletes the subvolume {target}",
             instead="Look first: `btrfs subvolume list /`."),
        Fact(DESTROY, "device|dev remove|delete|replace|add",
             says="changes which disks hold a file system",
             instead="Look first: `btrfs device stats /`."),
        Fact(DESTROY, "replace start", says="changes which disks hold a file system",
             instead="Look first: `btrfs filesystem show`."),
        Fact(DEVICE, "check --repair|--init-csum-tree|--init-extent-tree",
             says="repairs a file system, which can lose data on it",
             instead="Only check: `btrfs check --readonly /dev/sda1`."),
        Fact(DEVICE, "rescue", says="rewrites the inner parts of a file system",
             instead="Only look: `btrfs filesystem show`."),
        Fact(SYSTEM, "filesystem|fi resize", says="changes the size of a file system",
             instead="Only look: `btrfs filesystem usage /`."),
        Fact(WRITE, "subvolume|sub snapshot|create|snap", on="last"),
        harmless=f"{_HELP}|--dry-run",
    ),
    "zpool": program(
        Fact(DESTROY, "destroy", on="1", severity=CRITICAL,
             says="destroys the pool {target} and everything in it",
             instead="Look first: `zpool status {target}`."),
        Fact(DESTROY, "labelclear|remove|detach|offline|export|replace|split|reguid|upgrade|clear",
             on="1", says="changes what holds the pool {target} together",
             instead="Look first: `zpool status {target}`."),
        Fact(DESTROY, "create|add|attach", on="2+", says="takes {target} into a pool, emptying it",
             instead=_LOOK),
        values="-o -O -m -t -R -T -c", harmless=f"{_HELP}|-n",
    ),
    "zfs": program(
        Fact(DESTROY, "destroy", on="1", says="destroys {target}",
             instead="Preview it: `zfs destroy -n -v {target}`."),
        Fact(DESTROY, "rollback", on="1", says="throws away everything since {target}",
             instead="Compare first: `zfs diff {target}`."),
        Fact(DESTROY, "receive|recv -F", on="1", says="throws away the content of {target}",
             instead="Preview it: `zfs receive -n {target}`."),
        Fact(SYSTEM, "unmount|umount|unload-key|change-key|promote|rename", severity=MEDIUM,
             says="takes a data set away or gives it another name"),
        values="-o -O -t -d -s -S -V -b", harmless=f"{_HELP}|-n",
    ),
    "snapper": _destroys("delete|undochange|rollback|delete-config",
                         "deletes or goes back to snapshots", "Look first: `snapper list`.",
                         "-c -t --config --root"),
    "timeshift": _destroys("--delete|--delete-all|--restore", "deletes or goes back to snapshots",
                           "Look first: `timeshift --list`.", "--snapshot --target --grub-device"),
    "qemu-img": program(
        Fact(WRITE, "create|resize|commit|rebase|amend|snapshot", on="1"),
        Fact(READ, "convert", on="1"),
        Fact(WRITE, "convert|dd", on="last"),
        values="-f -O -o -b -B -F -s -l -S -p -T -t -c -m -U --object --output", harmless=_HELP,
    ),
    "mksquashfs": program(
        Fact(READ, on="1", recursive=True),
        Fact(WRITE, on="2"),
        values="-comp -b -processors -mem -e -ef -p -pf -sort -root-mode", single_dash=True,
    ),
    **dict.fromkeys(("genisoimage", "mkisofs", "xorrisofs"), program(
        Fact(READ, on="each", recursive=True),
        Fact(WRITE, on="-o"),
        values="-o -V -b -c -G -A -p -P",
    )),
}  # fmt: skip

_LVS = "Look first: `lvs`, `vgs`, `pvs`."
_LVM_VALUES = (
    "-L --size -l --extents -n --name -s -c -i -I -m -p -S --select --config --devices "
    "--addtag --deltag --reportformat -A --autobackup"
)
_LVM = {
    "lvremove": "deletes a volume with everything on it",
    "vgremove": "deletes a group of volumes with everything on them",
    "pvremove": "takes a disk and its content out of LVM",
    "lvreduce": "makes a volume smaller, which cuts off its end",
    "lvresize": "changes the size of a volume",
    "lvconvert": "rebuilds a volume",
    "vgreduce": "takes a disk out of a group of volumes",
    "vgsplit": "takes a group of volumes apart",
    "vgmerge": "joins groups of volumes",
    "vgcfgrestore": "puts back old bookkeeping of volumes",
    "pvmove": "moves volumes to other disks",
    "pvresize": "changes the size of a disk in LVM",
    "pvcreate": "takes a disk into LVM, emptying it",
}
_VOLUMES: dict[str, Program] = {
    **{
        name: program(
            Fact(DESTROY, says=says, instead=_LVS),
            values=_LVM_VALUES, harmless=f"{_HELP}|-t|--test|-h",
        )
        for name, says in _LVM.items() if name not in {"lvresize", "vgcfgrestore"}
    },
    "vgcfgrestore": _destroys("!-l|--list", _LVM["vgcfgrestore"], _LVS, "-f --file", "|-t|--test"),
    "lvresize": program(
        Fact(DESTROY, "!-L=+*|--size=+*|-l=+*|--extents=+*", says=_LVM["lvresize"], instead=_LVS),
        Fact(CHANGE, severity=MEDIUM, says=_LVM["lvresize"]),
        values=_LVM_VALUES, harmless=f"{_HELP}|-t|--test",
    ),
    **dict.fromkeys(
        ("lvcreate", "vgcreate", "vgextend", "lvextend", "lvchange", "vgchange"),
        program(
            Fact(CHANGE, severity=MEDIUM, says="changes the volumes of the machine"),
            harmless=f"{_HELP}|-t|--test",
        ),
    ),
    "lvm": program(posix=True, wraps=(Wrapper(),)),
    "dmsetup": program(
        Fact(DESTROY, "remove|remove_all|wipe_table|clear|reload|load|suspend|rename|message",
             says="takes mapped disks away or changes them", instead="Look first: `dmsetup ls`."),
        harmless=_HELP,
    ),
    "mdadm": program(
        Fact(DESTROY, "--stop|-S|--zero-superblock|--create|-C|--build|-B|--fail|-f|--remove|-r|"
             "--grow|-G|--set-faulty|--replace|--kill-subarray|--update|--readonly",
             says="takes a disk array apart or makes a new one",
             instead="Look first: `cat /proc/mdstat`."),
        values="-l --level -n --raid-devices -x --spare-devices -c --chunk -N --name -u --uuid "
        "--metadata -e --layout -p --bitmap -z --size --config -A",
        harmless=_HELP,
    ),
    "cryptsetup": program(
        Fact(DESTROY, "luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt|luksSuspend|"
             "luksHeaderRestore|luksChangeKey|repair|convert|plainOpen|remove|tcryptOpen",
             severity=CRITICAL, says="changes or destroys the keys of an encrypted disk",
             instead="Look first: `cryptsetup luksDump /dev/sda2`."),
        Fact(SYSTEM, "luksAddKey|luksAddToken|token|config|luksConvertKey|luksUUID|resize",
             says="changes the keys of an encrypted disk",
             instead="Look first: `cryptsetup luksDump /dev/sda2`."),
        Fact(SYSTEM, "close|luksClose|open|luksOpen", severity=MEDIUM,
             says="opens or closes an encrypted disk"),
        values="-c -h -s -i -l -o -p -d -S -T -t --cipher --hash --key-size --type --key-file "
        "--keyfile-size --key-slot --iter-time --size --offset --header --pbkdf --label --uuid "
        "--master-key-file --volume-key-file --new-keyfile --header-backup-file",
        harmless=f"{_HELP}|--test-passphrase",
    ),
    "systemd-cryptenroll": program(
        Fact(DESTROY, "--wipe-slot", says="removes keys of an encrypted disk",
             instead="Look first: `cryptsetup luksDump /dev/sda2`."),
    ),
    "multipath": _destroys("-F|-f|-w|-W", "takes paths to disks away",
                           "Look first: `multipath -ll`."),
    "iscsiadm": program(
        Fact(DESTROY, "-o=delete|--op=delete|-u|--logout|-U|--logoutall",
             says="takes disks of the network away", instead="Look first: `iscsiadm -m session`."),
        values="-m --mode -o --op -T --targetname -p --portal -I --interface -r --sid -t --type "
        "-n -v",
        harmless=_HELP,
    ),
    "nbd-client": _edits("", "connects or cuts off a disk of the network"),
    "qemu-nbd": program(
        Fact(DEVICE, "-c|--connect @/dev/*", says="opens a whole disk for writing", instead=_LOOK),
        Fact(SYSTEM, "-c|--connect|-d|--disconnect !@/dev/*", severity=MEDIUM,
             says="makes a disk of an image"),
        values="-c --connect -d --disconnect -f --format -p --port -b --bind -P -o -s -t -x -e",
        harmless=_HELP,
    ),
}  # fmt: skip

_MOUNTED = "List the mounts: `findmnt`."
_MOUNTS: dict[str, Program] = {
    "mount": program(
        Fact(SYSTEM, f"@{_SYSTEM}", says="puts something else over a folder of the system",
             instead=_MOUNTED),
        Fact(SYSTEM, "-o=*remount*|--options=*remount*", says="changes how a folder is mounted",
             instead=_MOUNTED),
        Fact(ESCAPE, "-t=cgroup|--types=cgroup", says="mounts cgroups, a way out of a container",
             instead="Look at them where they are: `ls /sys/fs/cgroup`."),
        Fact(SYSTEM, "@*", severity=MEDIUM, says="mounts a file system"),
        Fact(SYSTEM, "-a|--all", severity=MEDIUM, says="mounts file systems"),
        Fact(PERMIT, on="last", severity=NONE, undo=IMPOSSIBLE, recursive=True,
             says="puts something else over {target}"),
        values="-t --types -o --options -L --label -U --uuid -O --test-opts -T --fstab --source "
        "--target -N --namespace",
        harmless=f"{_HELP}|-h|-V|-f|--fake",
    ),
    "umount": program(
        Fact(SYSTEM, f"@{_SYSTEM}", says="takes away a folder of the system", instead=_MOUNTED),
        Fact(SYSTEM, "-a|--all|-A|--all-targets", says="takes away all mounted folders",
             instead=_MOUNTED),
        Fact(SYSTEM, "@*", severity=MEDIUM, says="takes a mounted folder away"),
        Fact(PERMIT, on="each", severity=NONE, undo=IMPOSSIBLE, recursive=True,
             says="takes {target} away"),
        values="-t --types -O --test-opts -N --namespace", harmless=f"{_HELP}|-h|-V|--fake",
    ),
    **dict.fromkeys(
        ("fusermount", "sshfs", "losetup", "swapoff", "swapon", "fstrim", "eject"),
        program(
            Fact(SYSTEM, "@*", severity=MEDIUM, says="changes what is mounted"),
            Fact(SYSTEM, "-a|--all|-D", severity=MEDIUM, says="changes what is mounted"),
            harmless=f"{_HELP}|-h|-V|-s|--show|-l|--list|-j|--associated|-n|--dry-run",
        ),
    ),
    "pivot_root": program(
        Fact(SYSTEM, says="puts another root folder under the system", instead=_MOUNTED),
    ),
}  # fmt: skip

_MAC: dict[str, Program] = {
    "diskutil": program(
        Fact(DESTROY, "erase*|partitionDisk|reformat|zeroDisk|randomDisk|secureErase|resetFusion|"
             "splitPartition|mergePartitions|resizeVolume", says="erases or rebuilds a disk",
             instead="Look first: `diskutil list`."),
        Fact(DESTROY, "apfs|ap|corestorage|cs|appleRAID|ar|image delete*|erase*|create*|resize*|"
             "convert*|changePassphrase|encrypt*|decrypt*|eraseVolume|remove*|unlock*",
             says="deletes or rebuilds volumes of a disk",
             instead="Look first: `diskutil apfs list`."),
        Fact(SYSTEM, "unmount*|mount*|eject|repair*", severity=MEDIUM,
             says="takes a disk in or out"),
    ),
    "hdiutil": program(
        Fact(WRITE, "create|convert|resize|burn|compact|makehybrid", on="last"),
        Fact(DESTROY, "erasekeys", says="erases the keys of an image",
             instead="Only look: `hdiutil info`."),
        Fact(SYSTEM, "attach|mount|detach|unmount|eject", severity=MEDIUM,
             says="mounts an image, or takes it away"),
        single_dash=True,
        values="-size -fs -volname -srcfolder -format -o -type -mountpoint -layout",
    ),
    "tmutil": _destroys("delete|deletelocalsnapshots|disable|disablelocal|removedestination|"
                        "thinlocalsnapshots|deleteinprogress|restore",
                        "deletes or stops the backups of the machine",
                        "Look first: `tmutil listbackups`."),
    "asr": program(
        Fact(DEVICE, "restore|imagescan|server|partition|adjust !--help",
             says="writes an image over a disk", instead="Look first: `diskutil list`."),
        values="--source --target -s -t --file --format",
    ),
}  # fmt: skip

PROGRAMS: dict[str, Program] = {
    **_PARTITIONS,
    **_FILE_SYSTEMS,
    **_VOLUMES,
    **_MOUNTS,
    **_MAC,
}
