"""What a watch costs while it stands beside somebody's work: memory, processor, and time."""

import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from benchmarks.hook import processor_seconds
from benchmarks.measure import Table
from tests.server.daemon_sandbox import DaemonSandbox

from handrail.desktop.verify.recorder import edit_operations, encode_session
from handrail.desktop.verify.session import EditedFile, EditSession
from handrail.testing.desktop_bed import DesktopBed

_INTERVALS = (600.0, 10.0, 1.0)
_STARTING = 5.0
_SECONDS = 15.0
_FILES = 3
_OLD = "".join(f"value_{n} = {n}\n" for n in range(40))
_NEW = "".join(f"value_{n} = {n * 2} # größer\n" if n % 5 == 0 else f"value_{n} = {n}\n"
               for n in range(40))  # fmt: skip
_HANDRAIL = (sys.executable, "-m", "handrail", "desktop")


def watch_tables(rounds: int) -> list[Table]:
    """A watch that only looks, and a replay with and without it."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="hd-")))
        place = stack.enter_context(DaemonSandbox())
        bed = stack.enter_context(DesktopBed(folder / "bed"))
        environ = {**bed.environment, **place.environ}
        return [_idle_table(place, bed, environ), _replay_table(place, environ, rounds)]


def _idle_table(place: DaemonSandbox, bed: DesktopBed, environ: dict[str, str]) -> Table:
    file = place.project / "cart.py"
    file.write_text("total = 0\n")
    bed.mousepad(file)
    table = Table(
        "A watch beside an editor at rest",
        ("looks every", "memory", "processor"),
        note=f"`handrail desktop watch`, over {_SECONDS:g} s, from {_STARTING:g} s after it "
        "has started. Memory: resident. Processor: share of one core.",
    )
    for interval in _INTERVALS:
        argv = [*_HANDRAIL, "watch", "--interval", str(interval)]
        with subprocess.Popen(
            argv, cwd=place.project, env=environ, stdout=subprocess.DEVNULL
        ) as process:
            try:
                time.sleep(_STARTING)
                before = processor_seconds(process.pid, children=True)
                time.sleep(_SECONDS)
                used = processor_seconds(process.pid, children=True) - before
                memory = psutil.Process(process.pid).memory_info().rss / 1e6
            finally:
                process.terminate()
        table.add(f"{interval:g} s", f"{memory:.0f} MB", f"{used / _SECONDS:.2%}")
    bed.end_programs()
    return table


def _replay_table(place: DaemonSandbox, environ: dict[str, str], rounds: int) -> Table:
    operations = edit_operations(_OLD, _NEW)
    files = tuple(EditedFile(f"part{n}.py", operations, _OLD) for n in range(_FILES))
    session = place.project / "session.json"
    session.write_bytes(encode_session(EditSession(files)))
    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, options in (("without a watch", ["--no-watch"]), ("**with a watch**", [])):
            root = place.project / f"root{len(best)}-{time.monotonic_ns()}"
            root.mkdir()
            began = time.perf_counter()
            argv = [*_HANDRAIL, "replay", str(session), str(root), *options]
            subprocess.run(argv, cwd=place.project, env=environ, check=True, capture_output=True)
            took = time.perf_counter() - began
            best[name] = min(best.get(name, took), took)
    table = Table(
        "A replay in mousepad",
        ("how", "seconds", "without = 1"),
        note=f"{_FILES} files with {len(operations)} operations each; the start of the command and "
        f"of the editor is included. It looks at once and after each file. Best of {rounds}.",
    )
    base = best["without a watch"]
    for name, took in best.items():
        table.add(name, f"{took:.2f}", f"{took / base:.2f}")
    return table
