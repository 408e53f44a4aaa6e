"""A signature that changes whenever a file changes."""

import os

Look = tuple[int, int, int, int]
"""Place, size, and the times of its last changes."""


def file_signature(path: str, folder: int | None = None) -> Look | None:
    """How a file, link or folder looks, below an open folder or not; None: there is none."""
    try:
        found = os.stat(path, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
