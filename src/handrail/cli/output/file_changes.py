"""Changes to settings files: show them, and ask before they are made."""

import difflib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

import click

from handrail.cli.output.terminal import TerminalOutput, clip
from handrail.hosts.port import HostAdapter
from handrail.hosts.settings_file import FileChangePlan
from handrail.model.host import known_hosts

_NEWLINE = re.compile(r"\r\n|\n|\r")
_TOKEN = re.compile(r'(Bearer )[^"\s]*')
_RUN, _LAST = 26, 4
_COLOURS = {"+": "green", "-": "red", "@": "dim"}


_HOSTS = [host.name for host in known_hosts()]


def _check_host(context: click.Context, _: click.Parameter, typed: str | None) -> str:
    if typed is None:
        raise click.UsageError(f"which host? For example: {context.command_path} {_HOSTS[0]}")
    if typed not in _HOSTS:
        raise click.UsageError(f"there is no host {typed!r}; Handrail knows {', '.join(_HOSTS)}")
    return typed


host_argument = click.argument(
    "host", required=False, metavar="|".join(_HOSTS), callback=_check_host
)


def choose_file(host: HostAdapter, user: bool, project: str | None) -> tuple[str, str]:
    """Return the settings file, and the project's folder if the file belongs to a project."""
    if project is None:
        return host.settings_file(os.environ, ""), ""
    if user:
        raise click.UsageError("use --user or --project, not both")
    folder = os.path.abspath(project)
    if not os.path.isdir(folder):
        raise click.UsageError(f"--project {project}: there is no such folder")
    return host.settings_file(os.environ, folder), folder


def short_path(path: str, folder: str = "", environ: Mapping[str, str] = os.environ) -> str:
    """Shorten a path relative to the folder or the home folder."""
    names = [path]
    for base, name in ((folder or os.getcwd(), "."), (environ.get("HOME", ""), "~")):
        if base and path.startswith(f"{base}/"):
            names.append(path.replace(base, name, 1))
    return min(names, key=len)


def settings_diff(plans: Iterable[FileChangePlan | None]) -> list[str]:
    """Return the unified diff of all files, without tokens."""
    return [line for plan in plans if plan and plan.changes for line in _diff(plan)]


def _diff(plan: FileChangePlan) -> Iterator[str]:
    before, after = (_lines(data) for data in (plan.before, plan.after))
    name = short_path(plan.path)
    old = name if plan.before is not None else "/dev/null"
    new = name if plan.after is not None else "/dev/null"
    yield from difflib.unified_diff(before, after, old, new, lineterm="")


def _lines(data: bytes | None) -> list[str]:
    text = _TOKEN.sub(r"\1…", (data or b"").decode("utf-8", "replace"))
    lines = _NEWLINE.split(text)
    return lines if lines[-1] else lines[:-1]


def show_diff(screen: TerminalOutput, lines: Iterable[str], *, full: bool) -> None:
    """Print a diff, no wider than the screen; without `full`, shorten long runs of lines."""
    for sign, run in groupby(lines, key=lambda line: line[:1]):
        texts = list(run)
        if full or sign not in ("+", "-") or len(texts) <= _RUN:
            shown = texts
        else:
            more = f"{sign}  … {len(texts) - _RUN} more lines; --dry-run shows all"
            shown = [*texts[: _RUN - _LAST], more, *texts[-_LAST:]]
        for line in shown:
            style = "bold" if line.startswith(("--- ", "+++ ")) else _COLOURS.get(sign, "")
            screen.say(" " + screen.paint(clip(line, screen.width - 1), style))


def ask_to_agree(question: str, *, yes: bool, asks: bool, default: bool = True) -> bool:
    """Ask the user; fail if nobody can answer."""
    if yes:
        return True
    if not (asks and sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("this needs a confirmation; add --yes to go ahead")
    return click.confirm(f" {question}", default=default)
