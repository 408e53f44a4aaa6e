"""Check texts with a meaning: globs, folders, files, regular expressions, names.

Each is checked, and made absolute, where it was written: a relative glob means the folder
of the file it stands in, wherever Handrail runs.
"""

import re
from collections.abc import Callable, Iterable
from typing import Annotated

from msgspec import Meta, Struct

from handrail.config.glob import escape, must_be_glob
from handrail.config.names import finding_kinds, intervention_names
from handrail.model.near_names import nearest

Place = Annotated[str, Meta(extra={"is": "place"})]
Glob = Annotated[str, Meta(extra={"is": "glob"})]
FilePath = Annotated[str, Meta(extra={"is": "file"})]
InnerGlob = Annotated[str, Meta(extra={"is": "inner"})]
Regex = Annotated[str, Meta(extra={"is": "regex"})]
FindingKind = Annotated[str, Meta(extra={"is": "finding"})]
MeansName = Annotated[str, Meta(extra={"is": "means"})]


class PathBase(Struct, frozen=True):
    """The base folder of relative paths, and the home folder for `~`."""

    folder: str
    home: str


def read_glob(text: str, where: PathBase) -> str:
    """Make a glob with a slash absolute; keep names and URLs."""
    must_be_glob(text)
    is_name = "/" not in text.rstrip("/") and not text.startswith("~")
    return text if is_name or "://" in text else _resolve(text, where, escape)


def read_place(text: str, where: PathBase) -> str:
    """Return an absolute glob; refuse one as wide as the machine."""
    must_be_glob(text)
    glob = _resolve(text, where, escape)
    if too_wide(re.sub(r"(?:/\**)+\Z", "", glob), escape(where.home)):
        raise ValueError(
            "would put everything in scope; name the folders the agent may change, "
            "for example src/** or ~/work/shop"
        )
    return glob


def read_inner_glob(text: str, _where: PathBase) -> str:
    """Return the same glob if it stays inside of the work tree, wherever that is."""
    must_be_glob(text)
    if text.startswith(("/", "~")) or ".." in text.split("/"):
        raise ValueError("leads out of the work tree; write a path inside of it, such as src/**")
    return text


def too_wide(folder: str, home: str) -> bool:
    """Return whether a folder is the root, the home, or above the home."""
    return f"{home}/".startswith(f"{folder.rstrip('/')}/")


def read_file_path(text: str, where: PathBase) -> str:
    """Return an absolute path; empty stays empty."""
    return _resolve(text, where, lambda path: path) if text else ""


def read_regex(text: str, _where: PathBase) -> str:
    """Return the same text if it is a regular expression."""
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    return text


def must_be_no_slip(name: str, known: Iterable[str], what: str) -> None:
    """Raise ValueError for a misspelt known name; any other name may be the user's own."""
    names = list(known)
    near = "" if name in names else nearest(name, names, cutoff=0.85)
    if near:
        raise ValueError(f"is no {what}; did you mean {near}?")


def read_finding_kind(text: str, _where: PathBase) -> str:
    """Return the same text unless it is a misspelt kind of finding."""
    return _name(text, finding_kinds(), "kind of finding")


def read_means(text: str, _where: PathBase) -> str:
    """Return the same text unless it is a misspelt intervention."""
    return _name(text, intervention_names(), "means")


READERS: dict[str, Callable[[str, PathBase], str]] = {
    "place": read_place,
    "glob": read_glob,
    "inner": read_inner_glob,
    "file": read_file_path,
    "regex": read_regex,
    "finding": read_finding_kind,
    "means": read_means,
}


def _name(text: str, known: Iterable[str], what: str) -> str:
    must_be_no_slip(text, known, what)
    return text


def _resolve(text: str, where: PathBase, quote: Callable[[str], str]) -> str:
    """Make a path absolute without `.` and `..`; `quote` fits the folder into the text's syntax."""
    if text == "~" or text.startswith("~/"):
        if not where.home:
            raise ValueError("needs HOME, which is not set")
        text = quote(where.home) + text[1:]
    elif text.startswith("~"):
        raise ValueError("names another user's home; write the path out")
    elif not text.startswith("/"):
        text = f"{quote(where.folder)}/{text}"
    names: list[str] = []
    for name in text.split("/"):
        if name == "..":
            if names and "*" in names.pop():
                raise ValueError("has `..` after a wildcard")
        elif name not in ("", "."):
            names.append(name)
    return "/" + "/".join(names)
