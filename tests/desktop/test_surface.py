"""What `handrail.desktop` offers is what docs/desktop.md explains, and costs nothing until used."""

import re
import subprocess
import sys
from pathlib import Path

from handrail import desktop

PAGE = Path(__file__).parents[2] / "docs" / "desktop.md"


def test_every_public_name_is_documented() -> None:
    table = PAGE.read_text().split("## Names")[1]
    assert sorted(re.findall(r"(?m)^\| `(\w+)` \|", table)) == sorted(desktop.__all__)


def test_every_public_name_is_there_and_has_a_docstring() -> None:
    assert dir(desktop) == sorted(desktop.__all__)
    assert [name for name in desktop.__all__ if not getattr(desktop, name).__doc__] == []


def test_every_public_method_of_a_watch_is_documented() -> None:
    row = re.search(r"(?m)^\| `Watch` \|.*$", PAGE.read_text())
    assert row is not None
    public = {
        name for made in desktop.Watch.__mro__ for name in vars(made) if not name.startswith("_")
    }
    named = set(re.findall(r"`(\w+)`", row[0]))
    # The run tells `on_standing` what people do with it; nobody else calls it.
    assert named == public - {"on_standing"} | {"Watch", "run", "expected_file"}


def test_another_name_is_an_attribute_error() -> None:
    assert not hasattr(desktop, "Wach")


def test_the_import_loads_nothing() -> None:
    code = "import sys, handrail.desktop; print([m for m in sys.modules if 'handrail.' in m])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "['handrail.desktop']\n"
