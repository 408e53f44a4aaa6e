"""Other files that a piece of code loads: whoever sees the disk gives their text."""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Loader = Callable[[str], str | None]
"""Returns the text of a file by its path, as seen from the first file, or None."""

_LOADER: ContextVar[Loader | None] = ContextVar("loader", default=None)


@contextmanager
def loading_with(loader: Loader) -> Iterator[None]:
    """Give all readers inside the text of other files."""
    token = _LOADER.set(loader)
    try:
        yield
    finally:
        _LOADER.reset(token)


def load_first(names: Iterable[str], folder: str = "") -> tuple[str, str] | None:
    """Return path and text of the first of these files that is known."""
    loader = _LOADER.get()
    if loader is None:
        return None
    found = None
    for name in names:
        path = posixpath.normpath(posixpath.join(folder, name))
        text = loader(path)
        if text is not None and found is None:
            found = path, text
    return found
