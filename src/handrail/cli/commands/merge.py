"""`handrail merge`: bring the work of done tasks to a branch."""

import os

import click

from handrail.cli import options
from handrail.cli.fleet.merge_run import MergeOptions, merge_tasks
from handrail.cli.fleet.merge_selection import select_tasks
from handrail.cli.fleet.opened_fleet import open_fleet
from handrail.cli.output.file_changes import ask_to_agree
from handrail.words.amounts import count


@click.command()
@click.argument("names", nargs=-1, metavar="[TASK]...")
@click.option("--all", "every", is_flag=True, help="Merge all done tasks.")
@click.option("--into", default="", metavar="BRANCH", help="Default: the branch checked out here.")
@click.option("--resolve", is_flag=True, help="Give a conflict back to the agent of its task.")
@click.option("--keep", is_flag=True, help="Keep the workspaces of merged tasks.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@options.json_option("Print a line of JSON for each task; do not ask.")
@options.color_option
def command(
    names: tuple[str, ...],
    every: bool,
    into: str,
    resolve: bool,
    keep: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Merge the work of tasks that are done, one after the other.

    Handrail makes each merge in a worktree of its own and runs the task's verify
    command there. Only then it moves the branch. Your checkout moves along if it is
    clean; otherwise the merge waits as a ref, and Handrail tells you so.

    A conflict changes nothing. With --resolve, the agent of the task gets it back with
    the conflict markers in its workspace. Then run `handrail run --resume`, and merge again.

    Handrail removes the workspace and the branch of a merged task, unless you --keep them.

    \b
    Examples:
      handrail merge docs
      handrail merge --all --yes
      handrail merge docs --into release
      handrail merge docs --resolve

    Exit code: 0 if all are merged; 1 if one is not; 2 for an error.
    """
    options.by_a_person()
    if bool(names) == every:
        raise click.UsageError("name the tasks, or use --all: handrail merge --all")
    fleet = open_fleet(os.getcwd())
    state = fleet.engine.state()
    chosen = select_tasks(state, names)
    if not chosen:
        if not as_json:
            options.screen().paragraph("No done task waits for a merge. See: handrail task list")
        return 0
    if every and not as_json:
        many = count(len(chosen), "task")
        listed = ", ".join(each.task.id for each in chosen)
        options.screen().paragraph(f"{many} to merge: {listed}")
        if not ask_to_agree(f"Merge {many}?", yes=yes, asks=True):
            return 1
    wanted = MergeOptions(into=into, resolve=resolve, keep=keep, as_json=as_json)
    return merge_tasks(fleet, chosen, wanted)
