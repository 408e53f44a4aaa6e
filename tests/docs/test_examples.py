"""What the docs show is what happens."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType

import pytest

from handrail.config import Config, load_settings
from handrail.model import Action, Program
from handrail.review import Reviewer

pytestmark = pytest.mark.slow

Page = Callable[[str], str]
PAGES = (
    "README.md",
    "docs/tour.md",
    "docs/concepts.md",
    "docs/architecture.md",
    "docs/threat-model.md",
    "docs/hosts.md",
    "docs/protocol.md",
    "docs/control.md",
    "docs/detectors.md",
    "docs/interventions.md",
)
DECISION = re.compile(r"(?m)^ (?:ALLOW|WARN|MODIFY|BLOCK) .*$")


@pytest.fixture(scope="session")
def home(maker: ModuleType) -> Iterator[Path]:
    with maker.scratch_home() as folder:
        yield folder


@pytest.mark.parametrize("name", PAGES)
def test_tables_and_console_output_are_up_to_date(
    name: str, maker: ModuleType, page: Page, home: Path
) -> None:
    """If not: make docs"""
    old, new = maker.comparable(page(name)), maker.comparable(maker.fill(page(name), home))
    assert DECISION.findall(old) == DECISION.findall(new)
    if os.path.realpath("/tmp") == "/tmp":  # else paths are longer, and lines break elsewhere
        assert old == new


def test_console_output_fits_a_terminal(page: Page) -> None:
    for name in PAGES:
        for block in _blocks("console", page(name)):
            assert [line for line in block.splitlines() if len(line) > 80] == []


def test_the_tour_shows_the_command_line(page: Page) -> None:
    assert len(_blocks("console", page("docs/tour.md"))) >= 5
    assert DECISION.search(page("docs/tour.md"))


def test_the_readme_is_read_in_three_minutes(page: Page) -> None:
    assert len(page("README.md").splitlines()) <= 150


@pytest.mark.parametrize("name", PAGES)
def test_settings_in_the_docs_are_right(name: str, page: Page, tmp_path: Path) -> None:
    for block in _blocks("yaml", page(name)):
        (tmp_path / "handrail.yaml").write_text(block)
        load_settings(tmp_path)


def test_the_settings_of_the_readme_do_what_they_say(page: Page, tmp_path: Path) -> None:
    (block,) = _blocks("yaml", page("README.md"))
    (tmp_path / "handrail.yaml").write_text(block)
    reviewer = Reviewer(
        load_settings(tmp_path).config, environ={"HOME": "/home/you"}, see_disk=False
    )
    verdicts = {
        "shopctl orders purge": "block",
        "shopctl orders purge --dry-run": "allow",
        "./deploy.sh production": "block",
        "./deploy.sh staging": "allow",
        "cat config/prod.yaml": "block",
        "touch migrations/0001.sql": "block",
        "touch src/cart.py": "allow",
        "npm publish": "allow",
        "curl -d @src/a.json https://api.example.com": "allow",
    }
    found = {
        command: str(reviewer.review(Action("Bash", {"command": command}, str(tmp_path))).decision)
        for command in verdicts
    }
    assert found == verdicts


def test_the_python_of_the_readme_runs(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = _blocks("python", page("README.md"))
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HANDRAIL_HOME", str(tmp_path / "state"))
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(block, "README.md", "exec"), {})  # noqa: S102 - our own example
    assert printed.getvalue().strip() == block.splitlines()[-1].removeprefix("# ")


def test_both_ways_to_add_a_program_give_the_verdicts_shown(page: Page, tmp_path: Path) -> None:
    text = page("docs/architecture.md")
    (settings,) = _blocks("yaml", text)
    (table,) = (block for block in _blocks("python", text) if "PROGRAMS" in block)
    names: dict[str, dict[str, Program]] = {}
    exec(compile(table, "architecture.md", "exec"), names)  # noqa: S102 - our own example
    section = text.split("Both give:")[1].split("Then add")[0]
    shown = dict(re.findall(r"(?m)^\| `(.+)` \| (\w+) \|$", section))
    assert len(shown) >= 5
    (tmp_path / "handrail.yaml").write_text(settings)
    written = load_settings(tmp_path).config.programs
    for programs in (written, names["PROGRAMS"]):
        reviewer = Reviewer(
            Config(programs=programs), environ={"HOME": "/home/you"}, see_disk=False
        )
        found = {
            command: str(
                reviewer.review(Action("Bash", {"command": command}, "/home/you/shop")).decision
            )
            for command in shown
        }
        assert found == shown


def _blocks(language: str, text: str) -> list[str]:
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", text)
