"""`make lint`: a class name stands in one file only, so that a search for it finds the one thing.

    python scripts/class_names.py [FOLDER]

Leading underscores do not make a name another one: whoever reads `_Told` in one file and `Told` in
the next has to keep both apart all the same. Prints every place of a name that stands in two or
more files, and exits with 1 if there is any.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parent.parent / "src" / "handrail"
MAY_REPEAT: Mapping[str, str] = {
    "Supervisor": "the library's face is called as what it stands for: `handrail.Supervisor`",
}
"""Class names that may stand in several files, each with the reason."""


class Place(NamedTuple):
    """Where a class is defined."""

    file: str
    line: int
    name: str
    """As it is written there, underscores and all."""


def find_classes(folder: Path) -> dict[str, list[Place]]:
    """All classes below a folder, nested ones too, by their names without leading underscores."""
    found: dict[str, list[Place]] = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        file = path.relative_to(folder).as_posix()
        for node in ast.walk(ast.parse(path.read_bytes(), file)):
            if isinstance(node, ast.ClassDef):
                found[node.name.lstrip("_")].append(Place(file, node.lineno, node.name))
    return found


def in_several_files(classes: Mapping[str, list[Place]]) -> dict[str, list[Place]]:
    """Those that stand in two or more files, by name."""
    return {
        name: classes[name]
        for name in sorted(classes)
        if len({place.file for place in classes[name]}) > 1
    }


def find_problems(folder: Path, may_repeat: Mapping[str, str] = MAY_REPEAT) -> list[str]:
    """What is wrong with the class names below a folder, one line for each place."""
    repeated = in_several_files(find_classes(folder))
    problems = [
        f"{place.file}:{place.line}: {place.name}"
        for name, places in repeated.items()
        if name not in may_repeat
        for place in places
    ]
    needless = sorted(set(may_repeat) - set(repeated))
    return problems + [
        f"{name} may be repeated, but is not: take it off the list" for name in needless
    ]


def main(folder: Path) -> int:
    """Print what is wrong; the exit code."""
    problems = find_problems(folder)
    for problem in problems:
        print(problem)
    if problems:
        print("A class name stands in one file only: rename it, or say in MAY_REPEAT why not.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE))
