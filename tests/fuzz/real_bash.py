"""What bash itself makes of command lines: the programs it would call, the files it opens.

Many texts run in one bash, each in a subshell with a home and a work folder of its own. There is
no program on the PATH, so bash hands every call to `command_not_found_handle`, which records it.
The builtin `kill` is switched off, so that it is such a call, too; under the name of `sh`, bash
would not read the file that does it.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from tests.fuzz import bash_jail

BATCH = 200
"""Texts for one process."""
PATIENCE = 10.0
"""Seconds that one text may take: some wait for an input that never comes.

One that never stops calculating ends by its processor time, however busy the machine is.
"""
HOME, WORK = "h", "w"
FILES = {
    f"{HOME}/.ssh/authorized_keys": "keys\n",
    f"{HOME}/.ssh/id_rsa": "secret\n",
    f"{HOME}/.local/state/handrail/control-token": "token\n",
    f"{HOME}/.claude/settings.json": "{}\n",
    f"{WORK}/a.txt": "one\ntwo\n",
    f"{WORK}/b.txt": "three\n",
    f"{WORK}/c d.txt": "four\n",
    f"{WORK}/sub/x": "five\n",
}
"""Every file of the scene, with its text."""

_LINE_END = "\x1e"
"""Stands for the end of a line in the record: there bash would write in two pieces, and calls that
run at the same time would get between them."""
_DRIVER = r"""
command_not_found_handle() {
    local - in= record
    IFS=$' \t\n'
    set +x
    case $1 in
        cat|sh|bash|tee|xargs) [ $# -gt 1 ] && [ "$1" != xargs ] && [ "$1" != tee ] ||
            IFS= read -r -d '' -N 4000 in ;;
    esac
    record=("$#" "$PWD" "$in" "$@")
    printf '%s\0' "${record[@]//$'\n'/$'\x1e'}" >&9
    case $1 in
        cat) shift; if [ $# = 0 ]; then printf %s "$in"; else /bin/cat -- "$@"; fi ;;
        tee) printf %s "$in" ;;
        tr|rev|base64|basename|dirname|seq) "/usr/bin/$1" "${@:2}" ;;
        bash) if [ "$2" = -c ]; then (exec -a bash /bin/bash --norc --noprofile "${@:2}")
            else printf %s "$in" | (exec -a bash /bin/bash --norc --noprofile -s); fi ;;
        sh) if [ "$2" = -c ]; then /bin/bash --norc --noprofile "${@:2}"
            else printf %s "$in" | /bin/bash --norc --noprofile -s; fi ;;
        *) echo out; echo err >&2 ;;
    esac
}
export -f command_not_found_handle
printf 'enable -n kill\n' > "$PWD/no_kill"
export BASH_ENV=$PWD/no_kill
enable -n kill
for HANDRAIL_SLOT in "$@"; do
    (
        cd "$HANDRAIL_SLOT/w" || exit
        export HOME=$HANDRAIL_SLOT/h
        exec 9>>"$HANDRAIL_SLOT/calls" </dev/null >/dev/null 2>"$HANDRAIL_SLOT/err"
        set --
        unset HANDRAIL_SLOT OLDPWD
        ulimit -t 1
        . ../text
        wait
    )
    printf . >> "$PWD/done"
done
"""


class BashCall(msgspec.Struct, frozen=True):
    """A program that bash would have started."""

    argv: tuple[str, ...]
    cwd: str
    given: str
    """Its standard input, where the program reads it."""


class BashRun(msgspec.Struct, frozen=True):
    """What came of one text."""

    calls: tuple[BashCall, ...]
    written: tuple[str, ...]
    """Files that were made, emptied or written to."""
    home: str
    cwd: str
    says: str = ""
    """What bash complained about."""


class RealBash:
    """Runs texts in a scratch folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        assert len(self._folder.parts) > 2, "a scratch folder, not the root"

    def run(self, texts: Sequence[str]) -> Iterator[BashRun]:
        """Run up to `BATCH` texts."""
        slots = [self._folder / str(number) for number in range(len(texts))]
        for slot, text in zip(slots, texts, strict=True):
            if not slot.exists():
                self._furnish(slot)
            (slot / "text").write_text(text + "\n", encoding="utf-8", errors="surrogateescape")
            (slot / "calls").write_bytes(b"")
        self._start([str(slot) for slot in slots])
        for slot in slots:
            yield self._result(slot)

    def _start(self, slots: list[str]) -> None:
        """Run all slots; one in which bash waits for ever is left behind."""
        done = self._folder / "done"
        while slots:
            done.write_bytes(b"")
            argv = [sys.executable, bash_jail.__file__, str(self._folder), "-c", _DRIVER, "bash"]
            process = subprocess.Popen(
                [*argv, *slots],
                env={"PATH": "/nonexistent", "LC_ALL": "C.UTF-8"},
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            errors = _finish(process, done)
            assert b"no Landlock" not in errors, errors[-500:]
            slots = slots[done.stat().st_size + 1 :]

    def _result(self, slot: Path) -> BashRun:
        record = (slot / "calls").read_bytes().decode("utf-8", "replace")
        calls = list(_calls(record.replace(_LINE_END, "\n").split("\0")))
        written = sorted(_changed(str(slot)))
        says = (slot / "err").read_text(errors="replace").replace("err\n", "")
        if written:
            shutil.rmtree(slot)
            self._furnish(slot)
        return BashRun(tuple(calls), tuple(written), f"{slot}/{HOME}", f"{slot}/{WORK}", says[:300])

    def _furnish(self, slot: Path) -> None:
        for name, text in FILES.items():
            (slot / name).parent.mkdir(parents=True, exist_ok=True)
            (slot / name).write_text(text)


def _finish(process: subprocess.Popen[bytes], done: Path) -> bytes:
    """Wait until bash has ended, or has come no further for too long."""
    reached = -1
    try:
        while reached < (reached := done.stat().st_size):
            try:
                return process.communicate(timeout=PATIENCE)[1]
            except subprocess.TimeoutExpired:
                continue
        return b""
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _calls(fields: list[str]) -> Iterator[BashCall]:
    at = 0
    while at + 3 < len(fields):
        count = int(fields[at])
        yield BashCall(tuple(fields[at + 3 : at + 3 + count]), fields[at + 1], fields[at + 2])
        at += 3 + count


def _changed(slot: str) -> Iterator[str]:
    """The files that are not as they were furnished."""
    for part in (HOME, WORK):
        for folder, _, names in os.walk(f"{slot}/{part}"):
            for name in names:
                path = f"{folder}/{name}"
                text = FILES.get(path[len(slot) + 1 :])
                if text is None or os.stat(path).st_size != len(text):
                    yield path
