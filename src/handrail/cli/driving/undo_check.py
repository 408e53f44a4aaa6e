"""Check that the work of an unattended agent can be undone."""

import os
import shutil

import click

from handrail.checkpoint.errors import FolderRefusedError
from handrail.checkpoint.work_tree import check_can_be_saved, work_tree_of
from handrail.cli import options


def check_undo(folder: str, *, accepted: bool) -> str:
    """Return why the work in a folder cannot be undone, or "".

    Raises UsageError unless the user has `accepted` that.
    """
    why = _why_no_checkpoint(folder)
    if why and not accepted:
        raise click.UsageError(
            f"did not start the agent, because its work could not be undone: {why}. "
            "Add --yes to start it all the same"
        )
    return why


def _why_no_checkpoint(folder: str) -> str:
    """Return why Handrail makes no checkpoint of a folder, or ""."""
    try:
        check_can_be_saved(work_tree_of(folder, os.environ), os.environ)
    except FolderRefusedError as error:
        return str(error)
    if not options.load_config(folder).checkpoints.enabled:
        return "checkpoints are switched off (checkpoints.enabled)"
    return "" if shutil.which("git") else "checkpoints need git, which is not in your PATH"
