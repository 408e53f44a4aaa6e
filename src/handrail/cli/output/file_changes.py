"""What a command is about to change in files: shown, agreed to, and nothing done before."""

import difflib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING

import click

from handrail.cli import options
from handrail.cli.output.terminal import TerminalOutput, clip, wrap
from handrail.hosts import HOSTS

if TYPE_CHECKING:
    from handrail.hosts.port import HookConnection, HostAdapter
    from handrail.hosts.settings_file import FileChangePlan
    from handrail.server.home import Home

_NEWLINE = re.compile(r"\r\n|\n|\r")
_TOKEN = re.compile(r'(Bearer )[^"\s]*')
_RUN, _LAST = 26, 4
_COLOURS = {"+": "green", "-": "red", "@": "dim"}


def host_argument(function: options.Function) -> options.Function:
    """The host that a command is about."""
    return click.argument("host", metavar="|".join(HOSTS), type=click.Choice(list(HOSTS)))(function)


def connection(home: "Home", *, dry_run: bool = False) -> "HookConnection":
    """How hooks reach this user's daemon; in a dry run no state folder is made for that."""
    from handrail.hosts.port import HookConnection

    if dry_run and not os.path.isdir(home.path):
        return HookConnection("PORT", "", home.client_path, home.installs)
    return HookConnection(home.port, home.hook_token, home.client_path, home.installs)


def choose_file(host: "HostAdapter", user: bool, project: str | None) -> tuple[str, str]:
    """The settings file that is meant, and the project's folder if it is a project's."""
    if project is None:
        return host.settings_file(os.environ, ""), ""
    if user:
        raise click.UsageError("--user and --project exclude each other")
    folder = os.path.abspath(project)
    if not os.path.isdir(folder):
        raise click.UsageError(f"--project {project}: there is no such folder")
    return host.settings_file(os.environ, folder), folder


def short(path: str, folder: str = "", environ: Mapping[str, str] = os.environ) -> str:
    """A path as a person would write it here, or in a folder."""
    names = [path]
    for base, name in ((folder or os.getcwd(), "."), (environ.get("HOME", ""), "~")):
        if base and path.startswith(f"{base}/"):
            names.append(path.replace(base, name, 1))
    return min(names, key=len)


def diff(plans: "Iterable[FileChangePlan | None]") -> list[str]:
    """The unified diff of all files; tokens are not shown."""
    return [line for plan in plans if plan and plan.changes for line in _diff(plan)]


def _diff(plan: "FileChangePlan") -> Iterator[str]:
    before, after = (_lines(data) for data in (plan.before, plan.after))
    name = short(plan.path)
    old = name if plan.before is not None else "/dev/null"
    new = name if plan.after is not None else "/dev/null"
    yield from difflib.unified_diff(before, after, old, new, lineterm="")


def _lines(data: bytes | None) -> list[str]:
    text = _TOKEN.sub(r"\1…", (data or b"").decode("utf-8", "replace"))
    lines = _NEWLINE.split(text)
    return lines if lines[-1] else lines[:-1]


def show(screen: TerminalOutput, lines: Iterable[str], *, full: bool) -> None:
    """Print a diff, no wider than the screen; long runs of lines only if all are wanted."""
    for sign, run in groupby(lines, key=lambda line: line[:1]):
        texts = list(run)
        if full or sign not in ("+", "-") or len(texts) <= _RUN:
            shown = texts
        else:
            more = f"{sign}  … {len(texts) - _RUN} more lines; all of them: --dry-run"
            shown = [*texts[: _RUN - _LAST], more, *texts[-_LAST:]]
        for line in shown:
            style = "bold" if line.startswith(("--- ", "+++ ")) else _COLOURS.get(sign, "")
            screen.say(" " + screen.paint(clip(line, screen.width - 1), style))


def tell(screen: TerminalOutput, mark: str, style: str, text: str) -> None:
    """A remark with a mark before it."""
    head, *rest = wrap(text, screen.width - 3)
    screen.say(f" {screen.paint(mark, style)} {head}")
    for line in rest:
        screen.say(f"   {line}")


def agreed(question: str, *, yes: bool, asks: bool) -> bool:
    """Ask, but only where somebody can answer."""
    if yes:
        return True
    if not (asks and sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("nobody can be asked here: add --yes to go ahead")
    return click.confirm(f" {question}", default=True)


def print_json(result: object) -> None:
    """The result for a program."""
    from handrail.cli.output.review_json import to_json

    sys.stdout.write(to_json(result).decode() + "\n")
