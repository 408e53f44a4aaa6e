"""The commands that are measured: recorded ones where they are at hand, else our own."""

import json
from pathlib import Path

import msgspec

HERE = Path(__file__).parent
ROOT = HERE.parent
RECORDED = ROOT.parent / "shared" / "data"
"""Recorded runs of agents; not a part of this repository, and nothing depends on them."""


class Line(msgspec.Struct, frozen=True):
    """One command and the folder it was given in."""

    command: str
    cwd: str


class Corpus(msgspec.Struct, frozen=True):
    """What is measured, and where it comes from."""

    lines: tuple[Line, ...]
    origin: str


def load_corpus() -> Corpus:
    """The recorded commands, or the ones in benchmarks/data/commands.txt."""
    recorded = RECORDED / "real_commands_dev.jsonl"
    if recorded.exists():
        rows = [json.loads(row) for row in recorded.read_text().splitlines()]
        found = (Line(row["command"], row["cwd"] or "/workspace") for row in rows)
        lines = tuple(dict.fromkeys(found))
        return Corpus(lines, f"{len(lines):,} commands that coding agents gave in recorded runs")
    blocks = (HERE / "data" / "commands.txt").read_text().strip().split("\n\n")
    lines = tuple(dict.fromkeys(Line(block, "/workspace/shop") for block in blocks))
    return Corpus(lines, f"{len(lines):,} commands of benchmarks/data/commands.txt")


def recorded_runs() -> Path | None:
    """Whole recorded runs, where they are at hand."""
    path = RECORDED / "runs_dev.jsonl.gz"
    return path if path.exists() else None
