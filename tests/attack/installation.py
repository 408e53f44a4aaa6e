"""A complete copy of Handrail with all that it imports, as pipx would have installed it.

The copy is made of hard links where that is possible, so it must be shown read-only.
"""

import csv
import os
import shutil
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import handrail
from tests.attack.attack import PYTHON, SITE, VENV

_SCRIPT = """\
#!{python}
import sys
from handrail.cli import main
if __name__ == "__main__":
    sys.exit(main())
"""


def make_installation(target: Path) -> None:
    """A virtual environment that works at VENV, with records and programs of every package."""
    site = target / SITE
    site.mkdir(parents=True)
    (target / "bin").mkdir()
    for name in ("python", "python3", PYTHON):
        (target / "bin" / name).symlink_to(f"/mnt/python/bin/{PYTHON}")
    (target / "pyvenv.cfg").write_text(
        f"home = /mnt/python/bin\ninclude-system-site-packages = false\n"
        f"version = {'.'.join(map(str, sys.version_info[:3]))}\n"
    )
    for found in _needed("handrail", set()):
        if found.name == "handrail":
            _install_handrail(found, target)
        else:
            _install(found, target)


def _needed(name: str, seen: set[str]) -> Iterator[Distribution]:
    """A distribution and everything that it needs to be imported."""
    if canonicalize_name(name) in seen:
        return
    seen.add(canonicalize_name(name))
    found = distribution(name)
    yield found
    for each in map(Requirement, found.requires or ()):
        if each.marker is None or each.marker.evaluate({"extra": ""}):
            yield from _needed(each.name, seen)


def _install(found: Distribution, target: Path) -> None:
    site = target / SITE
    record = next(file for file in found.files or () if file.name == "RECORD")
    rows = []
    for row in csv.reader(Path(str(found.locate_file(record))).read_text().splitlines()):
        name, source = row[0], Path(str(found.locate_file(row[0])))
        if not source.exists():
            continue  # compiled files that nobody needed yet
        if name.startswith("../../../bin/"):
            program = target / "bin" / source.name
            _, _, rest = source.read_text().partition("\n")
            program.write_text(f"#!{VENV}/bin/python\n{rest}")
            program.chmod(0o755)
            rows.append(_recorded(name, program))
        else:
            _place(source, Path(os.path.normpath(site / name)))
            rows.append(row)
    _write_record(site / str(record), rows)


def _install_handrail(found: Distribution, target: Path) -> None:
    """Here it is installed as a link to its sources; a user has it as files."""
    site = target / SITE
    package = Path(handrail.__file__).parent
    rows = []
    for source in sorted(package.rglob("*")):
        if source.is_file():
            place = site / "handrail" / source.relative_to(package)
            _place(source, place)
            if "__pycache__" not in source.parts:
                rows.append(_recorded(str(place.relative_to(site)), place))
    info = next(file.parent for file in found.files or () if file.name == "METADATA")
    for name in ("METADATA", "WHEEL", "INSTALLER", "entry_points.txt"):
        place = site / info / name
        _place(Path(str(found.locate_file(info / name))), place)
        rows.append(_recorded(f"{info}/{name}", place))
    program = target / "bin" / "handrail"
    program.write_text(_SCRIPT.format(python=f"{VENV}/bin/python"))
    program.chmod(0o755)
    rows.append(_recorded("../../../bin/handrail", program))
    rows.append([f"{info}/RECORD", "", ""])
    _write_record(site / info / "RECORD", rows)


def _place(source: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, place)
    except FileExistsError:
        raise  # a copy would be written into the original
    except OSError:  # another file system, or a file of somebody else
        shutil.copy2(source, place)


def _recorded(name: str, file: Path) -> list[str]:
    content = file.read_bytes()
    digest = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
    return [name, f"sha256={digest}", str(len(content))]


def _write_record(place: Path, rows: list[list[str]]) -> None:
    place.unlink(missing_ok=True)  # it may be a link to the original
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
