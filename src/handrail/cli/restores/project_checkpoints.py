"""The checkpoints of the current project, and their descriptions."""

import os
from collections.abc import Iterable, Mapping, Sequence
from time import time

import click
import msgspec

from handrail.checkpoint import (
    CheckpointRecord,
    CheckpointStore,
    Coverage,
    LeftOut,
    checkpoint_folder,
    work_tree_of,
)
from handrail.checkpoint.errors import NoSuchCheckpointError
from handrail.checkpoint.work_tree import check_can_be_saved
from handrail.cli.history.runs import KnownRuns, find_home, read_log
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.server.home import Home
from handrail.words.amounts import count
from handrail.words.times import duration_in_words

_MAX_NAMED = 3


def project_folder() -> str:
    """Return the repository of the current folder, or the folder itself."""
    return os.path.realpath(work_tree_of(os.getcwd(), os.environ))


def saved_folder() -> str:
    """Return the project folder; without a repository, the nearest parent with checkpoints."""
    here = project_folder()
    if os.path.exists(os.path.join(here, ".git")):
        return here
    above = here
    while above != "/":
        if _is_saved(above):
            return above
        above = os.path.dirname(above)
    return here


def checkpoints_folder(work_tree: str) -> str:
    """Return the folder that holds the checkpoints of a work tree."""
    return checkpoint_folder(find_home().path, work_tree)


def open_checkpoints(work_tree: str, settings: Settings = Settings()) -> CheckpointStore:  # noqa: B008
    """Open the checkpoints of a work tree for reading."""
    return CheckpointStore(checkpoints_folder(work_tree), work_tree, settings)


def find_saved() -> str:
    """Return the current work tree; fail if it has no checkpoints."""
    work_tree = check_can_be_saved(saved_folder(), os.environ)
    if not _is_saved(work_tree):
        raise click.ClickException(
            f"there are no checkpoints of {work_tree} yet; save one: handrail checkpoint"
        )
    return work_tree


def _is_saved(work_tree: str) -> bool:
    return next(open_checkpoints(work_tree).newest_first(), None) is not None


def find_record(checkpoints: CheckpointStore, typed: str) -> CheckpointRecord:
    """Find a checkpoint by id or name."""
    try:
        return checkpoints.find(typed)
    except NoSuchCheckpointError as error:
        raise click.ClickException(f"{error}; see handrail checkpoints") from None


def same_name(records: Iterable[CheckpointRecord], name: str) -> list[CheckpointRecord]:
    """Return the checkpoints with this name."""
    return [record for record in records if name and record.name == name]


def checkpoint_age(record: CheckpointRecord) -> str:
    """Return the age of a checkpoint: `3 min`."""
    return duration_in_words(time() - record.created_at.timestamp())


def record_json(record: CheckpointRecord) -> dict[str, object]:
    """Describe a checkpoint for programs."""
    covers = record.coverage
    return {
        "id": record.id,
        **msgspec.to_builtins(record),
        "coverage": {
            "says": covers.says,
            "leftOut": covers.left_out,
            "unfinished": covers.unfinished,
        },
    }


def coverage_in_words(coverage: Coverage, named: int = _MAX_NAMED) -> str:
    """Return `complete`, or what is missing and why."""
    if coverage.complete:
        return "complete"
    left = coverage.left_out
    parts = []
    if left:
        told = ", ".join(f"{each.path} ({each.why})" for each in left[:named])
        more = f" and {len(left) - named:,} more" if len(left) > named else ""
        parts.append(f"{_left_out(left)} left out: {told}{more}")
    if coverage.unfinished:
        parts.append("there was not enough time; the next checkpoint continues from there")
    return f"partial: {'; '.join(parts)}"


def _left_out(left: Sequence[LeftOut]) -> str:
    folders = sum(each.path.endswith("/") for each in left)
    numbers = ((len(left) - folders, "file"), (folders, "folder"))
    return " and ".join(count(number, noun) for number, noun in numbers if number)


def run_names(home: Home, ids: Iterable[str]) -> Mapping[str, str]:
    """Return the names of runs by id; a run that the log does not know keeps its short id."""
    wanted = {run for run in ids if run}
    named = {run: run[:8] for run in wanted}
    if wanted:
        with read_log(home) as store:
            named |= KnownRuns(store).names(wanted)
    return named
