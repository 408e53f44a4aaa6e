"""`handrail config`: show the settings, check them, describe them."""

import json
import os
import sys

import click
import msgspec

from handrail.cli import options
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad
from handrail.config import ConfigError, Settings, load_settings
from handrail.config.json_schema import json_schema
from handrail.config.reference import render_reference
from handrail.review.judgment.rules import RuleSet

_MAX_KEY = 44


@click.group()
def command() -> None:
    """Show and check the settings.

    \b
    Examples:
      handrail config show                settings that are not defaults
      handrail config check               find mistakes in handrail.yaml
      handrail config schema > handrail.schema.json
    """


@command.command(short_help="Show settings and where they come from.")
@click.option("--all", "show_all", is_flag=True, help="Include defaults.")
@options.config_option
@options.json_option("Print JSON.")
@options.color_option
def show(show_all: bool, config_file: str | None, as_json: bool) -> int:
    """Show every setting that is not a default, and where it comes from.

    \b
    Examples:
      handrail config show
      handrail config show --all --json | jq '.[] | select(.key == "scope")'
    """
    settings = load_settings(os.getcwd(), config_path=config_file)
    rows = [
        (key, value, str(origin))
        for key, value, origin in settings.items()
        if show_all or str(origin) != "default"
    ]
    if as_json:
        print_json([{"key": key, "value": value, "from": origin} for key, value, origin in rows])
    elif rows:
        _table(options.screen(), rows)
    else:
        options.screen().say(" All settings are defaults. See them: handrail config show --all")
    return 0


def _table(screen: TerminalOutput, rows: list[tuple[str, object, str]]) -> None:
    """Print key, value and origin in columns. A long key gets a line of its own."""
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
    if isinstance(value, (tuple, list)):
        return ", ".join(_value(item) for item in value) or "none"
    if value == {}:
        return "none"
    if isinstance(value, str):
        return value or "empty"
    return msgspec.json.encode(value).decode().strip('"')


@command.command(short_help="Find mistakes in the settings.")
@click.argument("file", required=False, metavar="[FILE]")
@options.json_option("Print JSON.")
@options.color_option
def check(file: str | None, as_json: bool) -> int:
    """Report every mistake in the settings, or in one FILE.

    \b
    Examples:
      handrail config check
      handrail config check team/handrail.yaml

    Exit code: 0 if there is no mistake, 1 otherwise.
    """
    try:
        settings = load_settings(os.getcwd(), config_path=file)
    except ConfigError as error:
        problems = [str(problem) for problem in error.problems]
    else:
        problems = _unknown_names(settings)
    if as_json:
        print_json({"ok": not problems, "problems": problems})
    else:
        screen = options.screen()
        for problem in problems:
            screen.paragraph(problem, mark=screen.paint("✗", "red"))
        if not problems:
            screen.say(f" {screen.paint('✓', 'green')} The settings are valid.")
    return 1 if problems else 0


def _unknown_names(settings: Settings) -> list[str]:
    """Report disabled rules that do not exist; only `review` knows the names."""
    rules = settings.config.step_reviewer.rules
    key = "step_reviewer.rules.disabled"
    where = settings.origin(key)
    return [
        f"{where}: {key}: {says}" for says in RuleSet.invalid_names(rules.disabled, rules.custom)
    ]


@command.command()
def schema() -> int:
    """Print the JSON Schema of handrail.yaml, for editors.

    \b
    Example:
      handrail config schema > handrail.schema.json
    """
    sys.stdout.write(json.dumps(json_schema(), indent=2) + "\n")
    return 0


@command.command()
def reference() -> int:
    """Print a reference of all settings as Markdown.

    \b
    Example:
      handrail config reference | less
    """
    sys.stdout.write(render_reference())
    return 0
