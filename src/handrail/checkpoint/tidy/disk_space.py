"""How much room there is on a disk, and how much of it a folder takes."""

import os
from contextlib import suppress

_BLOCK = 512


def used_bytes(folder: str) -> int:
    """Bytes on the disk of everything in a folder."""
    total = 0
    waiting = [folder]
    while waiting:
        # A file or a folder may go away while it is counted.
        with suppress(FileNotFoundError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                    continue
                with suppress(FileNotFoundError):
                    total += entry.stat(follow_symlinks=False).st_blocks * _BLOCK
    return total


def free_bytes(folder: str) -> int:
    """Bytes that this user can still write to the disk of a folder."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize
