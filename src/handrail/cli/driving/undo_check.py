"""Start an unattended agent only where its work can be undone, unless the user wants it."""

import os

import click

from handrail.cli import options
from handrail.server.driving.undo_check import why_no_undo


def check_undo(folder: str, *, accepted: bool) -> str:
    """Return why the work in a folder cannot be undone, or "".

    Raises UsageError unless the user has `accepted` that.
    """
    why = why_no_undo(folder, options.load_config(folder), os.environ)
    if why and not accepted:
        raise click.UsageError(
            f"did not start the agent, because its work could not be undone: {why}. "
            "Add --yes to start it all the same"
        )
    return why
