"""Wrappers: the command inside is found in every spelling, with the options that belong to it."""

from collections.abc import Callable

import pytest

from handrail.model.effect import Effect
from handrail.model.ordinal import Severity

WRAPPED = [
    "sudo rm -rf /etc",
    "sudo -u root -- rm -rf /etc",
    "sudo --user=root -n rm -rf /etc",
    "sudo -EH FOO=1 rm -rf /etc",
    "sudo -D / rm -rf etc",
    "doas -u root rm -rf /etc",
    "run0 rm -rf /etc",
    "env -i A=1 rm -rf /etc",
    "env -u A -C / rm -rf etc",
    "env -S 'rm -rf /etc'",
    "env - rm -rf /etc",
    "cross-env A=1 rm -rf /etc",
    "dotenv -f .env run rm -rf /etc",
    "dotenvx run -- rm -rf /etc",
    "timeout -k 5 --signal=KILL 1m rm -rf /etc",
    "timeout --preserve-status 5s rm -rf /etc",
    "nohup rm -rf /etc",
    "nice -n 19 rm -rf /etc",
    "nice -19 rm -rf /etc",
    "chrt -b 0 rm -rf /etc",
    "taskset -c 0 rm -rf /etc",
    "taskset 0x1 rm -rf /etc",
    "numactl --interleave=all rm -rf /etc",
    "stdbuf -oL rm -rf /etc",
    "setsid -f rm -rf /etc",
    "unbuffer rm -rf /etc",
    "chronic rm -rf /etc",
    "/usr/bin/time -f %e rm -rf /etc",
    "caffeinate -i rm -rf /etc",
    "systemd-inhibit --what=sleep rm -rf /etc",
    "watch -n 60 'rm -rf /etc'",
    "entr -s 'rm -rf /etc'",
    "entr -r rm -rf /etc",
    "watchexec -w src -- rm -rf /etc",
    "nodemon --exec 'rm -rf /etc'",
    "hyperfine --warmup 3 true 'rm -rf /etc'",
    "concurrently 'npm start' 'rm -rf /etc'",
    "flock /tmp/l rm -rf /etc",
    "flock -n /tmp/l -c 'rm -rf /etc'",
    "script -q /dev/null -c 'rm -rf /etc'",
    "script -q /dev/null rm -rf /etc",
    "tmux new-session -d -s x 'rm -rf /etc'",
    "tmux split-window -h 'rm -rf /etc'",
    "tmux send-keys -t 0 'rm -rf' Space '/etc' Enter",
    "tmux new -d \\; send-keys 'rm -rf /etc' C-m",
    "screen -dmS x rm -rf /etc",
    "screen -S x -X stuff 'rm -rf /etc\\n'",
    "chroot / rm -rf /etc",
    "nsenter -t 5 -m rm -rf /etc",
    "unshare -rm --mount-proc rm -rf /etc",
    "fakeroot rm -rf /etc",
    "faketime yesterday rm -rf /etc",
    "bwrap --bind / / rm -rf /etc",
    "firejail --noprofile rm -rf /etc",
    "proxychains4 -q rm -rf /etc",
    "xvfb-run -a rm -rf /etc",
    "dbus-run-session -- rm -rf /etc",
    "ssh-agent rm -rf /etc",
    "busybox rm -rf /etc",
    "toybox rm -rf /etc",
    "xcrun rm -rf /etc",
    "/lib64/ld-linux-x86-64.so.2 /bin/rm -rf /etc",
    "/lib/ld-musl-x86_64.so.1 /bin/rm -rf /etc",
    "expect -c 'spawn rm -rf /etc; interact'",
    "tclsh <<< 'exec rm -rf /etc'",
    "aws-vault exec prod -- rm -rf /etc",
    "doppler run -- rm -rf /etc",
    "op run --env-file=.env -- rm -rf /etc",
    "time -p nice env X=1 timeout 5 rm -rf /etc",
]

QUIET = [
    "sudo -l",
    "sudo docker ps",
    "nohup npm start",
    "watch -n 1 kubectl get pods",
    "tmux ls",
    "tmux send-keys -t dev 'npm test' Enter",
    "screen -ls",
    "hyperfine 'node a.js' 'node b.js'",
    "busybox --list",
    "timeout 60 npm test",
]


@pytest.mark.parametrize("command", WRAPPED)
def test_the_command_inside_is_found(touched: Callable[[str], list[str]], command: str) -> None:
    assert "delete /etc*" in touched(command)


@pytest.mark.parametrize("command", QUIET)
def test_wrapping_alone_is_harmless(
    effects: Callable[[str], tuple[Effect, ...]], command: str
) -> None:
    assert not [effect.text for effect in effects(command) if effect.severity > Severity.LOW]
