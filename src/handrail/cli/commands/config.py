"""`handrail config`: the settings in force, what may be set, what is wrong."""

import os
import sys
from typing import TYPE_CHECKING

import click

from handrail.cli import options
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad

if TYPE_CHECKING:
    from handrail.config import Settings

_MAX_KEY = 44


@click.group()
def command() -> None:
    """Show, check and describe the settings.

    \b
    Examples:
      handrail config show                what differs from the defaults, and why
      handrail config check               is handrail.yaml right?
      handrail config schema > handrail.schema.json
    """


@command.command(short_help="What is set, and where it comes from.")
@click.option("--all", "show_all", is_flag=True, help="Defaults too.")
@options.config_option
@options.json_option("Print JSON.")
@options.color_option
def show(show_all: bool, config_file: str | None, as_json: bool) -> int:
    """Every setting that is not a default: key, value, where it comes from.

    \b
    Examples:
      handrail config show
      handrail config show --all --json | jq '.[] | select(.key == "scope")'
    """
    from handrail.config import load_settings

    settings = load_settings(os.getcwd(), config_path=config_file)
    rows = [
        (key, value, str(origin))
        for key, value, origin in settings.items()
        if show_all or str(origin) != "default"
    ]
    if as_json:
        import msgspec

        items = [{"key": key, "value": value, "from": origin} for key, value, origin in rows]
        sys.stdout.write(msgspec.json.encode(items).decode() + "\n")
    elif rows:
        _table(options.screen(), rows)
    else:
        options.screen().say(" All settings are defaults. See them: handrail config show --all")
    return 0


def _table(screen: TerminalOutput, rows: list[tuple[str, object, str]]) -> None:
    """Key, value and origin in columns; a key is never cut, it rather has a line of its own."""
    keys = min(max(columns(key) for key, _, _ in rows), _MAX_KEY)
    for key, value, origin in rows:
        source = "" if origin == "default" else clip(origin, screen.width // 3)
        room = screen.width - 3 - keys - (columns(source) + 2 if source else 0)
        shown = clip(_value(value), room)
        name = screen.paint(pad(clip(key, screen.width - 1), keys), "bold")
        if columns(key) > keys + room - columns(shown):
            screen.say(f" {name}")
            name = " " * keys
        room -= max(columns(key) - keys, 0) if name.strip() else 0
        screen.say(f" {name}  {pad(shown, room)}  {screen.paint(source, 'dim')}".rstrip())


def _value(value: object) -> str:
    import msgspec

    if isinstance(value, (tuple, list)):
        return ", ".join(_value(item) for item in value) or "none"
    if value == {}:
        return "none"
    if isinstance(value, str):
        return value or "empty"
    return msgspec.json.encode(value).decode().strip('"')


@command.command(short_help="Say what is wrong with the settings.")
@click.argument("file", required=False, metavar="[FILE]")
@options.json_option("Print JSON.")
@options.color_option
def check(file: str | None, as_json: bool) -> int:
    """Say everything that is wrong with the settings, or with one FILE.

    \b
    Examples:
      handrail config check
      handrail config check team/handrail.yaml

    Exit code: 0 if all is right, 1 if not.
    """
    from handrail.config import ConfigError, load_settings

    try:
        settings = load_settings(os.getcwd(), config_path=file)
    except ConfigError as error:
        problems = [str(problem) for problem in error.problems]
    else:
        problems = _unknown_names(settings)
    if as_json:
        import msgspec

        result = {"ok": not problems, "problems": problems}
        sys.stdout.write(msgspec.json.encode(result).decode() + "\n")
    else:
        screen = options.screen()
        for problem in problems:
            _problem(screen, problem)
        if not problems:
            screen.say(f" {screen.paint('✓', 'green')} The settings are right.")
    return 1 if problems else 0


def _unknown_names(settings: "Settings") -> list[str]:
    """Names of rules that mean nothing; only the review room knows them."""
    from handrail.review.judgement.rules import RuleSet

    rules = settings.config.step_reviewer.rules
    key = "step_reviewer.rules.disabled"
    where = settings.origin(key)
    return [f"{where}: {key}: {says}" for says in RuleSet.unknown(rules.disabled, rules.custom)]


def _problem(screen: TerminalOutput, problem: str) -> None:
    from handrail.cli.output.terminal import wrap

    head, *rest = wrap(problem, screen.width - 3)
    screen.say(f" {screen.paint('✗', 'red')} {head}")
    for line in rest:
        screen.say(f"   {line}")


@command.command()
def schema() -> int:
    """Print the JSON Schema of handrail.yaml, for editors.

    \b
    Example:
      handrail config schema > handrail.schema.json
    """
    import json

    from handrail.config.json_schema import json_schema

    sys.stdout.write(json.dumps(json_schema(), indent=2) + "\n")
    return 0


@command.command()
def reference() -> int:
    """Print the reference of all settings as Markdown.

    \b
    Example:
      handrail config reference | less
    """
    from handrail.config.reference import render_reference

    sys.stdout.write(render_reference())
    return 0
