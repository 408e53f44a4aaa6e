"""The checkpoints of the project that a person is in, and what they are in words."""

import os
from collections.abc import Iterable, Mapping, Sequence
from time import time
from typing import TYPE_CHECKING

import click
import msgspec

from handrail.checkpoint import (
    Checkpoints,
    Coverage,
    LeftOut,
    Moment,
    Record,
    checkpoint_folder,
    work_tree_of,
)
from handrail.checkpoint.errors import NoSuchCheckpointError
from handrail.checkpoint.work_tree import check_work_tree
from handrail.cli.moments import span
from handrail.cli.render import count
from handrail.cli.runs import Runs, find_home, open_log
from handrail.config.checkpoints import Checkpoints as Settings

if TYPE_CHECKING:
    from handrail.server.home import Home

_MAX_NAMED = 3
_MOMENTS = {
    Moment.REQUEST: "on request",
    Moment.PROMPT: "before a prompt",
    Moment.ITERATION_END: "after a turn",
    Moment.BEFORE_ACTION: "before an action",
    Moment.AFTER_ACTION: "after an action",
    Moment.UNATTENDED: "before an unattended run",
    Moment.PERIODIC: "now and then",
    Moment.BEFORE_RESTORE: "before going back",
    Moment.RESTORED: "after going back",
}


def open_checkpoints(settings: Settings = Settings()) -> Checkpoints:  # noqa: B008 - it is frozen
    """Those of the project of the current folder, for reading."""
    return Checkpoints(checkpoints_folder(), _work_tree(), settings)


def checkpoints_folder() -> str:
    """Where they are."""
    return checkpoint_folder(find_home().path, _work_tree())


def check_there_is_one() -> None:
    """What cannot be done is said before a daemon is started for it."""
    checkpoints = open_checkpoints()
    check_work_tree(checkpoints.work_tree, os.environ)
    if next(checkpoints.newest_first(), None) is None:
        where = checkpoints.work_tree
        raise click.ClickException(
            f"there are no checkpoints of {where} yet; handrail checkpoint takes one"
        )


def _work_tree() -> str:
    return work_tree_of(os.getcwd(), os.environ)


def find_record(checkpoints: Checkpoints, typed: str) -> Record:
    """The checkpoint that a person means; else an error that helps."""
    try:
        return checkpoints.find(typed)
    except NoSuchCheckpointError as error:
        raise click.ClickException(f"{error}; see handrail checkpoints") from None


def same_name(records: Iterable[Record], name: str) -> list[Record]:
    """Those that a person has given this name."""
    return [record for record in records if name and record.name == name]


def age(record: Record) -> str:
    """`3 min`."""
    return span(time() - record.created_at.timestamp())


def reason(record: Record) -> str:
    """What it is called, and why it was taken, in a line."""
    why = record.why or _MOMENTS[record.moment]
    if not record.name:
        return why
    return record.name if record.moment is Moment.REQUEST else f"{record.name}: {why}"


def record_json(record: Record) -> dict[str, object]:
    """A checkpoint for programs."""
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
    """`complete`, or what is missing and why."""
    if coverage.complete:
        return "complete"
    left = coverage.left_out
    parts = []
    if left:
        told = ", ".join(f"{each.path} ({each.why})" for each in left[:named])
        more = f" and {len(left) - named:,} more" if len(left) > named else ""
        parts.append(f"{_left_out(left)} left out: {told}{more}")
    if coverage.unfinished:
        parts.append("there was no time for everything; the next one goes on from there")
    return f"partial: {'; '.join(parts)}"


def _left_out(left: Sequence[LeftOut]) -> str:
    folders = sum(each.path.endswith("/") for each in left)
    numbers = ((len(left) - folders, "file"), (folders, "folder"))
    return " and ".join(count(number, noun) for number, noun in numbers if number)


def run_names(home: "Home", ids: Iterable[str]) -> Mapping[str, str]:
    """By id, what people call a run; one that the log does not know is called by its id."""
    wanted = {run for run in ids if run}
    named = {run: run[:8] for run in wanted}
    if wanted and os.path.exists(home.log):
        with open_log(home) as store:
            named |= Runs(store).names(wanted)
    return named
