"""Paths as text: joined and normalised without looking at the disk."""

import posixpath

from handrail.shell.word import OPAQUE, Word


def join(cwd: Word, path: Word) -> Word:
    """A path as seen from a folder."""
    text = path.text
    if not text.startswith("/"):
        if text.startswith(OPAQUE):
            return path
        text = f"{cwd.text}/{text}"
    return Word(normalise(text), path.glob, path.raw)


def normalise(path: str) -> str:
    """Without `.`, `..`, doubled or trailing slashes."""
    if "/." not in path and "//" not in path and (path == "/" or not path.endswith("/")):
        return path
    normal = posixpath.normpath(path)
    if path.startswith(OPAQUE) and not normal.startswith(OPAQUE):
        return OPAQUE if normal == "." else f"{OPAQUE}/{normal}"
    return normal[1:] if normal.startswith("//") else normal
