"""The file tools of agents, for scripts that play one: read, write, edit."""

from collections.abc import Callable, Mapping
from pathlib import Path


def use_file_tool(tool: str, given: Mapping[str, object], folder: str) -> str:
    """Carry out a call of a file tool, and return its output; raises OSError."""
    return FILE_TOOLS[tool](Path(folder, str(given["file_path"])), given)


def _read(path: Path, given: Mapping[str, object]) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _write(path: Path, given: Mapping[str, object]) -> str:
    path.write_text(str(given["content"]), encoding="utf-8")
    return ""


def _edit(path: Path, given: Mapping[str, object]) -> str:
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace(str(given["old_string"]), str(given["new_string"]), 1), encoding="utf-8"
    )
    return ""


FILE_TOOLS: dict[str, Callable[[Path, Mapping[str, object]], str]] = {
    "Read": _read,
    "Write": _write,
    "Edit": _edit,
}
