"""`handrail undo`: undo an agent's changes to the files."""

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
    help="Undo this action; default: the last one that changed files.",
)
@click.option("--iteration", is_flag=True, help="Undo everything since your last prompt.")
@click.option("--task", is_flag=True, help="Undo everything that the run did.")
@click.option("--run", "typed", default="", metavar="RUN", help="The run. Default: the last one.")
@options.git_option
@options.restore_options
def command(
    step: str | None, iteration: bool, task: bool, typed: str, git: bool, **flags: bool
) -> int:
    """Undo an agent's changes to your files, including those of shell commands.

    Handrail shows first what would change. It leaves files alone that you or another
    agent changed since, unless you add --over. It saves the current files, so
    `handrail redo` takes the undo back. Run it again to undo the action before that.

    With --git it also takes back what the agent did to your repository: commits,
    branches, tags, resets, stashes and the index. It leaves alone what you changed there
    since. What becomes unreachable stays below refs/handrail/.

    RUN is a name from `handrail status`, STEP a number from `handrail log`.

    \b
    Examples:
      handrail undo                       the last action
      handrail undo --action 212
      handrail undo --iteration --dry-run
      handrail undo --git                 the last action, commits included
      handrail undo --task --run shop-3f2a --yes

    Exit code: 0; 1 if some files could not be restored; 2 for an error, or if you
    said no.
    """
    options.by_a_person()
    level, args = _level(step, iteration=iteration, task=task)
    folder = find_saved()
    number = int(step) if step and step != _THE_LAST else 0
    run = _run(typed)
    wanted = UndoRequest(cwd=folder, level=level, run=run, step=number, git=git)
    more = (*(("--git",) if git else ()), *(("--run", typed) if typed else ()))
    command_line = " ".join(("handrail undo", *args, *more))
    manner = RestoreManner(verb="Undo", done="undone", command=command_line, git=git, **flags)
    return restore_files(wanted, manner)


def _level(step: str | None, *, iteration: bool, task: bool) -> tuple[UndoLevel, tuple[str, ...]]:
    """Return how much to undo, and the options that say so."""
    if (step is not None) + iteration + task > 1:
        raise click.UsageError("use only one of --action, --iteration and --task")
    if iteration:
        return UndoLevel.ITERATION, ("--iteration",)
    if task:
        return UndoLevel.TASK, ("--task",)
    if step is None or step == _THE_LAST:
        return UndoLevel.ACTION, ()
    if not step.isdecimal() or not int(step):
        raise click.UsageError(f"--action {step}: STEP must be a number from handrail log")
    return UndoLevel.ACTION, ("--action", step)


def _run(typed: str) -> str:
    if not typed:
        return ""
    with read_log(find_home()) as store:
        return KnownRuns(store).find(typed).id
