"""Writes docs/verdicts.md (what Handrail says to telling examples) and docs/programs.md (what
the tables know): `python scripts/verdicts.py`. `make docs` does that and more.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import zip_longest
from pathlib import Path

import msgspec
import yaml

from handrail.hosts import HOSTS
from handrail.model import KINDS, Action, Decision, Fact, Program, Review, Severity
from handrail.model.host import known_hosts
from handrail.review import Reviewer
from handrail.shell import OPAQUE
from handrail.shell.tables import FAMILIES

DOCS = Path(__file__).parents[1] / "docs"
HOME = "/home/you"
CWD = f"{HOME}/shop"
_MAX_CODE = 70
_MAX_WHEN = 80

_VERDICTS = """\
# Verdicts

<!-- Do not edit: `make docs`. The examples stand in verdicts.yaml. -->

Handrail's verdicts on {commands} telling actions in {families} families. The reviewer itself gave
every answer, with the default settings, as user `you`, in the project `/home/you/shop`, for the
first action of a run, and without a look at the disk.

| verdict | meaning |
|---|---|
| allow | runs |
| warn | runs, and Handrail records the warning |
| warn, checkpoint first | may run once a checkpoint covers it |
| **rewritten** | the safer command in the last column runs |
| **block** | does not run; the agent reads the reason and an alternative |

A live review also looks at the disk. Then Handrail rewrites a deletion in the project shown here as
*warn, checkpoint first*: it moves existing files to the trash, and `handrail restore` brings them
back. Files that do not exist may be deleted.

[Concepts](concepts.md) explains how a verdict comes about. [Programs](programs.md) lists the facts
in the tables, and the [threat model](threat-model.md) the limits of a review.

## Families

"""

_PROGRAMS = """\
# Programs

<!-- Do not edit: `make docs`. -->

The serious facts in the tables (severity high or critical), for {programs} of the {known} programs
they hold. The others only read, write or run things, and Handrail judges them by their paths.

*When* is the condition of the fact. Bare words are the subcommand (`!list|show`: any but these).
The call must have an option such as `--force|-f`, and must not have one such as `!--dry-run`.
`@glob` is an operand. An empty condition always holds. The place of a path decides the weight of
a deletion or a write in the end, so `rm` is not listed here for each folder; see
[concepts](concepts.md#places). Functions on top of these facts read programs with a language of
their own (`find`, `dd`, `curl`, `psql` and others). To add a program, see
[architecture](architecture.md#how-to-add-a-program).
"""


class Family(msgspec.Struct, forbid_unknown_fields=True):
    """One section: its title, what holds for it, and examples."""

    family: str
    about: str
    examples: list[str | dict[str, dict[str, object]]]


def families() -> list[Family]:
    """The examples of docs/verdicts.yaml."""
    return msgspec.convert(yaml.safe_load((DOCS / "verdicts.yaml").read_text()), list[Family])


def reviewer() -> Reviewer:
    """A reviewer whose answers are the same on every machine."""
    return Reviewer(environ={"HOME": HOME}, see_disk=False, now=lambda: 0.0)


def action_of(example: str | dict[str, dict[str, object]]) -> Action:
    """A line is a shell command; a mapping is a call of another tool."""
    if isinstance(example, str):
        return Action("Bash", {"command": example}, CWD)
    ((tool, given),) = example.items()
    return Action(tool, given, CWD, {"HOME": HOME})


def render_verdicts() -> str:
    """docs/verdicts.md."""
    judge = reviewer()
    sections: list[str] = []
    titles: list[str] = []
    total = 0
    for family in families():
        rows = [_row(example, judge) for example in family.examples]
        total += len(rows)
        titles.append(f"- [{family.family}](#{anchor(family.family)})")
        about = textwrap.fill(family.about.strip(), 95, break_long_words=False)
        header = "| action | verdict | why | instead |\n|---|---|---|---|"
        sections.append("\n".join([f"\n## {family.family}\n", about, "", header, *rows]))
    head = _VERDICTS.format(commands=total, families=len(titles))
    return head + "\n".join([*titles, *sections]) + "\n"


def _row(example: str | dict[str, dict[str, object]], judge: Reviewer) -> str:
    review = judge.review(action_of(example))
    shown = example if isinstance(example, str) else _call(example)
    return table_row(code(shown), _verdict(review), prose(_why(review)), _instead(review))


def _call(example: dict[str, dict[str, object]]) -> str:
    ((tool, given),) = example.items()
    return f"{tool} {msgspec.json.encode(given).decode()}"


def _verdict(review: Review) -> str:
    if review.decision is Decision.MODIFY:
        return "**rewritten**"
    if review.decision is Decision.BLOCK:
        return "**block**"
    return "warn, checkpoint first" if review.checkpoint_first else str(review.decision)


def _why(review: Review) -> str:
    if review.reasons:
        return review.reasons[0]
    effects = dict.fromkeys(effect.text for effect in review.effects)
    says = "; ".join(list(effects)[:2])
    return f"It {says}." if says else "It changes nothing important."


def _instead(review: Review) -> str:
    if review.rewrite is None:
        return prose(review.alternative)
    says = "; ".join(review.rewrite.changes)
    command = str(review.rewrite.input.get("command", ""))
    says = prose(says[:1].upper() + says[1:] + ".")
    return f"{code(command)}. {says}" if len(command) <= _MAX_CODE else says


# Programs


def render_programs() -> str:
    """docs/programs.md."""
    sections: list[str] = []
    serious: set[str] = set()
    known: set[str] = set()
    tables = {
        name.replace("_", " ").capitalize(): f"handrail.shell.tables.{name}" for name in FAMILIES
    }
    tables |= {host.title: f"{HOSTS[host.name]}.programs" for host in known_hosts()}
    for title, path in tables.items():
        module = import_module(path)
        known.update(module.PROGRAMS)
        rows: list[str] = []
        for names, program in _same(module.PROGRAMS):
            facts = list(_serious_facts(program, ""))
            if not facts:
                continue
            serious.update(names)
            rows += [table_row(_names(names), *cells) for cells in _merged(facts)]
        if rows:
            about = (module.__doc__ or "").strip().splitlines()[0]
            header = "| program | when | effect | instead |\n|---|---|---|---|"
            sections.append("\n".join([f"\n## {title}\n", about, "", header, *rows]))
    head = _PROGRAMS.format(programs=f"{len(serious):,}", known=f"{len(known):,}")
    return head + "\n".join(sections) + "\n"


def _same(programs: dict[str, Program]) -> Iterator[tuple[list[str], Program]]:
    """Programs under all the names that one entry has."""
    groups: dict[int, tuple[list[str], Program]] = {}
    for name, program in programs.items():
        if not program.same_as:
            groups.setdefault(id(program), ([], program))[0].append(name)
    for name, program in programs.items():
        for names, _ in groups.values():
            if program.same_as in names:
                names.append(name)
    return iter(groups.values())


def _names(names: list[str], limit: int = 6) -> str:
    shown = ", ".join(map(code, names[:limit]))
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def _serious_facts(program: Program, path: str) -> Iterator[tuple[str, Fact]]:
    for fact in program.facts:
        if (fact.severity or KINDS[fact.does].severity) >= Severity.HIGH:
            yield f"{path} {fact.when}".strip(), fact
    for names, subcommand in program.subcommands.items():
        yield from _serious_facts(subcommand, f"{path} {names}".strip())


def _merged(facts: Iterable[tuple[str, Fact]]) -> Iterator[tuple[str, str, str]]:
    """When, what, instead: facts that say the same stand in one line."""
    merged: dict[tuple[str, str], list[str]] = {}
    for when, fact in facts:
        named = not re.fullmatch(r"each|last|cwd|-.*|\d+\+?|.*=|", fact.on)
        target = fact.on if named else "its target"
        says = fact.says or f"{KINDS[fact.does].verb} {{target}}"
        critical = " (critical)" if fact.severity is Severity.CRITICAL else ""
        does = says.replace("{target}", target).strip() + critical
        merged.setdefault((does, fact.instead.replace("{target}", "TARGET")), []).append(when)
    for (does, instead), whens in merged.items():
        yield ", ".join(map(code, _clipped(dict.fromkeys(whens)))), prose(does), prose(instead)


def _clipped(whens: Iterable[str]) -> Iterator[str]:
    """Conditions for a person: the first words of long ones, and not twice the same."""
    shown = (when.replace(OPAQUE, "…") for when in whens if when)
    short = (
        when if len(when) <= _MAX_WHEN else f"{when[:_MAX_WHEN].rstrip('|')}…" for when in shown
    )
    return iter(dict.fromkeys(short))


# Markdown


def prose(text: str) -> str:
    """Text whose stars, tildes and brackets mean themselves, outside of code spans."""
    parts = re.split(r"(`[^`]*`)", text)
    escaped = [re.sub(r"([*~<>$\[\]_])", r"\\\1", part) for part in parts[::2]]
    return "".join(
        part for pair in zip_longest(escaped, parts[1::2], fillvalue="") for part in pair
    )


def table_row(*cells: str) -> str:
    """A line of a table."""
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def code(text: str) -> str:
    """A code span that holds any text, backticks too."""
    flat = text.replace("\n", " ")
    fence = "`" * (max((len(run) for run in re.findall("`+", flat)), default=0) + 1)
    pad = " " if "`" in flat else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def anchor(title: str) -> str:
    """The name that a heading has in links."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def main() -> None:
    """Write both files."""
    (DOCS / "verdicts.md").write_text(render_verdicts())
    (DOCS / "programs.md").write_text(render_programs())


if __name__ == "__main__":
    main()
