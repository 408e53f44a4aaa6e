"""Programs that run the command in their arguments, and are looked through."""

from handrail.shell.tables.shorthand import (
    CRITICAL,
    DESTROY,
    ESCAPE,
    HIGH,
    KILL,
    LOW,
    MEDIUM,
    PRIVILEGE,
    READ,
    TAMPER,
    UNSEEN,
    WRITE,
    Fact,
    Program,
    Wrapper,
    aliases,
    program,
)

_RAISED = "runs as another user"
_HERE = "Do it without leaving the sandbox; `ls /proc/self/ns` shows where you are."
_PLAIN = program(posix=True, wraps=(Wrapper(),))


def _argv(
    values: str = "",
    skip: int = 0,
    *,
    assignments: bool = False,
    chdir: str = "",
    harmless: str = "",
) -> Program:
    """`name [options] [skipped operands] command …`."""
    return program(
        posix=skip < 1, values=values, wraps=(Wrapper(skip=skip, assignments=assignments),),
        chdir=chdir, harmless=harmless or "--help|--version",
    )  # fmt: skip


def _after(*whens: str, values: str = "", chdir: str = "") -> Program:
    """`name subcommand … command …`."""
    return program(values=values, wraps=tuple(Wrapper(when=when) for when in whens), chdir=chdir)


def _script(options: str, values: str = "", *rest: Wrapper) -> Program:
    """`name -c 'script'`."""
    return program(
        values=f"{options.replace('|', ' ')} {values}",
        wraps=(Wrapper(form="shell", options=options), *rest),
    )  # fmt: skip


_LOADER = program(
    Fact(UNSEEN, "--preload|--audit", severity=HIGH, says="loads foreign code into a program",
         instead="Start the program by its name."),
    posix=True, values="--library-path --preload --audit --argv0 --inhibit-rpath",
    wraps=(Wrapper(),),
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    # As another user
    "sudo": program(
        Fact(PRIVILEGE, "!-e|--edit", severity=LOW, says=_RAISED),
        Fact(WRITE, "-e|--edit", on="each"),
        Fact(PRIVILEGE, "-i|-s|--login|--shell !@*", severity=HIGH,
             says="opens a root shell, out of sight",
             instead="Run single commands: `sudo apt-get update`."),
        posix=True,
        values="-u --user -g --group -p --prompt -C --close-from -h --host -r --role -t --type -T "
        "--command-timeout -U --other-user -D --chdir -R --chroot -a --auth-type -c --login-class "
        "--preserve-env",
        wraps=(Wrapper(assignments=True),), chdir="-D|--chdir",
        harmless="-l|-v|-k|-K|--list|--validate|--version|-V|--reset-timestamp|--remove-timestamp|"
        "--help",
    ),
    "sudo-rs": program(same_as="sudo"),
    "doas": program(
        Fact(PRIVILEGE, severity=LOW, says=_RAISED),
        posix=True, values="-u -C -a", wraps=(Wrapper(assignments=True),), harmless="-L",
    ),
    "please": program(same_as="sudo"),
    "run0": program(
        Fact(PRIVILEGE, severity=LOW, says=_RAISED),
        Fact(PRIVILEGE, "!@*", severity=HIGH,
             says="opens a root shell, out of sight",
             instead="Run single commands: `sudo apt-get update`."),
        posix=True,
        values="-u --user -g --group --nice -D --chdir -M --machine --setenv --unit --property "
        "--description --slice --background",
        chdir="-D|--chdir", wraps=(Wrapper(),), harmless="--help|--version",
    ),
    "sshpass": _argv("-p -f -d -P"),
    # The environment
    "env": program(
        Fact(TAMPER, "-u=HANDRAIL_*|--unset=HANDRAIL_*", severity=CRITICAL,
             says="takes Handrail's settings away from a program",
             instead="Leave the variables of Handrail as they are."),
        posix=True, values="-u --unset -C --chdir -S --split-string -P -a --argv0",
        wraps=(Wrapper(form="words", options="-S|--split-string"), Wrapper(assignments=True)),
        chdir="-C|--chdir", reader="environment", harmless="--help|--version",
    ),
    "genv": program(same_as="env"),
    "cross-env": _argv(assignments=True),
    "cross-env-shell": program(posix=True, wraps=(Wrapper(form="words", assignments=True),)),
    "env-cmd": _argv("-f --file -r --rc-file -e --environments"),
    "dotenv": program(
        posix=True, values="-e -f --file -v -c -p -o --export",
        wraps=(Wrapper(when="run"), Wrapper(when="!@run|list|get|set|unset")),
    ),
    "dotenvx": program(
        Fact(READ, "get|decrypt|printenv", on=".env", says="prints the decrypted settings"),
        values="-f --env-file -e --env -fk", wraps=(Wrapper(when="run"),),
    ),
    "envdir": _argv(skip=1),
    "with-contenv": _PLAIN,
    "chamber": program(values="-b --backend", wraps=(Wrapper(when="exec *"),)),
    # Time, priority, limits, input and output
    "timeout": program(
        posix=True, values="-s --signal -k --kill-after", wraps=(Wrapper(skip=1),),
        harmless="--help|--version",
    ),
    "gtimeout": program(same_as="timeout"),
    "nohup": _PLAIN,
    "gnohup": _PLAIN,
    "nice": _argv("-n --adjustment"),
    "gnice": program(same_as="nice"),
    "chrt": program(
        posix=True, values="-T --sched-runtime -P --sched-period -D --sched-deadline -p --pid",
        reader="limits", wraps=(Wrapper(skip=1),),
    ),
    "taskset": program(
        posix=True, values="-p --pid", reader="limits", wraps=(Wrapper(skip=1),),
        harmless="--help|--version|-V",
    ),
    "numactl": _argv("-i --interleave -p --preferred -P -m --membind -N --cpunodebind -C "
                     "--physcpubind"),
    "softlimit": _argv("-a -c -d -f -l -m -o -p -r -s -t"),
    "cpulimit": program(
        values="-l --limit -p --pid -e --exe -c --cpu", posix=True, reader="limits",
        wraps=(Wrapper(),),
    ),
    "stdbuf": _argv("-i --input -o --output -e --error"),
    "gstdbuf": program(same_as="stdbuf"),
    "unbuffer": _PLAIN,
    "setsid": _PLAIN,
    "setarch": _argv(skip=1),
    "linux32": _PLAIN,
    "linux64": _PLAIN,
    "i386": _PLAIN,
    "arch": _argv("-arch -e -d"),
    "time": _argv("-f --format -o --output"),
    "gtime": program(same_as="time"),
    "chronic": _PLAIN,
    "ifne": _PLAIN,
    "mispipe": program(reader="each"),
    "rlwrap": _argv("-a -b -C -D -e -f -g -H -l -m -M -O -P -q -Q -s -S -t -w -z"),
    "caffeinate": _argv("-t -w"),
    "systemd-inhibit": _argv("--what --who --why --mode"),
    "nocache": _PLAIN,
    "eatmydata": _PLAIN,
    "catchsegv": _PLAIN,
    "trickle": _argv("-d -u -w -t -l"),
    "retry": _argv("-t --times -d --delay -m --max -u"),
    "dumb-init": _PLAIN,
    "tini": _argv("-p -e"),
    "ssh-agent": _argv("-a -E -t -P", harmless="-k|-s|-c|-D"),
    # Several times, or when files change
    "watch": program(
        posix=True, values="-n --interval -q --equexit", wraps=(Wrapper(form="words"),),
        harmless="--help|--version|-v",
    ),
    **aliases("watch", "viddy", "hwatch"),
    "entr": program(posix=True, wraps=(Wrapper(form="words", when="-s"), Wrapper())),
    "watchexec": program(
        posix=True,
        values="-w --watch -W -e --exts -f --filter -i --ignore -d --debounce -s --signal --shell "
        "-o --on-busy-update --project-origin --workdir -E --env --stop-signal --stop-timeout "
        "--delay-run",
        wraps=(Wrapper(form="words"),), chdir="--workdir",
    ),
    "watchmedo": program(
        values="-c --command -p --patterns --pattern -d --directory -i --ignore-patterns --signal "
        "--interval",
        wraps=(Wrapper(form="shell", options="-c|--command"), Wrapper(when="auto-restart")),
    ),
    "nodemon": program(
        values="-x --exec -w --watch -e --ext -i --ignore -d --delay -s --signal --config --cwd",
        wraps=(Wrapper(form="shell", options="-x|--exec"),),
    ),
    "chokidar": _script("-c|--command", "-d --debounce -t --throttle -i --ignore"),
    "onchange": program(values="-e --exclude -d --delay -k", reader="after_dashes"),
    "reflex": _argv("-r --regex -g --glob -R --inverse-regex -G --inverse-glob -c --config -d"),
    "air": _script("--build.cmd|--build.bin", "-c"),
    "hyperfine": program(
        Fact(WRITE, on="--export-json|--export-csv|--export-markdown|--export-asciidoc"),
        reader="each",
        values="-w --warmup -m --min-runs -M --max-runs -r --runs -s --setup -p --prepare -c "
        "--cleanup -S --shell -P --parameter-scan -D -L --parameter-list --export-json "
        "--export-csv --export-markdown --export-asciidoc -n --command-name -u --time-unit "
        "--style --output --input --reference -C --conclude",
        wraps=(Wrapper(form="shell",
                       options="-s|--setup|-p|--prepare|-c|--cleanup|-C|--conclude|--reference"),),
    ),
    "concurrently": program(
        reader="each",
        values="-n --names -c --prefix-colors -p --prefix -s --success -m --max-processes -l "
        "--restart-tries --restart-after --cwd",
    ),
    "flock": program(reader="flock"),
    "lockf": _argv("-t", 1),
    "setlock": _argv(skip=1),
    "run-one": _PLAIN,
    "cronic": _PLAIN,
    # Terminals
    "script": program(
        Fact(WRITE, on="1"),
        Fact(WRITE, on="-O|--log-out|-B|--log-io"),
        values="-c --command -E --echo -I --log-in -O --log-out -B --log-io -T --log-timing -m "
        "--logging-format -o --output-limit -t",
        wraps=(Wrapper(form="shell", options="-c|--command"),
               Wrapper(skip=1, when="!-c|--command")),
    ),
    "asciinema": _script("-c|--command", "-t --title -i --idle-time-limit"),
    "screen": program(reader="screen", posix=True, harmless="-ls|-list|-v|--version|--help"),
    "dtach": _argv("-e -r", 1),
    "abduco": program(values="-e", wraps=(Wrapper(skip=1),)),
    "zellij": _after("run", "action new-pane",
                     values="-n --name -d --direction --cwd -s --session -c --config",
                     chdir="--cwd"),
    "gnome-terminal": program(
        values="--title --working-directory --profile -t -e --command -x",
        wraps=(Wrapper(form="shell", options="-e|--command"), Wrapper(when="!-e|--command")),
    ),
    "alacritty": program(
        posix=True, values="-t --title --working-directory --config-file -o",
        wraps=(Wrapper(when="-e|--command"),),
    ),
    "kitty": _argv("-T --title -d --directory -c --config -o --override -e"),
    "wezterm": _after("start", values="--cwd"),
    "konsole": program(
        values="--workdir --profile -p",
        wraps=(Wrapper(form="words", options="-e"), Wrapper(when="-e")),
    ),
    "xvfb-run": _argv("-e --error-file -f --auth-file -n --server-num -p --xauth-protocol -s "
                      "--server-args -w --wait"),
    "dbus-run-session": _argv("--config-file --dbus-daemon"),
    "dbus-launch": _argv(""),
    "startx": _argv(),
    "xinit": _argv(),
    # Sandboxes, roots, namespaces
    "chroot": program(
        Fact(PRIVILEGE, severity=LOW, says="runs under another root folder"),
        posix=True, values="--userspec --groups -u -g -G", wraps=(Wrapper(skip=1),),
        harmless="--help|--version",
    ),
    "arch-chroot": program(same_as="chroot"),
    "schroot": program(values="-c --chroot -u --user -d --directory", wraps=(Wrapper(),)),
    "nsenter": program(
        Fact(ESCAPE, "-t=1|--target=1", severity=HIGH, says="enters the host's namespaces",
             instead=_HERE),
        Fact(ESCAPE, "-t|--target !-t=1", severity=MEDIUM,
             says="enters another process's namespaces"),
        posix=True, values="-t --target -S --setuid -G --setgid -N --net-socket",
        wraps=(Wrapper(),), harmless="--help|--version|-V",
    ),
    "unshare": _argv("-S --setuid -G --setgid -R --root -w --wd --propagation --map-user "
                     "--map-group --map-users --map-groups", chdir="-w|--wd"),
    "proot": _argv("-r --rootfs -b --bind -m --mount -q --qemu -w --pwd --cwd -k -R -S",
                   chdir="-w|--pwd|--cwd"),
    "fakeroot": _argv("-s -i -b -l --lib -f --faked"),
    "fakechroot": _argv("-e --environment -l --lib -c --config-dir -b --bindir"),
    "faketime": program(posix=True, values="-p", wraps=(Wrapper(skip=1),)),
    "libfaketime": program(same_as="faketime"),
    "bwrap": program(reader="bwrap", chdir="--chdir"),
    "firejail": _argv("--join"),
    "sandbox-exec": _argv("-f -p -n -D"),
    "landrun": _argv("--ro --rw --rox --rwx --env"),
    "runcon": _argv("-t -u -r -l"),
    "aa-exec": _argv("-p --profile -n --namespace"),
    "cgexec": _argv("-g"),
    "proxychains": _argv("-f"),
    "proxychains4": program(same_as="proxychains"),
    "torsocks": _argv("-u --user -p --pass -a --address -P --port"),
    "torify": _PLAIN,
    "tsocks": _PLAIN,
    "machinectl": program(
        Fact(DESTROY, "remove|clean", says="deletes containers with their data",
             instead="Look first: `machinectl list-images`."),
        Fact(KILL, "terminate|kill|poweroff|reboot", severity=MEDIUM),
        wraps=(Wrapper(when="shell *", where="elsewhere"),),
    ),
    "systemd-nspawn": program(
        posix=True,
        values="-D --directory -i --image -M --machine -u --user --bind --bind-ro -E --setenv",
        wraps=(Wrapper(where="elsewhere"),),
    ),
    "flatpak-spawn": _argv("--directory --env"),
    # Watching a program run
    "heaptrack": _argv("-o -p"),
    "rr": _after("record"),
    "uftrace": _after("record|live"),
    # Many programs in one, and other ways to start one
    "busybox": program(
        posix=True, wraps=(Wrapper(),), harmless="--list|--list-full|--help|--install",
    ),
    "toybox": program(same_as="busybox"),
    "coreutils": program(posix=True, wraps=(Wrapper(),), harmless="--list|--help"),
    "xcrun": _argv("--sdk -sdk --toolchain", harmless="--find|-f|--show-sdk-path|--help|--version"),
    "ld-linux-x86-64.so": _LOADER,
    "ld-linux-aarch64.so": _LOADER,
    "ld-linux-armhf.so": _LOADER,
    "ld-linux.so": _LOADER,
    "ld-musl-x86_64.so": _LOADER,
    "ld-musl-aarch64.so": _LOADER,
    "ld.so": _LOADER,
    "qemu-x86_64": _argv("-L -cpu -E -U -g -s -d -D"),
    **aliases("qemu-x86_64", "qemu-aarch64", "qemu-arm"),
    "wine": _argv(),
    "winpty": _argv(),
    "expect": program(reader="tcl", values="-c -f"),
    "tclsh": program(reader="tcl"),
    **aliases("tclsh", "wish", "jimsh"),
    "timeit": program(reader="timeit", values="-s --setup -n --number -r --repeat -u --unit"),
    "m4": program(reader="m4", values="-D -I -U -o -F"),
    "start-stop-daemon": program(
        values="-x --exec -a --startas -p --pidfile -u --user -g -c --chuid -d --chdir -n --name "
        "-s --signal -R --retry",
        wraps=(Wrapper(form="shell", options="-x|--exec|-a|--startas"),), chdir="-d|--chdir",
    ),
    "daemonize": _argv("-a -c -e -E -l -o -p -u"),
    "daemon": _argv("-n --name -u --user -p -P -l -o -D --chdir"),
    "vagrant": program(
        values="-c --command",
        wraps=(Wrapper(form="shell", options="-c|--command", when="ssh|winrm|powershell",
                       where="elsewhere"),),
    ),
    "lima": program(posix=True, wraps=(Wrapper(where="elsewhere"),)),
    "wsl": program(
        values="-d --distribution -u --user --cd -e --exec",
        wraps=(Wrapper(form="shell", options="-e|--exec"), Wrapper(form="words")),
    ),
    "devbox": _after("run", values="-c --config -e --env"),
    "devenv": _after("shell"),
    "guix": program(wraps=(Wrapper(when="shell"),)),
    "with-readline": _PLAIN,
    "aws-vault": program(
        values="-d --duration -n --region --backend", wraps=(Wrapper(when="exec *"),),
    ),
    "aws-okta": program(wraps=(Wrapper(when="exec *"),)),
    "infisical": program(values="--env --path --projectId --token", wraps=(Wrapper(when="run"),)),
    "doppler": program(
        values="-p --project -c --config -t --token --scope --command",
        wraps=(Wrapper(form="shell", options="--command", when="run"), Wrapper(when="run")),
    ),
    "op": program(values="--vault --account --env-file --session", wraps=(Wrapper(when="run"),)),
    "teller": program(values="-c --config", wraps=(Wrapper(when="run"),)),
    "sops": program(wraps=(Wrapper(form="shell", when="exec-env|exec-file *"),)),
    "fnox": program(wraps=(Wrapper(when="exec"),)),
}  # fmt: skip
