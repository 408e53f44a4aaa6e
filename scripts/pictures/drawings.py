"""Drawings of the architecture: the rooms, and the life of an action."""

import ast
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" \
aria-label="{title}">
<style>text {{ font: 14px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #24292f;
paint-order: stroke; stroke: #fff; stroke-width: 4px }}
.b {{ font-weight: 600 }} .m {{ font-family: ui-monospace, Menlo, "DejaVu Sans Mono", monospace }}
.d {{ fill: #6a737d; font-size: 12.5px }} .w {{ fill: #fff; stroke: none }}
.p {{ stroke: none }}
line, path {{ stroke: #57606a; stroke-width: 1.3; fill: none }}</style>
<defs><marker id="tip" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto">\
<path d="M0,0 L9,4 L0,8 z" style="fill:#57606a;stroke:none"/></marker></defs>
<rect width="100%" height="100%" rx="8" fill="#ffffff"/>
"""
_GROUPS = (
    ("for people", "#ddf4ff", ("cli", "tui", "views", "words", "testing")),
    (
        "the edge: processes, hosts, programs",
        "#fff8c5",
        ("desktop", "server", "library", "api", "drive", "fleet", "hosts"),
    ),
    ("one run", "#dafbe1", ("control", "supervise", "store")),
    ("patterns and corrections", "#fbefff", ("intervene", "checkpoint", "detect")),
    ("one action", "#ffebe9", ("review", "shell")),
    ("the ground", "#f6f8fa", ("config", "redact", "model")),
)
"""Rooms that belong together, from the top; `pyproject.toml` has the exact order."""


class Step(NamedTuple):
    """One arrow between two lanes, or a note in one."""

    start: int
    end: int
    says: str
    place: str = ""


_LANES = ("host", "event loop", "supervision thread", "checkpoint lane", "log writer")
_LIFE = (
    Step(0, 1, "before the tool call", "hosts/"),
    Step(1, 2, "body", "server/http"),
    Step(2, 2, "1  paused? hold · stopped? over a limit? deny", "supervise/"),
    Step(2, 2, "2  review: effects → rules → risk × rationality", "review/"),
    Step(2, 3, "3  destructive? save the files first", "checkpoint/"),
    Step(3, 2, "coverage of the checkpoint"),
    Step(2, 4, "4  ActionReviewed, without secrets", "store/"),
    Step(4, 1, "fsync: the verdict is on the disk"),
    Step(1, 0, "verdict: allow · warn · modify · block"),
    Step(0, 0, "the host runs it"),
    Step(0, 1, "after the tool call"),
    Step(1, 2, "outcome"),
    Step(2, 2, "5  did the permitted action run?", "supervise/"),
    Step(2, 2, "6  detectors → findings → intervention", "detect/, intervene/"),
    Step(2, 4, "ActionEnded, FindingMade, Intervened"),
    Step(4, 1, "fsync"),
    Step(1, 0, "guidance for the agent"),
)


def rooms() -> str:
    """The rooms, each below the ones that may import it."""
    width, left, high, gap = 940, 20, 30, 8
    parts: list[str] = []
    top = 16
    for says, color, names in _GROUPS:
        here = [name for name in _order() if name in names]
        tall = len(here) * high + 34
        parts.append(
            f'<rect x="{left}" y="{top}" width="{width - 2 * left}" height="{tall}" rx="8" '
            f'fill="{color}" stroke="#d0d7de"/>\n'
            f'<text class="b p" x="{left + 14}" y="{top + 21}">{escape(says)}</text>\n'
        )
        for at, name in enumerate(here):
            y = top + 34 + at * high + 14
            parts.append(
                f'<text class="m b p" x="{left + 28}" y="{y}">{name}/</text>'
                f'<text class="d p" x="{left + 160}" y="{y}">{escape(_about(name))}</text>\n'
            )
        top += tall + gap
    head = _HEAD.format(width=width, height=top + 8, title="The rooms of Handrail")
    return head + "".join(parts) + "</svg>\n"


def life() -> str:
    """The life of an action, from the host and back."""
    pitch, left, first, high = 218, 96, 74, 34
    width = left * 2 + pitch * (len(_LANES) - 1)
    height = first + len(_LIFE) * high + 10
    parts = [_HEAD.format(width=width, height=height, title="The life of an action")]
    for at, name in enumerate(_LANES):
        x = left + at * pitch
        parts.append(
            f'<rect x="{x - 78}" y="14" width="156" height="30" rx="6" fill="#24292f"/>'
            f'<text class="b w" x="{x}" y="34" text-anchor="middle">{name}</text>'
            f'<line x1="{x}" y1="44" x2="{x}" y2="{height - 10}" '
            f'style="stroke:#d0d7de" stroke-dasharray="4 4"/>\n'
        )
    for at, step in enumerate(_LIFE):
        parts += _arrow(step, left, pitch, first + at * high)
    return "".join(parts) + "</svg>\n"


def _arrow(step: Step, left: int, pitch: int, y: int) -> Iterator[str]:
    start, end = left + step.start * pitch, left + step.end * pitch
    place = f'  <tspan class="d m">{escape(step.place)}</tspan>' if step.place else ""
    text = f"{escape(step.says)}{place}"
    if step.start == step.end:
        yield f'<circle cx="{start}" cy="{y}" r="3.5" fill="#57606a"/>'
        yield f'<text x="{start + 12}" y="{y + 5}">{text}</text>\n'
        return
    yield f'<line x1="{start}" y1="{y + 6}" x2="{end}" y2="{y + 6}" marker-end="url(#tip)"/>'
    yield f'<text x="{min(start, end) + 12}" y="{y}">{text}</text>\n'


def _order() -> list[str]:
    """All rooms, the topmost first."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["type"] == "layers")
    return [str(layer) for layer in layers]


def _about(room: str) -> str:
    """The first line of a room's docstring, without its colon."""
    tree = ast.parse((ROOT / "src" / "handrail" / room / "__init__.py").read_text())
    return (ast.get_docstring(tree) or "").splitlines()[0].rstrip(".").replace("`", "")
