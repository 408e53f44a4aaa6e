"""`handrail export`: write a run into one page."""

import os
import re
import sys

import click

from handrail.cli import options
from handrail.cli.history.runs import LAST, KnownRuns, find_home, read_log
from handrail.words.amounts import size

_STDOUT = "-"
_NOT_PLAIN = re.compile(r"[^\w.-]+")


@click.command()
@click.argument("name", default=LAST, metavar="[RUN]")
@click.option(
    "-o", "--output", "path", default="", metavar="FILE", help="Default: RUN.html; -: standard out."
)
@options.color_option
def command(name: str, path: str) -> int:
    """Write a run into one HTML page that anybody can replay, step by step.

    The page holds every action, the decisions and their reasons, edits, outputs, findings
    and interventions. It needs no server and loads nothing. Secrets are taken out; have a
    look all the same before you share it, since it tells of your files and prompts.

    RUN is a name from `handrail status`, the start of a session id, or `last`.

    \b
    Examples:
      handrail export shop-3f2a
      handrail export last -o night.html

    Exit code: 0; 2 for an error.
    """
    options.by_a_person()
    from handrail.api.export.run_page import export_page

    with read_log(find_home()) as store:
        run = KnownRuns(store).find(name)
        page = export_page(store, run.id, run.name)
    if path == _STDOUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(page)
        return 0
    target = path or f"{_NOT_PLAIN.sub('-', run.name)}.html"
    if not path and os.path.lexists(target):
        raise click.ClickException(f"{target} is there already; name another file with -o")
    with open(target, "wb") as file:
        file.write(page)
    options.screen().say(f" {run.name}: {size(len(page))} in {target}")
    return 0
