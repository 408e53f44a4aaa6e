"""How the code is built, in numbers that two versions of it can be compared by.

    python benchmarks/structure.py [--src FOLDER] [--against FOLDER] [--json] [--no-daemon]

`--src` is the folder that has the package `handrail` in it, by default this checkout's `src`;
`--against` an older one, whose numbers are put beside. Only names that stay are used: folders,
commands, hooks, endpoints. So the same script counts versions in which everything has another name.

**Size.** Lines and files of `handrail/`, and how long files and functions are; a function is as
long as its `def`, decorators left out.

**Names.** Class names that stand in two or more files, leading underscores left out.

**Files to touch** for one more of a kind, told by how many files name one that is there: in an
identifier or in a text, docstrings and comments left out, or in a YAML file (see `KINDS`).

**The way of a call.** A real daemon is asked over its socket, with a profiler in all its threads.
*Functions* are the functions of Handrail that were entered until the answer was there, each counted
once, those without a name (lambdas, comprehensions) left out. *Switches* is how often the next call
of one was in another thread than the last. Both are the median of several rounds, after a first
one that is not counted.
"""

import argparse
import ast
import http.client
import json
import os
import re
import runpy
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

HERE = Path(__file__).resolve()
ROUNDS = 7
QUIET = 0.4
"""Seconds after which a daemon has done what it does beside and after its answers."""
PATIENCE = 30.0
RUN = "5a0e7c31-0000-4000-8000-000000000031"

Numbers = dict[str, float]


# Size and names


def count_sizes(package: Path) -> Numbers:
    """Lines and files, of the whole and of each room."""
    lengths = {path: len(path.read_bytes().splitlines()) for path in package.rglob("*.py")}
    ordered = sorted(lengths.values())
    functions = [_length(node) for path in lengths for node in _functions(path)]
    found: Numbers = {
        "lines": sum(ordered),
        "files": len(ordered),
        "lines of a file, median": statistics.median(ordered),
        "lines of a file, 95 in 100 have at most": ordered[int(len(ordered) * 0.95)],
        "lines of a file, most": ordered[-1],
        "functions": len(functions),
        "lines of a function, median": statistics.median(functions),
    }
    rooms: dict[str, list[int]] = defaultdict(list)
    for path, length in lengths.items():
        rooms[_room(path.relative_to(package))].append(length)
    for room in sorted(rooms):
        found[f"{room}: lines"] = sum(rooms[room])
        found[f"{room}: files"] = len(rooms[room])
    return found


def _room(path: Path) -> str:
    return f"{path.parts[0]}/" if len(path.parts) > 1 else "(no room)"


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def count_names(package: Path) -> Numbers:
    """Class names that stand in several files."""
    files: Counter[str] = Counter()
    for path in package.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_bytes()))
        files.update({node.name.lstrip("_") for node in nodes if isinstance(node, ast.ClassDef)})
    return {"class names in two or more files": sum(1 for times in files.values() if times > 1)}


# Files to touch


class Sort(NamedTuple):
    """Things of which there may be one more."""

    words: str
    """A regular expression for how files name one that is there."""
    own: str = ""
    """The name of a file that is its own, whatever stands in it."""
    only_texts: bool = False
    elsewhere: tuple[str, ...] = ()
    """Beginnings of paths and of file names where the words mean something else."""


KINDS = {
    "a detector (repeated refusals)": Sort(r"(?i)repeated_?refusals|detect\.refusals"),
    "a control command (escalate)": Sort(r"(?i)\bescalate\b"),
    # What Claude Code does as a program, and scripted models, are no part of a host's adapter.
    "a host (Claude Code), outside of hosts/": Sort(
        r"(?i)claude", elsewhere=("hosts/", "shell/", "testing/", "demo")
    ),
    # The reader of inline Python knows calls that reach the log, and a store has helpers.
    "a store (SQLite)": Sort(
        r"SqliteStore|store\.sqlite(?!_)", elsewhere=("shell/inline/python_table.py",)
    ),
    # Texts that tell a person to call it need no change when there is another command; a host has
    # checks and commands of its own with that name.
    "a CLI command (doctor)": Sort(
        r"(?<!handrail )(?<![\w.`-])doctor(?![\w.`-])",
        "doctor.py",
        only_texts=True,
        elsewhere=("hosts/",),
    ),
}


def count_files_to_touch(package: Path) -> Numbers:
    """For each kind, the files that name one of it."""
    paths = [path for ending in ("*.py", "*.yaml") for path in package.rglob(ending)]
    return {
        f"files that name {kind}": sum(_names(path, sort, package) for path in paths)
        for kind, sort in KINDS.items()
    }


def _names(path: Path, sort: Sort, package: Path) -> bool:
    where = path.relative_to(package).as_posix()
    if where.startswith(sort.elsewhere) or path.name.startswith(sort.elsewhere):
        return False
    if path.name == sort.own:
        return True
    if path.suffix == ".yaml":
        return bool(re.search(sort.words, path.read_text()))
    texts, identifiers = _words(path)
    words = texts if sort.only_texts else texts + identifiers
    return any(re.search(sort.words, word) for word in words)


@cache
def _words(path: Path) -> tuple[list[str], list[str]]:
    """The texts of a file that are no docstrings, and its identifiers."""
    tree = ast.parse(path.read_bytes())
    told = {
        id(each.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for each in node.body
        if isinstance(each, ast.Expr)
    }
    texts, identifiers = [], []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            texts.append(node.value)
        for field in ("id", "attr", "name", "arg", "module"):
            word = getattr(node, field, None)
            if isinstance(word, str):
                identifiers.append(word)
    return texts, identifiers


# The way of a call


def profile(door: str, package: str) -> None:
    """Be the daemon, and count which functions it enters between `begin` and `end` on a socket."""
    entered: list[tuple[int, CodeType]] = []
    counting = False

    def look(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if counting and event == "call" and code.co_filename.startswith(package):
            entered.append((threading.get_ident(), code))

    def listen() -> None:
        nonlocal counting
        # `serve` may become a guardian that starts this script again: the last one counts.
        Path(door).unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(door)
            listener.listen()
            while True:
                line, _ = listener.accept()
                with line:
                    counting = line.recv(16) == b"begin"
                    line.sendall(_count(entered))
                    entered.clear()

    threading.Thread(target=listen, daemon=True).start()
    threading.setprofile(look)
    sys.setprofile(look)
    sys.argv = ["handrail", "serve"]
    runpy.run_module("handrail", run_name="__main__")


def _count(entered: list[tuple[int, CodeType]]) -> bytes:
    calls = list(entered)
    functions = {code for _, code in calls if not code.co_name.startswith("<")}
    switches = sum(before != after for (before, _), (after, _) in pairwise(calls))
    return json.dumps([len(functions), switches]).encode()


class Watched:
    """A daemon whose functions are counted, and a session in a project of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = root / "home" / "shop"
        self.calls = 0

    def ask(self, method: str, path: str, body: object = None) -> dict[str, object]:
        """One request over the daemon's socket."""
        connection = http.client.HTTPConnection("handrail", timeout=PATIENCE)
        connection.sock = _connect(self.root / "state" / "daemon.sock")
        with closing(connection):
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            said = answer.read()
        if answer.status != http.client.OK:
            raise SystemExit(f"{method} {path}: {answer.status} {said!r}")
        found: dict[str, object] = json.loads(said)
        return found

    def tell(self, event: str, **fields: object) -> dict[str, object]:
        """A hook of the session."""
        payload = {"session_id": RUN, "cwd": str(self.project), "hook_event_name": event}
        return self.ask("POST", "/hooks/claude", {**payload, **fields})

    def before(self, command: str) -> None:
        """The agent asks for leave to run a command."""
        self.calls += 1
        self._call("PreToolUse", command)

    def after(self, command: str) -> None:
        """The command has run."""
        self._call("PostToolUse", command, tool_response={"stdout": "", "stderr": ""})

    def _call(self, event: str, command: str, **fields: object) -> None:
        given = {"command": command}
        self.tell(event, tool_name="Bash", tool_input=given, tool_use_id=f"t{self.calls}", **fields)

    def control(self, command: str) -> None:
        """A person asks for something, and waits until it is confirmed."""
        request = {
            "schema": 0,
            "type": "REQUEST",
            "request_id": str(uuid.uuid4()),
            "command": command,
            "target": {"run_id": RUN},
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "payload": {"by": "ann"},
        }
        self.ask("POST", "/control?wait=20", request)

    def write_notes(self) -> None:
        """There are files that no checkpoint has."""
        notes = self.project / "notes"
        notes.mkdir(exist_ok=True)
        for number in range(5):
            (notes / f"{number}.md").write_text(f"{uuid.uuid4()}\n")

    def delete_notes(self) -> None:
        """What the agent's command does."""
        shutil.rmtree(self.project / "notes", ignore_errors=True)

    def count(self, work: Callable[[], object]) -> tuple[int, int]:
        """Functions and switches until some work is done."""
        time.sleep(QUIET)
        self._say(b"begin")
        work()
        functions, switches = self._say(b"end")
        return functions, switches

    def _say(self, word: bytes) -> list[int]:
        with _connect(self.root / "door") as line:
            line.sendall(word)
            found: list[int] = json.loads(line.recv(1024))
        return found


def _connect(path: Path) -> socket.socket:
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(PATIENCE)
    line.connect(str(path))
    return line


def _look(watched: Watched) -> tuple[int, int]:
    found = watched.count(lambda: watched.before("ls"))
    watched.after("ls")
    return found


def _delete(watched: Watched) -> tuple[int, int]:
    watched.write_notes()
    found = watched.count(lambda: watched.before("rm -rf notes"))
    watched.delete_notes()
    watched.after("rm -rf notes")
    return found


def _pause(watched: Watched) -> tuple[int, int]:
    found = watched.count(lambda: watched.control("pause"))
    watched.control("resume")
    return found


def _undo(watched: Watched) -> tuple[int, int]:
    """What a person has looked at before is put back; the look is not counted."""
    command = "find notes -name '*.md' -delete"
    watched.write_notes()
    watched.before(command)
    for path in (watched.project / "notes").iterdir():
        path.unlink()
    watched.after(command)
    time.sleep(2 * QUIET)
    wanted = {"cwd": str(watched.project), "level": "action", "run": RUN}
    seen = watched.ask("POST", "/restores/preview", wanted)["preview"]
    assert isinstance(seen, dict)
    ends = {"target": seen["way"]["target"], "base": seen["way"].get("base")}
    way = {name: f"c{each['number']}" for name, each in ends.items() if each}
    body = {**wanted, **way, "expects": seen["now"]}
    return watched.count(lambda: watched.ask("POST", "/restores", body))


WAYS = {
    "PreToolUse of `ls`": _look,
    "PreToolUse of `rm -rf notes`, files saved first": _delete,
    "a pause, until it is confirmed": _pause,
    "an undo": _undo,
}


def count_ways(source: Path) -> Numbers:
    """Functions and thread switches on the way of some calls."""
    found: Numbers = {}
    with watched_daemon(source) as watched:
        watched.tell("SessionStart", source="startup")
        watched.tell("UserPromptSubmit", prompt="Tidy up the notes of the shop")
        for name, measure in WAYS.items():
            measure(watched)
            rounds = [measure(watched) for _ in range(ROUNDS)]
            found[f"{name}: functions"] = statistics.median_low(each[0] for each in rounds)
            found[f"{name}: switches"] = statistics.median_low(each[1] for each in rounds)
    return found


@contextmanager
def watched_daemon(source: Path) -> Iterator[Watched]:
    """A daemon in a folder of its own; both are gone after the block."""
    root = Path(tempfile.mkdtemp(prefix="hr-", dir="/tmp"))
    environ = {
        "HOME": str(root / "home"),
        "HANDRAIL_HOME": str(root / "state"),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(source),
        "LANG": "C.UTF-8",
    }
    watched = Watched(root)
    watched.project.mkdir(parents=True)
    watched.write_notes()
    person = ("-c", "user.name=dev", "-c", "user.email=dev@example.org")
    for command in ("init -q", "add .", "commit -q -m start"):
        words = command.split()
        subprocess.run(["git", *person, *words], cwd=watched.project, env=environ, check=True)
    log = (root / "log").open("wb")
    package = f"{source / 'handrail'}{os.sep}"
    process = subprocess.Popen(
        [sys.executable, HERE, "--profile", root / "door", package],
        env=environ,
        stdout=log,
        stderr=log,
    )
    try:
        _wait_for(watched, process)
        yield watched
    finally:
        process.terminate()
        process.wait(PATIENCE)
        log.close()
        shutil.rmtree(root, ignore_errors=True)


def _wait_for(watched: Watched, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        with suppress(OSError):
            watched.ask("GET", "/healthz")
            return
        time.sleep(0.05)
    raise SystemExit(f"no daemon: {(watched.root / 'log').read_text()}")


# All together


def count_all(source: Path, *, daemon: bool = True) -> Numbers:
    """Every number of a version."""
    package = source / "handrail"
    ways = count_ways(source) if daemon else {}
    return {**count_sizes(package), **count_names(package), **count_files_to_touch(package), **ways}


def _print_table(now: Numbers, before: Numbers | None) -> None:
    names = list(now) + [name for name in before or {} if name not in now]
    width = max(map(len, names))
    if before is not None:
        print(f"{'':{width}}  {'before':>8}  {'now':>8}")
    for name in names:
        cells = [now] if before is None else [before, now]
        print(f"{name:{width}}", *(f"{_written(each.get(name)):>8}" for each in cells), sep="  ")


def _written(number: float | None) -> str:
    return "·" if number is None else f"{number:,g}"


def main() -> None:
    """Count what was asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--src", type=Path, default=HERE.parent.parent / "src")
    parser.add_argument("--against", type=Path, help="an older version, put beside")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--no-daemon", action="store_true", help="only read the files")
    options = parser.parse_args()
    daemon = not options.no_daemon
    now = count_all(options.src.resolve(), daemon=daemon)
    older = options.against
    before = None if older is None else count_all(older.resolve(), daemon=daemon)
    if options.json:
        print(json.dumps(now if before is None else {"before": before, "now": now}, indent=1))
    else:
        _print_table(now, before)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--profile"]:
        profile(*sys.argv[2:4])
    else:
        main()
