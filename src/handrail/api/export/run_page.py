"""Make one page of a run, to be opened from the disk and replayed step by step.

It loads nothing. What an agent wrote is data in it: JSON without a `<`, which the script of the
page shows as text. Its policy lets no other script run.
"""

import base64
import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from string import Template

import msgspec

from handrail.api.messages.timeline import ActionDetail, TimelineRow
from handrail.api.rows.action_details import StepEvents, action_detail
from handrail.api.rows.timeline_rows import timeline_row
from handrail.model.event import ActionReviewed, CheckpointTaken, Event, RunEnded
from handrail.redact import Redactor
from handrail.store.decoding import decode_or_fault
from handrail.store.port import Store
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.log.topics import topic_of
from handrail.supervise.runs.project_secrets import project_secrets
from handrail.supervise.state.run_state import RunState
from handrail.views.timeline_reader import last_seq, read_part
from handrail.words.amounts import count, money

_MOST = 20_000
"""Events, the last ones of a run."""
_MAX_BYTES = 30_000_000
"""Of all details; the entries after that have none."""
_MAX_GOAL = 1_000
_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


class PageEntry(TimelineRow, frozen=True, kw_only=True):
    """An entry of the timeline, with everything about its action."""

    detail: ActionDetail | None = None


class RunPageData(msgspec.Struct, frozen=True):
    """The data of the page."""

    name: str
    about: tuple[str, ...]
    entries: tuple[PageEntry, ...]


def export_page(store: Store, run: str, name: str) -> bytes:
    """Return the page of a run; it takes a while for a long one."""
    state = read_state(store, run, [])
    last = last_seq(store, run)
    first = max(last - _MOST, 0)
    details = _details(store, run, first)
    entries: list[PageEntry] = []
    size = 0
    for entry in read_part(store, run, first, last + 1).entries:
        row = timeline_row(entry)
        detail = details.get(row.step) if isinstance(entry.event, ActionReviewed) else None
        found = PageEntry(**msgspec.structs.asdict(row), detail=None)
        if detail is not None and size < _MAX_BYTES:
            size += len(_json(detail))
            found = msgspec.structs.replace(found, detail=detail)
        entries.append(found)
    about = tuple(_about(state, cut=bool(first) or size >= _MAX_BYTES))
    data = RunPageData(name, about, tuple(entries))
    # The log has no secrets; this also finds those that became known later.
    redactor = Redactor(project_secrets(state.cwd) if state.cwd else ())
    return _page(name, json.dumps(redactor.value(msgspec.to_builtins(data))))


def _details(store: Store, run: str, after: int) -> dict[int, ActionDetail]:
    """Return all actions of a run after an event, by step."""
    found: dict[int, StepEvents] = {}
    saved: dict[int, tuple[str, ...]] = {}
    is_over = False
    for event in _events(store, run, after):
        if isinstance(event, ActionReviewed):
            found[event.step] = StepEvents(event, checkpoints=saved.get(event.step, ()))
        elif isinstance(event, CheckpointTaken):
            saved[event.checkpoint.step + 1] = (event.checkpoint.id,)
        elif (known := found.get(getattr(event, "step", 0))) is not None:
            known.add(event)
        is_over = is_over or isinstance(event, RunEnded)
    for each in found.values():
        each.is_over = is_over
    return {step: action_detail(run, each) for step, each in found.items()}


def _events(store: Store, run: str, after: int) -> Iterator[Event]:
    while page := store.read(topic_of(run), after):
        for stored in page:
            yield decode_or_fault(stored)
        after = page[-1].seq


def _about(state: RunState, *, cut: bool) -> Iterator[str]:
    """Yield what people want to know of the whole run."""
    goal = state.first_prompt if state.loop is None else state.loop.goal
    if goal:
        yield goal[:_MAX_GOAL]
    began = datetime.fromtimestamp(state.started, UTC).strftime("%Y-%m-%d %H:%M UTC")
    decided = state.usage.decided
    facts = (
        f"{state.host} {state.model}".strip(),
        began,
        count(state.step, "action"),
        f"{decided['modify']} changed" if decided.get("modify") else "",
        f"{decided['block']} stopped" if decided.get("block") else "",
        money(state.cost_usd) if state.cost_usd else "",
    )
    yield " · ".join(filter(None, facts))
    if cut:
        yield "The run is longer than this page: some of it is left out."


def _json(value: object) -> str:
    return json.dumps(msgspec.to_builtins(value))


def _page(name: str, data: str) -> bytes:
    style, script = _file("page.css"), _file("page.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    for sign, code in _UNSAFE.items():
        data = data.replace(sign, code)
    page = Template(_file("page.html")).substitute(
        title=escape(name), policy=policy, style=style, script=script, data=data
    )
    return page.encode("utf-8", "replace")


def _file(name: str) -> str:
    return (files("handrail.api.export") / name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
