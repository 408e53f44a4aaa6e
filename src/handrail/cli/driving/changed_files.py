"""The files that a run has changed, for its end report."""

import os

from handrail.checkpoint import CheckpointError, RestoreTarget, UndoLevel, work_tree_of
from handrail.checkpoint.comparison import ChangedFile, Comparison
from handrail.checkpoint.restore.undo_levels import restore_target
from handrail.cli.restores.project_checkpoints import checkpoints_folder, open_checkpoints


def changed_files(cwd: str, run: str) -> list[ChangedFile]:
    """Compare the files now with those before the run; nothing where no checkpoint tells."""
    try:
        folder = os.path.realpath(work_tree_of(cwd, os.environ))
        checkpoints = open_checkpoints(folder)
        records = list(checkpoints.newest_first())
        before = restore_target(records, UndoLevel.TASK, run=run).target
        now = checkpoints.preview(RestoreTarget(UndoLevel.CHECKPOINT, before)).now
        return Comparison(checkpoints_folder(folder), folder, (before.tree, now)).files()
    except (CheckpointError, OSError):
        return []
