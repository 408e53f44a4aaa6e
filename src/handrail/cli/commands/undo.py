"""`handrail undo`: what an agent did to the files is taken back."""

import click

from handrail.checkpoint import UndoLevel
from handrail.cli import options
from handrail.cli.history.runs import KnownRuns, find_home, read_log
from handrail.cli.restores.project_checkpoints import find_saved
from handrail.cli.restores.restore_flow import restore_files
from handrail.cli.restores.wording import RestoreManner
from handrail.server.files.restore_messages import UndoRequest

_THE_LAST = "last"


@click.command()
@click.option(
    "--action",
    "step",
    is_flag=False,
    flag_value=_THE_LAST,
    metavar="[STEP]",
    help="The last action that changed files, or this one (default).",
)
@click.option("--iteration", is_flag=True, help="All since your last prompt.")
@click.option("--task", is_flag=True, help="All that the run did.")
@click.option("--run", "typed", default="", metavar="RUN", help="Whose; by default the last.")
@options.restore_options
def command(
    step: str | None,
    iteration: bool,
    task: bool,
    typed: str,
    over: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Undo what an agent did to the files, by shell commands too.

    It is shown first what would change. Files that you or another agent have
    changed since are left alone, unless --over is given. The files of now are
    saved before, so `handrail redo` takes it back. Again, it undoes the action
    before that one.

    RUN is a name as in `handrail status`, STEP a number as in `handrail log`.

    \b
    Examples:
      handrail undo                       the last action
      handrail undo --action 212
      handrail undo --iteration --dry-run
      handrail undo --task --run shop-3f2a --yes

    Exit code: 0; 1 if some files are not as they were; 2 for an error, or if it
    was not confirmed.
    """
    options.by_a_person()
    level, args = _level(step, iteration=iteration, task=task)
    folder = find_saved()
    number = int(step) if step and step != _THE_LAST else 0
    run = _run(typed)
    wanted = UndoRequest(cwd=folder, level=level, run=run, step=number)
    manner = RestoreManner(
        verb="Undo",
        ask="Undo this?",
        done="undone",
        command=" ".join(("handrail undo", *args, *(("--run", typed) if typed else ()))),
        over=over,
        dry_run=dry_run,
        yes=yes,
        as_json=as_json,
    )
    return restore_files(wanted, manner)


def _level(step: str | None, *, iteration: bool, task: bool) -> tuple[UndoLevel, tuple[str, ...]]:
    """How much is undone, and how that is said on the command line."""
    if (step is not None) + iteration + task > 1:
        raise click.UsageError("--action, --iteration and --task: say one of them")
    if iteration:
        return UndoLevel.ITERATION, ("--iteration",)
    if task:
        return UndoLevel.TASK, ("--task",)
    if step is None or step == _THE_LAST:
        return UndoLevel.ACTION, ()
    if not step.isdecimal() or not int(step):
        raise click.UsageError(f"--action {step}: STEP is a number, as in handrail log")
    return UndoLevel.ACTION, ("--action", step)


def _run(typed: str) -> str:
    if not typed:
        return ""
    with read_log(find_home()) as store:
        return KnownRuns(store).find(typed).id
