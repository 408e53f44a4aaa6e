"""The kernel, its modules and settings, the firmware, and how the machine starts."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DEVICE,
    MEDIUM,
    PERSIST,
    READ,
    SYSTEM,
    TAMPER,
    UNSEEN,
    WRITE,
    Fact,
    Program,
    program,
)

_HELP = "--help|--version"
_MODULES = "List the modules: `lsmod`, `modinfo ext4`."
_ASK = "Only ask: `sysctl kernel.ostype`."
_FIRMWARE = "List the installed ones: `fwupdmgr get-devices`."
_BOOT = "See how it starts now: `efibootmgr -v`, `bootctl status`."
_DANGEROUS = (
    "[!vfn]*=*|vm.[!ms]*=*|vm.m[!a]*=*|fs.[!if]*=*|net.[!c]*=*|net.core.[!srw]*=*|*rp_filter*=*"
)
"""All settings but limits that development needs: map counts, watches, open files, queues."""


def _changes(
    says: str, instead: str, when: str = "", values: str = "", harmless: str = ""
) -> Program:
    return program(
        Fact(SYSTEM, when, says=says, instead=instead),
        values=values, harmless=f"{_HELP}{harmless}",
    )  # fmt: skip


_LOADS = "loads code into the kernel"
_SETS = "changes settings of the kernel"

PROGRAMS: dict[str, Program] = {
    # modules
    "insmod": _changes(_LOADS, _MODULES, harmless="|-V|-h"),
    "rmmod": _changes("takes a module out of the kernel", _MODULES, harmless="|-V|-h"),
    "modprobe": _changes("loads or removes modules of the kernel", _MODULES,
                         values="-C -d -S --config --dirname --set-version",
                         harmless="|-n|--dry-run|--show|-D|--show-depends|-c|--showconfig|"
                         "--show-config|-R|--resolve-alias|--show-modversions|--dump-modversions|"
                         "-V|-h"),
    "kmod": _changes("loads or removes modules of the kernel", _MODULES,
                     "insert|remove|load|unload"),
    "kpatch": _changes(_LOADS, _MODULES, "load|unload|install|uninstall"),
    "dkms": _changes("builds modules into the kernel", "Only look: `dkms status`.",
                     "install|remove|uninstall|autoinstall|unbuild",
                     values="-m -v -k -a --arch -c"),
    "depmod": program(
        Fact(SYSTEM, severity=MEDIUM, says="lists the modules anew"),
        harmless=f"{_HELP}|-n|--dry-run|-h|-V",
    ),
    "kextload": _changes(_LOADS, "List the loaded ones: `kextstat`."),
    "kextunload": _changes("takes a module out of the kernel", "List the loaded ones: `kextstat`."),
    "kextutil": _changes(_LOADS, "List the loaded ones: `kextstat`.", harmless="|-n|-no-load"),
    "kmutil": _changes(_LOADS, "List the loaded ones: `kmutil showloaded`.",
                       "load|unload|install|clear-staging|trigger-panic-medic|configure-boot"),
    "systemextensionsctl": _changes("changes the extensions of the system",
                                    "Only list: `systemextensionsctl list`.",
                                    "reset|uninstall|developer|gc"),
    # settings
    "sysctl": program(
        Fact(SYSTEM, f"@{_DANGEROUS}", says=_SETS, instead=_ASK),
        Fact(SYSTEM, f"@*=* !@{_DANGEROUS}", severity=MEDIUM, says="raises limits of the kernel"),
        Fact(SYSTEM, "-p|--load|-f|--system", says="loads settings of the kernel from a file",
             instead=_ASK),
        Fact(READ, "-p|--load|-f", on="each"),
        values="-r --pattern -B", harmless=f"{_HELP}|-h|-V",
    ),
    "dmesg": program(
        Fact(TAMPER, "-C|-c|--clear|--read-clear", says="clears the log of the kernel",
             instead="Only read it: `dmesg -T`."),
        Fact(READ, on="-F|--file"),
        values="-f -l -n -s -F --facility --level --console-level --buffer-size --file --since "
        "--until --time-format",
        harmless=f"{_HELP}|-h|-V",
    ),
    "bpftool": _changes("loads programs into the kernel, or changes their data",
                        "Only list: `bpftool prog list`.", "prog|map|link|cgroup|net|struct_ops "
                        "load|loadall|attach|detach|delete|update|create|freeze|pin|register|"
                        "unregister|run"),
    "bpftrace": program(
        Fact(SYSTEM, "--unsafe", says="traces the kernel with programs able to start commands",
             instead="List the probes: `bpftrace -l`."),
        Fact(SYSTEM, "!-l", severity=MEDIUM, says="traces the kernel"),
        values="-e -f -I -l -o -p -c -B --include", harmless=f"{_HELP}|-h|-V|--info|-l",
    ),
    "stap": program(
        Fact(SYSTEM, "-g", says="loads its own code into the kernel",
             instead="List the probes: `stap -L 'syscall.*'`."),
        Fact(SYSTEM, severity=MEDIUM, says="traces the kernel"),
        values="-e -E -m -o -p -c -x -s -v -r -I -D -B -R", harmless=f"{_HELP}|-V|-L|-l",
    ),
    "crash": program(
        Fact(READ, on="each"),
        Fact(SYSTEM, severity=MEDIUM, says="opens the memory of the kernel"),
    ),
    "udevadm": program(
        Fact(SYSTEM, "trigger -c=remove|--action=remove|--action=offline",
             says="takes devices away", instead="Only look: `udevadm info --export-db`."),
        Fact(SYSTEM, "control|trigger|hwdb", severity=MEDIUM, says="asks for devices anew"),
        values="-n --name -p --path -q --query -s -S -c --action -a --attr-match -t --timeout",
        harmless=_HELP,
    ),
    "setpci": _changes("writes to the hardware", "Only look: `lspci -vnn`.", "@*=*", "-s -d -A -O"),
    **dict.fromkeys(
        ("wrmsr", "devmem", "devmem2", "busybox-devmem", "i2cset", "i2ctransfer", "gpioset",
         "iotools",
         "outb", "outw", "outl"),
        _changes("writes to the hardware", "Only look: `lspci`, `i2cdetect -l`.",
                 harmless="|-h|-V"),
    ),
    "cpupower": program(
        Fact(SYSTEM, "set|frequency-set|idle-set", severity=MEDIUM,
             says="changes how fast the processor runs"),
    ),
    # starting another kernel, and how the machine starts
    "kexec": _changes("starts another kernel", "Look at the present one: `uname -a`.",
                      harmless="|-v|-h"),
    "grub-install": _changes("writes how the machine starts", _BOOT, harmless="|-V"),
    "grub2-install": program(same_as="grub-install"),
    **dict.fromkeys(
        ("update-grub", "grub-mkconfig", "grub2-mkconfig", "grub-set-default", "grub2-set-default",
         "grub-reboot",
         "grub-editenv", "grubby", "lilo", "extlinux", "update-bootloader", "zipl", "mkinitcpio",
         "dracut", "mkinitrd", "update-initramfs", "kernel-install", "installkernel",
         "refind-install", "bless", "kernelstub"),
        _changes("changes how the machine starts", _BOOT, harmless="|-h|-V|-l|--list|--info"),
    ),
    "bootctl": _changes("changes how the machine starts", _BOOT,
                        "install|update|remove|set-*|unlink|cleanup|kernel-*|random-seed|"
                        "reboot-to-*"),
    "efibootmgr": _changes("changes how the machine starts", _BOOT,
                           "-a|-A|-b|-B|-c|-C|-d|-D|-n|-N|-o|-O|-t|-T|-i|-e|--active|--inactive|"
                           "--create|--create-only|--delete-bootnum|--bootnext|--delete-bootnext|"
                           "--bootorder|--delete-bootorder|--timeout|--remove-dups|"
                           "--mirror-below-4G",
                           "-b -c -d -e -H -i -l -L -m -M -n -o -p -t -u -w -@ --bootnum --disk "
                           "--part --loader --label"),
    "efivar": _changes("changes how the machine starts", _BOOT, "-w|--write|-a|--append",
                       "-n -f -t -A"),
    "mokutil": program(
        Fact(TAMPER, "--disable-validation|--delete|-d|--reset|--import|-i|--revoke-import|"
             "--clear-password|--password|-P|--set-sbat-policy|--trust-mok|--ignore-db",
             says="changes which code the machine may start",
             instead="Only ask: `mokutil --sb-state`."),
        values="-i --import -d --delete -P --password -f --hash-file --timeout --set-verbosity",
        harmless=_HELP,
    ),
    "sbctl": program(
        Fact(TAMPER, "reset|enroll-keys|remove-file|rotate-keys|create-keys|import-keys",
             says="changes which code the machine may start", instead="Only ask: `sbctl status`."),
        harmless=_HELP,
    ),
    "nvram": program(
        Fact(SYSTEM, "@*=*", says="changes how the machine starts",
             instead="Only list: `nvram -p`."),
        Fact(SYSTEM, "-c|-d|-f", says="changes how the machine starts",
             instead="Only list: `nvram -p`."),
        values="-f",
    ),
    # firmware
    "flashrom": program(
        Fact(DEVICE, "-w|--write|-E|--erase|--wp-enable|--wp-disable|--wp-range",
             says="writes the firmware of the machine", instead="Only look: `flashrom --version`."),
        Fact(WRITE, on="-r|--read|-o|--output"),
        values="-p --programmer -c --chip -l --layout -i --image -w --write -r --read -v --verify "
        "-o --output",
        harmless=f"{_HELP}|-R|-h",
    ),
    **dict.fromkeys(
        ("fwupdmgr", "fwupdtool"),
        _changes("writes firmware", _FIRMWARE, "install*|downgrade|reinstall|update|upgrade|"
                 "switch-branch|set-approved-firmware|clear-*|unlock|activate|modify-*|"
                 "verify-update|firmware-*|esp-*|set-bios-setting"),
    ),
    **dict.fromkeys(
        ("afulnx_64", "afulnx", "nvflash", "amdvbflash", "afuefi", "fpt", "mstflint", "flint",
         "mlxfwmanager", "mlxburn", "storcli", "storcli64", "megacli", "perccli"),
        program(
            Fact(DEVICE, "!@show|query|q|dump !-l|--list|-q|--query",
                 says="writes firmware or rebuilds a disk controller", instead=_FIRMWARE),
            harmless=f"{_HELP}|-h|-V",
        ),
    ),
    "ethtool": _changes("changes a network card or its firmware", "Only look: `ethtool -i eth0`.",
                        "-E|--change-eeprom|-f|--flash|--reset|-s|--change|-K|--offload|"
                        "--features|-G|--set-ring|-L|--set-channels|-A|--pause|-C|--coalesce|-N|"
                        "--config-nfc|-X"),
    "ipmitool": program(
        Fact(SYSTEM, "chassis power on|off|cycle|reset|soft|diag", says="switches a machine",
             instead="Only ask: `ipmitool chassis status`."),
        Fact(SYSTEM, "user|chassis|power|mc|lan|raw|fru|sel|hpm|firewall|sol set|on|off|cycle|"
             "reset|soft|diag|policy|bootdev|bootparam|clear|write|edit|upgrade|enable|disable|"
             "delete|0x*", says="changes the management of the machine",
             instead="Only look: `ipmitool sensor list`."),
        values="-I -H -U -P -p -L -f -k -y -C -t -b -E -o -O -R -N", harmless=f"{_HELP}|-h|-V",
    ),
    **dict.fromkeys(
        ("tpm2_clear", "tpm2_changeauth", "tpm2_evictcontrol", "tpm2_nvdefine", "tpm2_nvundefine",
         "tpm2_nvwrite", "tpm2_clearcontrol", "tpm2_dictionarylockout", "tpm_clear"),
        _changes("changes or clears the keys in the TPM", "Only read: `tpm2_pcrread`."),
    ),
    # how code is found when programs start
    "patchelf": program(
        Fact(WRITE, "--set-interpreter|--set-rpath|--add-rpath|--remove-rpath|--set-soname|"
             "--shrink-rpath|--remove-needed|--add-needed|--replace-needed|--clear-symbol-version|"
             "--force-rpath", on="last", says="changes which code {target} loads"),
        values="--set-interpreter --set-rpath --add-rpath --set-soname --output --page-size",
    ),
    "ldconfig": program(
        Fact(SYSTEM, "!-p|--print-cache", severity=MEDIUM, says="lists the libraries anew"),
        values="-f -C -r", harmless=f"{_HELP}|-p|--print-cache",
    ),
    "update-binfmts": program(
        Fact(PERSIST, "--install|--import|--enable|--disable|--remove",
             says="changes which program runs which files",
             instead="Only list: `update-binfmts --display`."),
        harmless=_HELP,
    ),
    "update-alternatives": program(
        Fact(CHANGE, "--install|--set|--remove|--remove-all|--config|--auto", severity=MEDIUM,
             says="changes which program a name means"),
        Fact(UNSEEN, "--install|--set @/tmp/*|/var/tmp/*|/dev/shm/*",
             says="makes a name mean a world-writable program",
             instead="Only look: `update-alternatives --display NAME`."),
        values="--altdir --admindir --log",
    ),
}  # fmt: skip
