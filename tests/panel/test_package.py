"""What the panel is built from: exact versions, and no address of any server."""

import json
import re
from pathlib import Path

PANEL = Path(__file__).parents[2] / "panel"
EXACT = re.compile(r"\d+\.\d+\.\d+")


def test_every_library_is_pinned_to_one_version() -> None:
    package = json.loads((PANEL / "package.json").read_text(encoding="utf-8"))
    pinned = {**package["dependencies"], **package["devDependencies"]}
    assert pinned
    assert {name: version for name, version in pinned.items() if not EXACT.fullmatch(version)} == {}


def test_the_lock_file_has_digests_and_no_addresses() -> None:
    lock = json.loads((PANEL / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert [name for name, package in packages.items() if "resolved" in package] == []
    assert [name for name, package in packages.items() if "integrity" not in package] == []
