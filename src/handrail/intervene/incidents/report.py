"""Write the report of an emergency stop for people: Markdown, from its record."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import msgspec

from handrail.detect.registry import description_of
from handrail.intervene.incidents.record import Incident, IncidentAction
from handrail.intervene.incidents.recovery import (
    NO_SAFE_CHECKPOINT,
    RecoveryOption,
    offered_options,
    resume_command,
)
from handrail.model.ordinal import Decision

_MAX_LINES = 40
_MAX_FILES = 20
_MAX_CODE = 120
_OFTEN = 0.4
_MARKS = {
    Decision.ALLOW: "ran",
    Decision.WARN: "ran, with a warning",
    Decision.MODIFY: "ran in a safer form",
    Decision.BLOCK: "refused",
}


def incident_report(record: Incident) -> str:
    """Return the whole report."""
    return "\n".join(
        [
            f"# Incident {record.id}",
            "",
            *_summary(record),
            *_section("Timeline", _timeline(record)),
            *_section("Impact", _impact(record)),
            *_section("Context", _context(record)),
            *_section("Root cause", _cause(record)),
            *_section("Contributing factors", _factors(record)),
            *_section("Recommendations", _recommendations(record)),
            *_section("How it can go on", _recovery(record)),
        ]
    )


def incident_timeline(record: Incident) -> tuple[str, ...]:
    """Return what happened, one line of Markdown each."""
    return tuple(line.removeprefix("- ") for line in _timeline(record))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    yield from lines
    yield ""


def _summary(record: Incident) -> Iterator[str]:
    finding = record.finding
    yield f"The run was stopped after step {record.step}: {_line(finding.says or finding.kind)}"
    yield ""
    yield f"- finding: {finding.kind}, {finding.severity}, confidence {finding.confidence:.0%}"
    yield f"- when: {_clock(record.at, '%Y-%m-%d %H:%M:%S')} UTC"
    yield f"- run: {_code(record.run)} in {_code(record.cwd or '?')}"
    about = [record.host, record.model, "attended" if record.attended else "unattended"]
    yield f"- host: {', '.join(_line(each) for each in about if each)}"
    if record.prompts:
        yield f"- task: {_line(record.prompts[0])}"
    yield f"- processes: {_processes(record)}"
    yield ""


def _processes(record: Incident) -> str:
    stop = record.stop
    if stop is None:
        return "not known whether any is left"
    if stop.left:
        return f"{len(stop.left)} could not be ended: {', '.join(map(_code, stop.left))}"
    said = f"{len(stop.ended)} ended, checked afterwards"
    return f"{said}; {_line(stop.says)}" if stop.says else said


def _timeline(record: Incident) -> Iterator[str]:
    shown = frozenset(record.finding.evidence)
    entries = [
        (each.at, f"{_acted(each)}{' ←' if each.step in shown else ''}") for each in record.actions
    ]
    found = ((each.at, each.finding) for each in record.findings)
    entries += [(at, f"**found** {each.kind}: {_line(each.says)}") for at, each in found]
    made = ((each.at, each.intervention.means, each.worked) for each in record.interventions)
    entries += [(at, f"**{means}**{_effect(worked)}") for at, means, worked in made]
    for back in record.rollbacks:
        text = f"**rolled back** {_files(back.files)} {_line(back.problem)}"
        entries.append((back.at, text.strip()))
    entries.sort(key=lambda entry: entry[0])
    if record.started:
        yield f"- {_clock(record.started)} the run began"
    if len(entries) > _MAX_LINES:
        yield f"- … {len(entries) - _MAX_LINES} entries are left out; see incident.json"
    for at, text in entries[-_MAX_LINES:]:
        yield f"- {_clock(at)} {text}"


def _acted(each: IncidentAction) -> str:
    marks = [_MARKS[each.decision]]
    if each.dropped:
        marks = ["not run"]
    elif each.ok is False:
        code = f" with {each.exit_code}" if each.exit_code is not None else ""
        marks.append(f"failed{code}: {_line(each.error)}" if each.error else f"failed{code}")
    elif each.decision is Decision.BLOCK:
        marks.append(_line(each.reason))
    shown = "" if each.tool == each.text else f" {_code(each.text)}"
    return f"step {each.step} {_line(each.tool)}{shown}: {'; '.join(filter(None, marks))}"


def _effect(worked: bool | None) -> str:
    if worked is None:
        return ""
    return ", it helped" if worked else ", it did not help"


def _impact(record: Incident) -> Iterator[str]:
    used = record.usage
    count = len(record.files) + record.more_files
    yield f"- files affected: {count}"
    for path in record.files[:_MAX_FILES]:
        yield f"  - {_code(path)}"
    if count > _MAX_FILES:
        yield f"  - … and {count - _MAX_FILES} more"
    yield (
        f"- actions: {used.steps}, of which {used.ran} ran, {used.failed} failed, "
        f"{used.refused} were refused, {used.changed} ran in a safer form"
    )
    money = f"${used.cost_usd:.2f}" if used.cost_usd else "cost unknown"
    tokens = f"{used.tokens:,} tokens" if used.tokens else "tokens unknown"
    memory = f"{used.memory_mb:,.0f} MB at most" if used.memory_mb else "memory unknown"
    yield f"- resources: {used.tool_seconds:.0f} s in tools, {tokens}, {money}, {memory}"
    yield f"- duration: {_span(record.at - record.started)}"


def _context(record: Incident) -> Iterator[str]:
    context = record.context
    if context.goal:
        yield f"- goal: {_line(context.goal)}"
    yield f"- scope: {', '.join(map(_code, context.scope)) or 'the project'}"
    for constraint in context.constraints:
        yield f"- constraint: {_line(constraint)}"
    if context.allowance is not None:
        given = msgspec.structs.asdict(context.allowance)
        limits = (f"{name} {value}" for name, value in given.items() if value)
        yield f"- limits: {_line(', '.join(limits))}"
    yield f"- settings: {_code(context.settings or 'not known')}"


def _cause(record: Incident) -> Iterator[str]:
    finding = record.finding
    yield description_of(finding.kind).advice.cause
    yield ""
    by_step = {each.step: each for each in record.actions}
    known = [by_step[step] for step in finding.evidence if step in by_step]
    if finding.evidence:
        yield f"It shows in steps {', '.join(map(str, finding.evidence))}."
    if known:
        yield f"The first of them that is on record: {_acted(known[0])}."
    for name, value in finding.facts.items():
        yield f"- {_line(name)}: {_code(value)}"


def _factors(record: Incident) -> Iterator[str]:
    used = record.usage
    milder = [each for each in record.interventions if each.intervention.incident != record.id]
    failed = sum(each.worked is False for each in milder)
    others = {each.finding.kind for each in record.findings} - {record.finding.kind}
    table = (
        (failed, f"{failed} of {len(milder)} milder interventions did not help."),
        (others, f"Other trouble was seen as well: {', '.join(sorted(others))}."),
        (
            used.ran and used.failed / used.ran >= _OFTEN,
            f"{used.failed} of {used.ran} actions failed.",
        ),
        (used.refused, f"{used.refused} actions were refused before."),
        (used.overruled, f"A person let {used.overruled} refused actions run."),
        (used.breaches, f"{used.breaches} actions ran that had not been let through."),
        (used.compactions, f"The conversation was shortened {used.compactions} times."),
        (used.settings_changed, "Settings were changed while the run was under way."),
        (used.faults, f"Handrail itself had {used.faults} faults."),
        (not record.attended, "Nobody was at the keyboard."),
        (not record.checkpoints, "There was no checkpoint to go back to."),
    )
    lines = [f"- {text}" for holds, text in table if holds]
    yield from lines or ["None is known."]


def _recommendations(record: Incident) -> Iterator[str]:
    advice = description_of(record.finding.kind).advice
    left = record.stop.left if record.stop else ()
    now = [f"End {_code(each)} yourself." for each in left] + list(advice.now)
    for title, lines in (
        ("Now", now),
        ("To prevent it", advice.later),
        ("In `handrail.yaml`", advice.settings),
    ):
        yield f"{title}:"
        yield ""
        yield from (f"- {line}" for line in lines)
        yield ""


def _recovery(record: Incident) -> Iterator[str]:
    checkpoint = record.checkpoint
    for each in offered_options(checkpoint):
        yield f"- **{each.option}**: {each.says}"
        if each.rolls_back and checkpoint is not None:
            yield f"  The checkpoint is {_code(checkpoint.id)}, after step {checkpoint.step}."
        if not each.resumes:
            yield from _leftovers(record)
        yield ""
        yield f"      {resume_command(record.id, each.option)}"
        yield ""
    if checkpoint is None:
        option = RecoveryOption.ROLLBACK_AND_RETRY
        yield f"- **{option}** is not possible: {NO_SAFE_CHECKPOINT}."
        yield "  You can still go back yourself: `handrail checkpoints`, `handrail rollback ID`."


def _leftovers(record: Incident) -> Iterator[str]:
    """List what an abort cleans up; it is told here, and nothing else is touched."""
    if record.cleaned is not None:
        yield f"  Cleaned up already: {len(record.cleaned.removed)}."
        return
    if not record.leftovers:
        yield "  There is nothing to clean up."
        return
    yield "  It cleans up:"
    for each in record.leftovers:
        yield f"  - {each.kind} {_code(each.path)}"


def _files(paths: tuple[str, ...]) -> str:
    return "1 file" if len(paths) == 1 else f"{len(paths)} files"


def _line(text: str) -> str:
    """Return untrusted text in one line, with Markdown escaped."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", _one_line(text, _MAX_CODE * 2))


def _code(text: str) -> str:
    """Return untrusted text as code."""
    line = _one_line(text, _MAX_CODE)
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    gap = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{gap}{line}{gap}{fence}"


def _one_line(text: str, most: int) -> str:
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= most else f"{line[: most - 2]} …"


def _clock(at: float, shape: str = "%H:%M:%S") -> str:
    return datetime.fromtimestamp(max(at, 0.0), UTC).strftime(shape)


def _span(seconds: float) -> str:
    minutes, rest = divmod(int(max(seconds, 0.0)), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "min"), (rest, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 s"
