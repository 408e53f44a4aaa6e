"""Processes: ending the system, its guards or everything is stopped, ending your own is not."""

from collections.abc import Callable

import pytest

from handrail.model.effect import PATH_KINDS, Effect, Kind
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

STOPPED = {
    Kind.KILL: [
        "kill -9 -1",
        "kill -- -1",
        "kill -s 9 -1",
        "kill -9 1",
        "kill -9 $(pgrep -u root)",
        "kill -9 $(pidof sshd)",
        "kill -9 $(lsof -t -i:22)",
        "kill $(lsof -t /)",
        "for p in $(ps -eo pid=); do kill -9 $p; done",
        "for i in $(seq 1 65535); do kill -9 $i; done",
        "ps -ef | awk '{print $2}' | xargs kill -9",
        "ls /proc | grep -E '^[0-9]+$' | xargs kill -9",
        "pkill -9 -u root",
        "pkill -9 -u $USER",
        "pkill -f .",
        "pkill ''",
        "pkill -x sshd",
        "pkill -KILL systemd",
        "killall -9 sshd",
        "killall -r '.*'",
        "killall5 -9",
        "skill -KILL -u root",
        "fuser -km /home",
        "fuser -k 22/tcp",
        "fuser -k /var/lib/mysql",
    ],
    Kind.TAMPER: [
        "pkill auditd",
        "pkill -f crowdstrike",
        "kill -STOP $(pgrep auditd)",
        "pkill -f handrail",
        "pkill -9 -f 'handrail serve'",
        "kill $(pgrep -f handrail)",
        "pgrep -f handrail | xargs kill -9",
        "kill $(cat ~/.local/state/handrail/handrail.pid)",
    ],
    Kind.CHANGE: [
        "renice -n 19 -u root",
        "renice -20 -p 1",
        "prlimit --pid 1 --nofile=0",
    ],
    Kind.UNSEEN: [
        "gdb -p 1234 -batch -ex 'call (int)system(\"id\")'",
        "gdb -batch -ex 'call (void*)dlopen(\"/tmp/x.so\", 2)' -p 1234",
        "lldb --batch -o 'expression (void)system(\"id\")' ./target",
        "lldb -b -s /dev/shm/x.lldb ./target",
        "gdb -x /tmp/x.gdb ./app",
    ],
    Kind.SECRET: [
        "gcore $(pidof ssh-agent)",
        "strace -p $(pidof sshd)",
    ],
    Kind.DELETE: [
        "gdb -batch -ex 'shell rm -rf /etc'",
        "gdb -batch -ex run --args rm -rf /etc",
        "strace -f rm -rf /etc",
        "tmux new -d 'rm -rf /etc'",
    ],
    Kind.EXHAUST: [
        "stress-ng --vm 0 --vm-bytes 100% --timeout 0",
    ],
}
ROWS = [(kind, command) for kind, commands in STOPPED.items() for command in commands]


@pytest.mark.parametrize(("kind", "command"), ROWS)
def test_ending_what_the_machine_needs(effects: Effects, kind: Kind, command: str) -> None:
    severe = [effect for effect in effects(command) if effect.severity >= Severity.HIGH]
    assert kind in {effect.kind for effect in severe}


@pytest.mark.parametrize(("kind", "command"), ROWS)
def test_what_to_do_instead(effects: Effects, kind: Kind, command: str) -> None:
    severe = [effect for effect in effects(command) if effect.severity >= Severity.HIGH]
    assert all(effect.instead for effect in severe if effect.kind not in PATH_KINDS)


CALM = [
    "kill 1234",
    "kill -9 43210",
    "kill -TERM -12345",
    "kill -1 1234",
    "kill -0 1",
    "kill -l",
    "kill %2",
    "kill $!",
    "kill $(cat /tmp/server.pid)",
    "kill -9 $(lsof -ti:3000)",
    "lsof -ti:4200 | xargs kill -9",
    "ps aux | grep '[n]ode' | awk '{print $2}' | xargs kill",
    "pgrep -f vite | xargs kill",
    "pkill -f 'npm run dev'",
    "pkill -USR1 myapp",
    "pkill -P $$",
    "pkill -x esbuild",
    "killall node",
    "fuser -k 8080/tcp",
    "fuser -v /home",
    "renice -n 5 -p 12345",
    "gdb -batch -ex 'info shared' ./my_program",
    "gdb -batch -ex run -ex bt --args ./app",
    "lldb -b -o run -o bt ./app",
    "strace -f -e trace=open ./app",
    "strace -p 1234",
    "stress --cpu 2 --timeout 5s",
    "tmux kill-session -t dev",
]


@pytest.mark.parametrize("command", CALM)
def test_own_processes(effects: Effects, command: str) -> None:
    assert all(effect.severity < Severity.HIGH for effect in effects(command))
