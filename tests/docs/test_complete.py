"""Everything a user can meet stands in the docs."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import get_args

import click
import pytest
from msgspec import Struct

from handrail.config.json_schema import json_schema
from handrail.hosts.claude.host import HOST
from handrail.hosts.claude.settings import HookOptions, hooks_for
from handrail.intervene import Capability
from handrail.model import Kind
from handrail.model.event import Event
from handrail.model.host import known_hosts
from handrail.model.ordinal import Decision, Undo
from handrail.review.judgment.rules import GOVERNING, OTHERS
from handrail.review.judgment.weights import DELETES, WRITES
from handrail.shell.tables import FAMILIES
from handrail.store.schema import STEPS

Page = Callable[[str], str]
ROOT = Path(__file__).parents[2]
ROOMS = ROOT / "src" / "handrail"


@pytest.mark.parametrize("rule", [rule.name for rule in (*GOVERNING, *OTHERS)])
def test_every_rule_is_explained(rule: str, page: Page) -> None:
    assert f"| `{rule}` |" in page("docs/concepts.md")


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_of_effect_is_explained(kind: Kind, page: Page) -> None:
    assert f"| `{kind}` |" in page("docs/concepts.md")


@pytest.mark.parametrize("place", sorted({*WRITES, *DELETES}))
def test_every_place_is_explained(place: str, page: Page) -> None:
    row = re.search(rf"(?m)^\| `{place}` \| (.+?) \|", page("docs/concepts.md"))
    assert row is not None
    assert row[1].strip()


@pytest.mark.parametrize("value", [*Decision, *Undo], ids=str)
def test_every_decision_and_undo_is_explained(value: object, page: Page) -> None:
    assert f"\n| {value} |" in page("docs/concepts.md")


def test_every_command_and_option_is_documented(maker: ModuleType, page: Page) -> None:
    text = page("docs/cli.md")
    missing = [
        f"{context.command_path} {name}"
        for context in maker.contexts()
        for name in ("", *_options(context.command))
        if f"## `{context.command_path}`" not in text or name not in text
    ]
    assert missing == []


def _options(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from parameter.opts


def test_the_command_line_reference_is_up_to_date(page: Page) -> None:
    """If not: make docs"""
    # Click remembers the help option of a command from its first use, which may be another test's.
    render = "from scripts.docs import render_cli; print(render_cli(), end='')"
    done = subprocess.run(
        [sys.executable, "-c", render], cwd=ROOMS.parents[1], capture_output=True, check=True
    )
    assert page("docs/cli.md") == done.stdout.decode()


def test_every_setting_is_documented(page: Page) -> None:
    text = page("docs/configuration.md")
    assert [
        key for key in sorted(_keys(json_schema())) if not re.search(rf"[`.]{key}`", text)
    ] == []


def _keys(schema: object) -> set[str]:
    if isinstance(schema, dict):
        own = set(schema.get("properties", {}))
        return own.union(*map(_keys, schema.values()))
    return set().union(*map(_keys, schema)) if isinstance(schema, list) else set()


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
def test_every_event_and_its_fields_are_explained(kind: type[Struct], page: Page) -> None:
    row = re.search(rf"(?m)^\| `{kind.__struct_config__.tag}` \| .+", page("docs/protocol.md"))
    assert row is not None
    assert [name for name in kind.__struct_fields__ if f"`{name}`" not in row[0]] == ["at"]


def test_every_endpoint_is_explained(maker: ModuleType, page: Page) -> None:
    endpoints = [f"| `{method} {path}` |" for method, path, *_ in maker.routes()]
    assert len(endpoints) > 3
    assert [row for row in endpoints if row not in page("docs/protocol.md")] == []


def test_every_metric_is_explained(maker: ModuleType, page: Page) -> None:
    metrics = [f"| `{name}` |" for name, *_ in maker.measured()]
    assert len(metrics) > 5
    assert [row for row in metrics if row not in page("docs/protocol.md")] == []


def test_every_table_of_the_log_is_explained(page: Page) -> None:
    made = re.findall(r"CREATE (?:TABLE|VIEW) (\w+)", str(STEPS))
    assert len(made) > 3
    assert [name for name in made if f"| `{name}` |" not in page("docs/protocol.md")] == []


@pytest.mark.parametrize("hook", hooks_for(HookOptions("http", "", "", "")))
def test_every_hook_is_explained(hook: str, page: Page) -> None:
    assert f"| `{hook}` |" in page("docs/hosts.md")


@pytest.mark.parametrize("room", sorted(path.parent.name for path in ROOMS.glob("*/__init__.py")))
def test_every_room_says_what_belongs_there(room: str) -> None:
    lines = (ROOMS / room / "README.md").read_text().splitlines()
    assert lines[0].startswith(f"# {room}")
    assert 5 <= len(lines) <= 20


@pytest.mark.parametrize("room", ["server", "supervise"])
def test_every_file_of_a_room_is_named_there(room: str) -> None:
    text = (ROOMS / room / "README.md").read_text()
    files = {path.stem for path in (ROOMS / room).glob("*.py")} - {"__init__"}
    assert [name for name in sorted(files) if f"`{name}`" not in text] == []


def test_what_a_host_can_do_is_explained(page: Page) -> None:
    section = page("docs/hosts.md").split("## What Handrail can do there")[1].split("\n## ")[0]
    rows = dict(re.findall(r"(?m)^\| (.+?) \| (yes|no) \|", section))
    can = HOST.capabilities | {Capability.FILES}
    assert rows == {str(each): "yes" if each in can else "no" for each in Capability}


def test_the_rooms_stand_in_the_order_of_their_imports(page: Page) -> None:
    project = tomllib.loads(page("pyproject.toml"))
    contract = project["tool"]["importlinter"]["contracts"][0]
    layers = [layer.strip("()") for layer in reversed(contract["layers"])]
    assert re.findall(r"(?m)^\| `(\w+)/` \|", page("docs/architecture.md")) == layers


@pytest.mark.parametrize("name", ["docs/architecture.md", "docs/hosts.md", "CONTRIBUTING.md"])
def test_every_file_named_for_contributors_exists(name: str, page: Page) -> None:
    named = set(re.findall(r"[\w/]+\.py\b", page(name)))
    assert len(named) > 3
    files = [f"/{file.relative_to(ROOT)}" for file in ROOT.glob("[bst]*/**/*.py")]
    gone = [each for each in named if not any(file.endswith(f"/{each}") for file in files)]
    assert [each for each in gone if not re.search(r"\b(?:NAME|KIND)\.py", each)] == []


def test_every_dependency_has_its_reason(page: Page) -> None:
    project = tomllib.loads(page("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    section = page("docs/architecture.md").split("## Dependencies")[1].split("Deliberately")[0]
    section, _, of_panel = section.partition("For the panel")
    needed, _, for_development = section.partition("Only for development")
    needed, _, of_desktop = needed.partition("Only with the extra `desktop`")
    assert _reasons(needed) == _packages(project["dependencies"])
    assert _reasons(of_desktop) == _packages(extras["desktop"])
    tools = _packages([*extras["dev"], *extras["site"]]) - {"handrail[desktop,site]"}
    assert _reasons(for_development) == tools
    panel = json.loads(page("panel/package.json"))
    assert _reasons(of_panel) == {*panel["dependencies"], *panel["devDependencies"]}


def _packages(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=~!]", requirement)[0] for requirement in requirements}


def _reasons(section: str) -> set[str]:
    return set(re.findall(r"(?m)^\| `([\w@/-]+)` \|", section))


def test_the_readme_does_not_boast(page: Page) -> None:
    """The number of programs is rounded down."""
    from handrail.shell.tables import all_programs

    said = re.search(r"of ([\d,]+) programs", page("README.md"))
    assert said is not None
    assert int(said[1].replace(",", "")) <= len(all_programs())


def test_families_with_serious_facts_are_listed(verdicts: ModuleType) -> None:
    titles = re.findall(r"(?m)^## (.+)$", verdicts.render_programs())
    families = {family.replace("_", " ").capitalize() for family in FAMILIES}
    assert set(titles) <= families | {host.title for host in known_hosts()}
    assert len(titles) > len(FAMILIES) / 2
