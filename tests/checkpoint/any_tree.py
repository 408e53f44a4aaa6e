"""Any work tree: files, links, programs, odd names, folders in the place of files."""

import os
import shutil
from pathlib import Path

from hypothesis import strategies as st

Entry = tuple[str, bytes]
"""What a path is ("file", "program", "private" or "link"), and its content."""
Files = dict[str, Entry]

NAMES = (
    "a",
    "b",
    "d",
    "d/a",
    "d/b",
    "d/e/f",
    "a/x",
    "-rf",
    "ü",
    "b c\n/é",
    "*",
    ":(top)x",
    "\udcff",
)
NOT_TEXT = NAMES[-1]
_entries = st.tuples(
    st.sampled_from(["file", "program", "private"]), st.binary(max_size=6)
) | st.tuples(st.just("link"), st.sampled_from([b"a", b"d", b"..", b"/nowhere", b"-"]))
files = st.dictionaries(st.sampled_from(NAMES), _entries, max_size=6)
_BITS = {"file": 0o644, "program": 0o755, "private": 0o600}


def lay(root: Path, wanted: Files) -> None:
    """Exactly these files, as far as they can be beside each other."""
    shutil.rmtree(root)
    root.mkdir()
    for name, entry in wanted.items():
        put(root, name, entry)


def put(root: Path, name: str, entry: Entry) -> bool:
    """Make one, if nothing is in its way."""
    path = root / name
    above = [root / str(each) for each in Path(name).parents][:-1]
    if path.is_dir() or any(each.is_symlink() or each.is_file() for each in above):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    kind, content = entry
    if kind == "private" and name == NOT_TEXT:
        kind = "file"  # permissions are written down by name
    if kind == "link":
        os.symlink(content, os.fsencode(path))
    else:
        path.write_bytes(content)
        path.chmod(_BITS[kind])
    return True


def seen(root: Path) -> Files:
    """What is there."""
    found: Files = {}
    for above, folders, names in os.walk(root):
        for name in (*folders, *names):
            path = Path(above, name)
            if path.is_symlink():
                found[str(path.relative_to(root))] = ("link", os.fsencode(os.readlink(path)))
            elif path.is_file():
                found[str(path.relative_to(root))] = (_kind(path), path.read_bytes())
    return found


def _kind(path: Path) -> str:
    bits = path.stat().st_mode & 0o777
    return next((kind for kind, usual in _BITS.items() if usual == bits), oct(bits))
