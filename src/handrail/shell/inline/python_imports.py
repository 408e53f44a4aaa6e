"""Which files Python code imports, and the names that it takes from them."""

import re
from collections.abc import Iterator

_IMPORT = re.compile(r"(?:^|[;:])[ \t]*(?:from|import)[ \t]([^;\n#]*)", re.MULTILINE)
_MODULE = re.compile(r"\w+(?:\.\w+)*")


def module_files(module: str) -> tuple[str, str]:
    """Return the files that a module may be in, from the folder where Python looks for it."""
    path = module.replace(".", "/")
    return f"{path}.py", f"{path}/__init__.py"


def folder_of_import(folder: str, level: int) -> str:
    """Return where an import looks: `from .. import x` above the folder of its own file."""
    return "/".join([folder or ".", *[".."] * (level - 1)]) if level else ""


def imported_words(code: str) -> Iterator[str]:
    """Yield every word of an import that may be a module, without parsing the code."""
    for statement in _IMPORT.findall(code):
        yield from _MODULE.findall(statement)
