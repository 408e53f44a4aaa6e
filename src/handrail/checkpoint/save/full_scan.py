"""Looks at every file of an index that Handrail sees for the first time."""

import os
from collections.abc import Iterable

import msgspec

from handrail.checkpoint.files import open_folder
from handrail.checkpoint.save.work_tree_memory import usual_modes


class FullScan(msgspec.Struct, frozen=True):
    """Sizes and odd permissions of files that git takes for unchanged."""

    sizes: dict[bytes, int] = {}
    odd: list[tuple[str, os.stat_result]] = []
    """Files with permissions that git cannot hold, with several names, or changed just now."""


def scan_files(work_tree: str, names: Iterable[bytes], since: float) -> FullScan:
    """Look at files; a file that changed after `since` counts as odd."""
    found = FullScan({}, [])
    sizes, odd, usual = found.sizes, found.odd, usual_modes()
    with open_folder(work_tree) as top:
        for name in names:  # a hundred thousand of them: nothing is done twice here
            try:
                facts = os.stat(name, dir_fd=top, follow_symlinks=False)
            except OSError:
                continue
            sizes[name] = facts.st_size
            if facts.st_mode not in usual or facts.st_ctime >= since or facts.st_nlink > 1:
                odd.append((os.fsdecode(name), facts))
    return found
