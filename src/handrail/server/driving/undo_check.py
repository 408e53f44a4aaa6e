"""Check that the work of an unattended agent can be undone."""

import shutil
from collections.abc import Mapping

from handrail.checkpoint.errors import FolderRefusedError
from handrail.checkpoint.work_tree import check_can_be_saved, work_tree_of
from handrail.config import Config


def why_no_undo(folder: str, config: Config, environ: Mapping[str, str]) -> str:
    """Return why Handrail makes no checkpoint of a folder, or ""."""
    try:
        check_can_be_saved(work_tree_of(folder, environ), environ)
    except FolderRefusedError as error:
        return str(error)
    if not config.checkpoints.enabled:
        return "checkpoints are switched off (checkpoints.enabled)"
    has_git = shutil.which("git", path=environ.get("PATH"))
    return "" if has_git else "checkpoints need git, which is not in your PATH"
