"""Which folders are saved, and where their checkpoints are."""

import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress

from handrail.checkpoint.errors import FolderRefusedError
from handrail.checkpoint.files import work_tree_key
from handrail.checkpoint.git.user_repository import read_text, repository_directories
from handrail.model.state_folder import state_folder

_FOLDER = re.compile(r"[\w.-]{0,40}-[0-9a-f]{16}", re.ASCII)
_MAX_BYTES = 4096


def check_can_be_saved(folder: str, environ: Mapping[str, str]) -> str:
    """The real path of a folder that may be saved; raises FolderRefusedError for others."""
    work_tree = os.path.realpath(folder)
    if not os.path.isdir(work_tree):
        raise FolderRefusedError(folder, "there is no such folder")
    if work_tree == "/":
        raise FolderRefusedError(folder, "it is the whole machine")
    home = os.path.realpath(environ.get("HOME") or "/")
    if f"{home}/".startswith(f"{work_tree}/"):
        raise FolderRefusedError(
            folder, "your home folder is in it; start the agent in a project folder"
        )
    if work_tree == os.path.realpath(state_folder(environ)):
        raise FolderRefusedError(folder, "Handrail keeps its own state there; use a project folder")
    return work_tree


def work_tree_of(folder: str, environ: Mapping[str, str]) -> str:
    """The repository around a folder; the folder itself where there is none."""
    above = os.path.realpath(folder)
    while True:
        try:
            check_can_be_saved(above, environ)
        except FolderRefusedError:
            return folder
        if os.path.exists(os.path.join(above, ".git")):
            return above
        above = os.path.dirname(above)


def checkpoint_folder(state: str, work_tree: str) -> str:
    """The private folder of a work tree's project below Handrail's state folder.

    Linked work trees share that of the repository. The first answer for a work tree is stored: a
    later change of its `.git` must not hide its checkpoints.
    """
    checkpoints = os.path.join(state, "checkpoints")
    real = os.path.realpath(work_tree)
    decision = os.path.join(checkpoints, "trees", work_tree_key(real))
    name = _decided(decision)
    if not name:
        own = _name_of(real)
        is_used = os.path.isdir(os.path.join(checkpoints, own))
        name = own if is_used else _name_of(_project_of(real))
        if os.path.isdir(state):
            name = _decide(decision, name)
    return os.path.join(checkpoints, name)


def _project_of(work_tree: str) -> str:
    """The main work tree of a linked one; others are projects of their own."""
    where = repository_directories(work_tree)
    if where.own == where.common:
        return work_tree
    back = read_text(os.path.join(where.own, "gitdir"), _MAX_BYTES).strip()
    back = os.path.join(where.own, back)  # since git 2.48 it may be a relative path
    if os.path.realpath(back) != os.path.realpath(os.path.join(work_tree, ".git")):
        return work_tree  # the repository knows nothing of it
    common = os.path.realpath(where.common)
    return os.path.dirname(common) if os.path.basename(common) == ".git" else common


def _name_of(project: str) -> str:
    name = re.sub(r"[^\w.-]", "_", os.path.basename(project), flags=re.ASCII)[:40]
    return f"{name}-{work_tree_key(project)}"


def _decided(decision: str) -> str:
    name = read_text(decision, _MAX_BYTES).strip()
    return name if _FOLDER.fullmatch(name) else ""


def _decide(decision: str, name: str) -> str:
    """Store an answer, unless another process was faster: then give its answer."""
    fresh = f"{decision}.{secrets.token_hex(6)}"
    with suppress(OSError):  # a disk that is full: the same answer is found again
        os.makedirs(os.path.dirname(decision), 0o700, exist_ok=True)
        with open(fresh, "w", encoding="ascii") as file:
            file.write(f"{name}\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(fresh, decision)
        except FileExistsError:
            if not _decided(decision):  # damaged
                os.replace(fresh, decision)
        with suppress(FileNotFoundError):
            os.unlink(fresh)
    return _decided(decision) or name
