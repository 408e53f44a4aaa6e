"""The site is built from the pages as they stand, and loads nothing from elsewhere."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def _build(root: Path, into: Path) -> subprocess.CompletedProcess[str]:
    """Build as `make site` does. With --quiet mkdocs would not count its warnings."""
    pytest.importorskip("mkdocs")
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", into],
        cwd=root,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = _build(ROOT, folder)
    assert built.returncode == 0, built.stderr
    return folder


@pytest.mark.parametrize("link", ["nowhere.md", "control.md#nowhere"])
def test_a_link_that_leads_nowhere_breaks_the_build(link: str, tmp_path: Path) -> None:
    for folder in ("docs", "scripts"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for file in (ROOT / "mkdocs.yml", *ROOT.glob("*.md")):
        shutil.copy(file, tmp_path)
    page = tmp_path / "docs" / "hosts.md"
    page.write_text(f"{page.read_text()}\n[a]({link})\n")
    built = _build(tmp_path, tmp_path / "site")
    assert built.returncode == 1
    assert f"'{link}'" in built.stderr


def test_every_page_is_built_and_can_be_searched(site: Path) -> None:
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")}
    assert pages <= {page.stem for page in site.glob("*.html")}
    index = (site / "search" / "search_index.json").read_text()
    assert [page for page in pages if f'"{page}.html' not in index] == []


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    loads = re.compile(r"""<(?:script|img|link|iframe)\b[^>]*(?:src|href)=["']?(?:https?:)?//""")
    assert [page.name for page in site.rglob("*.html") if loads.search(page.read_text())] == []


@pytest.mark.parametrize(
    ("uri", "written", "shown"),
    [
        ("index.md", "[a](docs/cli.md#b)", "[a](cli.md#b)"),
        ("index.md", "[a](CONTRIBUTING.md)", "[a](contributing.md)"),
        ("index.md", '<img src="docs/pictures/a.svg">', '<img src="pictures/a.svg">'),
        ("index.md", "![a](docs/pictures/a.svg)", "![a](pictures/a.svg)"),
        ("index.md", "[the license](LICENSE)", "the license"),
        ("security.md", "[a](docs/threat-model.md)", "[a](threat-model.md)"),
        ("cli.md", "[a](control.md)", "[a](control.md)"),
        ("cli.md", "[a](../README.md#b)", "[a](index.md#b)"),
        ("cli.md", "[`a`](../src/handrail/cli)", "`a`"),
        ("cli.md", "[a](#b) [c](https://github.com)", "[a](#b) [c](https://github.com)"),
        ("cli.md", "`[a](../src)`", "`[a](../src)`"),
        ("cli.md", "```\n[a](../src)\n```", "```\n[a](../src)\n```"),
        ("cli.md", r"| `a\|b` | c \| d |", r"| `a|b` | c \| d |"),
    ],
)
def test_links_lead_to_the_same_page_as_on_github(
    uri: str, written: str, shown: str, site_hook: ModuleType
) -> None:
    assert site_hook.with_links_of_the_site(written, uri) == shown
