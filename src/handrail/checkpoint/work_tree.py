"""Which folders are saved, and where their checkpoints are."""

import os
import re
from collections.abc import Mapping

from handrail.checkpoint.errors import RefusedError
from handrail.checkpoint.private import key_of


def check_work_tree(folder: str, environ: Mapping[str, str]) -> str:
    """The real path of a folder that may be saved; raises RefusedError for others."""
    work_tree = os.path.realpath(folder)
    if not os.path.isdir(work_tree):
        raise RefusedError(folder, "there is no such folder")
    if work_tree == "/":
        raise RefusedError(folder, "it is the whole machine")
    home = os.path.realpath(environ.get("HOME") or "/")
    if f"{home}/".startswith(f"{work_tree}/"):
        raise RefusedError(folder, "your home folder is in it; start the agent in a project folder")
    return work_tree


def work_tree_of(folder: str, environ: Mapping[str, str]) -> str:
    """The repository that holds a folder; the folder itself where there is none of its own."""
    above = os.path.realpath(folder)
    while True:
        try:
            check_work_tree(above, environ)
        except RefusedError:
            return folder
        if os.path.exists(os.path.join(above, ".git")):
            return above
        above = os.path.dirname(above)


def checkpoint_folder(state: str, work_tree: str) -> str:
    """The private folder of a work tree below Handrail's state folder."""
    real = os.path.realpath(work_tree)
    name = re.sub(r"[^\w.-]", "_", os.path.basename(real), flags=re.ASCII)[:40]
    return os.path.join(state, "checkpoints", f"{name}-{key_of(real)}")
