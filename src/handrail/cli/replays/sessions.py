"""Read recorded sessions: transcripts of hosts, or traces.

A transcript is a `.jsonl` file with one message per line; the whole file is one session. A
trace has one run per line: `{"run", "goal", "steps": [{"tool", "input", "ok", …}]}`. Both may
be packed with gzip. Only one session is in memory at a time.
"""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, cast

import msgspec

from handrail.hosts import HOSTS, find_host
from handrail.hosts.recording import Recording
from handrail.model.action import Action, Outcome

_MAX_LINE = 64 * 1024 * 1024
_MAX_GOAL = 4_000
_SUFFIXES = (".jsonl", ".jsonl.gz")


class PastStep(msgspec.Struct, frozen=True):
    """One step of a recorded session."""

    action: Action
    outcome: Outcome | None = None
    """None if it did not run, or if the record has no outcome."""
    problem: str = ""
    """Why the step cannot be read, or ""."""
    at: float | None = None
    """Time in seconds, if the record has it."""
    agent: str = ""
    """The sub-agent, or "" for the agent itself."""
    prompted: bool = False
    """A prompt came before it."""
    said: str = ""
    """The agent's message after it, if the agent stopped there."""


class Session(msgspec.Struct, frozen=True):
    """One recorded session."""

    name: str
    goal: str
    steps: list[PastStep]
    roots: tuple[str, ...] = ()
    """The folders of the session, if the record names them."""


class ReadingCount(msgspec.Struct):
    """How much was read, and what could not be read."""

    files: int = 0
    bytes_read: int = 0
    broken_lines: int = 0
    unknown_files: list[str] = []


class _SessionLine(msgspec.Struct):
    """The fields that tell the formats apart."""

    type: str | None = None
    steps: list[msgspec.Raw] | None = None
    run: str | int | None = None
    goal: str | None = None


class _TraceStep(msgspec.Struct):
    tool: str
    input: dict[str, object]
    ok: bool | None = None
    exit_code: int | None = None
    output: str | None = None
    output_tail: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    t: float | None = None
    cwd: str | None = None
    env: dict[str, str] | None = None


_line = msgspec.json.Decoder(_SessionLine)
_trace_step = msgspec.json.Decoder(_TraceStep)


def find_files(paths: Iterable[Path]) -> list[Path]:
    """List the files, and all session files below the folders."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = (file for file in path.rglob("*.jsonl*") if file.name.endswith(_SUFFIXES))
            found.extend(sorted(file for file in inside if file.is_file()))
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def read_sessions(path: Path, tally: ReadingCount, seen: set[str]) -> Iterator[Session]:
    """Read the sessions of one file. `seen` holds the ids of calls in other files."""
    tally.files += 1
    transcripts = [find_host(name).recording(seen) for name in HOSTS]
    known = False
    for number, data in enumerate(_lines(path, tally), 1):
        try:
            line = _line.decode(data)
            if line.steps is not None:
                known = True
                yield _trace(line, f"{path.name}:{number}")
            elif line.type is not None:
                _add(data, transcripts)
        except (ValueError, RecursionError):
            tally.broken_lines += 1
    for transcript in filter(attrgetter("messages"), transcripts):
        known = True
        if transcript.calls:
            yield _session(transcript, path)
    if not known:
        tally.unknown_files.append(str(path))


def _add(data: bytes, transcripts: Sequence[Recording]) -> None:
    """Give a line to every host's reader; raise ValueError if none can read it."""
    errors: list[Exception] = []
    for transcript in transcripts:
        try:
            transcript.add(data)
        except (ValueError, RecursionError) as error:
            errors.append(error)
    if len(errors) == len(transcripts):
        raise errors[0]


def _lines(path: Path, tally: ReadingCount) -> Iterator[bytes]:
    before = tally.bytes_read
    with path.open("rb") as raw:
        packed = raw.peek(2)[:2] == b"\x1f\x8b"
        source = cast("BinaryIO", gzip.GzipFile(fileobj=raw)) if packed else raw
        try:
            while data := source.readline(_MAX_LINE):
                if data.strip():
                    yield data
                tally.bytes_read = before + raw.tell()
        except (EOFError, gzip.BadGzipFile, zlib.error):
            tally.broken_lines += 1


def _session(transcript: Recording, path: Path) -> Session:
    steps = [
        PastStep(
            call.action,
            call.outcome,
            at=call.at,
            agent=call.agent,
            prompted=call.prompted,
            said=call.said,
        )
        for call in transcript.calls.values()
    ]
    name = path.name.removesuffix(".gz").removesuffix(".jsonl")
    roots = (transcript.started_in,) if transcript.started_in else ()
    return Session(name, transcript.goal, steps, roots)


# Traces


def _trace(line: _SessionLine, place: str) -> Session:
    goal = (line.goal or "")[:_MAX_GOAL]
    read = [_read_step(raw) for raw in line.steps or ()]
    roots = _roots(goal, [step for step in read if isinstance(step, _TraceStep)])
    cwd = roots[0] if roots else ""
    steps: list[PastStep] = []
    for step in read:
        if isinstance(step, str):
            steps.append(PastStep(Action("", {}), problem=step))
            continue
        cwd = step.cwd or cwd
        action = Action(step.tool, step.input, cwd, step.env or {})
        outcome = None
        if step.ok is not None:
            tokens = (step.tokens_in or 0) + (step.tokens_out or 0)
            outcome = Outcome(step.ok, step.exit_code, _output(step), tokens=tokens)
        steps.append(PastStep(action, outcome, at=step.t))
    name = place if line.run is None else str(line.run)
    return Session(name, goal, steps, roots)


def _output(step: _TraceStep) -> str:
    said = step.output or ""
    return f"{said}\n…\n{step.output_tail}" if step.output_tail else said


def _read_step(raw: msgspec.Raw) -> "_TraceStep | str":
    try:
        return _trace_step.decode(raw)
    except (ValueError, RecursionError) as error:
        return f"the step is not an action: {error}"


def _roots(goal: str, steps: Iterable[_TraceStep]) -> tuple[str, ...]:
    """Find the folders: named in the goal, else the first `cwd`, else of the first path."""
    uploaded = re.search(r"<uploaded_files>\s*(.*?)\s*</uploaded_files>", goal, re.DOTALL)
    if uploaded:
        folders = [line.strip().rstrip("/") for line in uploaded.group(1).splitlines()]
        if named := tuple(folder for folder in folders if folder.startswith("/")):
            return named
    steps = list(steps)
    for step in steps:
        if step.cwd and step.cwd.startswith("/"):
            return (step.cwd,)
    for step in steps:
        path = step.input.get("file_path", step.input.get("path"))
        if isinstance(path, str) and path.startswith("/"):
            return (path.rpartition("/")[0] or "/",)
    return ()
