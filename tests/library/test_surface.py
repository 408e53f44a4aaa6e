"""What `import handrail` offers is what docs/library.md explains, and costs nothing until used."""

import re
import subprocess
import sys
from pathlib import Path

import handrail

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "library.md"


def test_every_public_name_is_documented() -> None:
    table = PAGE.read_text().split("## Names")[1]
    assert sorted(re.findall(r"(?m)^\| `(\w+)` \|", table)) == sorted(handrail.__all__)


def test_every_public_name_is_there() -> None:
    assert dir(handrail) == sorted(handrail.__all__)
    for name in handrail.__all__:
        assert getattr(handrail, name) is not None


def test_every_public_method_is_documented() -> None:
    row = re.search(r"(?m)^\| `Supervisor` \|.*$", PAGE.read_text())
    assert row is not None
    named = set(re.findall(r"`(\w+)`", row[0])) - {"Supervisor", "run", "folder"}
    public = {name for name in vars(handrail.Supervisor) if not name.startswith("_")}
    assert public == named | {"before_async", "after_async"}


def test_every_name_has_a_docstring() -> None:
    missing = [
        name
        for name in handrail.__all__
        if name not in {"Event", "__version__"} and not getattr(handrail, name).__doc__
    ]
    assert missing == []


def test_another_name_is_an_attribute_error() -> None:
    assert not hasattr(handrail, "Supervisr")


def test_the_import_loads_nothing() -> None:
    code = "import sys, handrail; print([m for m in sys.modules if m.startswith('handrail.')])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
