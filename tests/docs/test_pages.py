"""Links, tables and words of the pages, and what must not stand in any file."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
HAND_WRITTEN = frozenset(
    (
        "README CHANGELOG CONTRIBUTING SECURITY"
        " concepts architecture threat-model hosts protocol tour"
    ).split()
)
EXAMPLE_HOST = re.compile(r"(?:[\w*-]+\.)*example(?:\.(?:com|org|net))?|localhost|127\.[\d.]+")


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", _prose(page.read_text())):
        if re.match(r"https?://", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or (anchor and anchor not in _anchors(file)):
            broken.append(target)
    assert broken == []


def _anchors(page: Path) -> set[str]:
    titles = re.findall(r"(?m)^#+ (.+)$", _without_blocks(page.read_text()))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_row_of_a_table_has_as_many_cells_as_its_head(page: Path) -> None:
    wrong = []
    for table in re.findall(r"(?m)(?:^\|.*\|$\n?)+", _without_blocks(page.read_text())):
        counts = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
        if len(counts) > 1:
            wrong.append(table.splitlines()[0])
    assert wrong == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem in HAND_WRITTEN], ids=_name)
def test_spelling_is_american(page: Path) -> None:
    british = r"\b\w*(?:olour|aviour|ognis|alis(?:e|ed|ing)\b|entre\b|licence|judgement)\w*"
    assert re.findall(british, _prose(page.read_text())) == []


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_there_are_no_emojis(page: Path) -> None:
    assert re.findall("[\U0001f300-\U0001faff\u2600-\u26ff]", page.read_text()) == []


def test_what_installs_names_no_address() -> None:
    """Packages come from wherever the machine gets its packages."""
    names = ("Makefile", "pyproject.toml", "constraints.txt", "scripts/setup", ".ci/run")
    workflows = (ROOT / ".github" / "workflows").glob("*.yml")
    files = [*(ROOT / name for name in names), ROOT / ".pre-commit-config.yaml", *workflows]
    assert [_name(file) for file in files if "://" in file.read_text()] == []


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_pages_name_only_example_hosts(page: Path) -> None:
    known = {"keepachangelog.com", "github.com"}
    hosts = re.findall(r"https?://(?:[^@/\s`]*@)?([\w.*-]+\w)", page.read_text())
    foreign = {host for host in hosts if "." in host and not EXAMPLE_HOST.fullmatch(host)} - known
    if page.stem in HAND_WRITTEN:
        assert foreign == set()
    assert [
        host for host in foreign if host.endswith((".local", ".internal", ".corp", ".lan"))
    ] == []


def test_no_file_knows_where_it_lies() -> None:
    """The path of this checkout stands in no file of it."""
    telling = [f"{ROOT}/{inside}" for inside in ("src/handrail", "tests/", "docs/", ".venv")]
    found = [
        name for name, text in _tracked() for path in telling if path.encode() in text
    ]  # fmt: skip
    assert found == []


def _tracked() -> Iterator[tuple[str, bytes]]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False, timeout=30
    )
    names = listed.stdout.decode().split("\0") if listed.returncode == 0 else []
    for name in names or [str(file.relative_to(ROOT)) for file in ROOT.glob("src/**/*.py")]:
        if name and (ROOT / name).is_file():
            yield name, (ROOT / name).read_bytes()


def _without_blocks(text: str) -> str:
    return re.sub(r"(?ms)^```.*?^```$", "", text)


def _prose(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", _without_blocks(text))
