"""`handrail config`: show the settings, check them, describe them."""

import json
import os
import sys

import click

from handrail.cli import options
from handrail.cli.output.file_changes import ask_to_agree
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad, visible
from handrail.config import ConfigError, CustomRule, Settings, load_settings
from handrail.config.in_force import SettingsInForce
from handrail.config.json_schema import json_schema
from handrail.config.reference import render_reference
from handrail.review.judgment.rules import Rule, RuleSet
from handrail.review.plugins import load_plugins
from handrail.supervise.runs.settings_trust import trust_of, trusted_settings, untrusted_notice
from handrail.words.settings import value_in_words

_MAX_KEY = 44


@click.group()
def command() -> None:
    """Show and check the settings.

    \b
    Examples:
      handrail config show                settings that are not defaults
      handrail config check               find mistakes in handrail.yaml
      handrail config trust               let handrail.yaml loosen something
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
    withheld = () if config_file else trusted_settings(os.getcwd(), os.environ).withheld
    unconfirmed = tuple(each.key for each in withheld)
    rows = [
        (key, value, str(origin))
        for key, value, origin in settings.items()
        if show_all or str(origin) != "default"
    ]
    if as_json:
        print_json(
            [
                {
                    "key": key,
                    "value": value,
                    "from": origin,
                    "in_force": not _is_part_of(key, unconfirmed),
                }
                for key, value, origin in rows
            ]
        )
    elif rows:
        screen = options.screen()
        if withheld:
            screen.paragraph(untrusted_notice(withheld), mark=screen.paint("!", "yellow"))
        _table(
            screen,
            [
                (key, value, f"{origin}, unconfirmed" if _is_part_of(key, unconfirmed) else origin)
                for key, value, origin in rows
            ],
        )
    else:
        options.screen().say(" All settings are defaults. See them: handrail config show --all")
    return 0


def _is_part_of(key: str, keys: tuple[str, ...]) -> bool:
    return any(key == each or key.startswith(f"{each}.") for each in keys)


def _table(screen: TerminalOutput, rows: list[tuple[str, object, str]]) -> None:
    """Print key, value and origin in columns. A long key gets a line of its own."""
    keys = min(max(columns(key) for key, _, _ in rows), _MAX_KEY)
    for key, value, origin in rows:
        source = "" if origin == "default" else clip(origin, screen.width // 3)
        room = screen.width - 3 - keys - (columns(source) + 2 if source else 0)
        shown = clip(value_in_words(value), room)
        name = screen.paint(pad(clip(key, screen.width - 1), keys), "bold")
        if columns(key) > keys + room - columns(shown):
            screen.say(f" {name}")
            name = " " * keys
        room -= max(columns(key) - keys, 0) if name.strip() else 0
        screen.say(f" {name}  {pad(shown, room)}  {screen.paint(source, 'dim')}".rstrip())


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
    others: list[CustomRule | Rule] = [*rules.custom, *load_plugins().rules]
    problems = RuleSet.invalid_names(rules.disabled, others)
    return [f"{where}: {key}: {says}" for says in problems]


@command.command(short_help="Let this project's handrail.yaml loosen something.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.json_option("Print JSON; without --yes, only show what it would loosen.")
@options.color_option
def trust(yes: bool, as_json: bool) -> int:
    """Show what this project's handrail.yaml loosens, and let it.

    An agent can bring in a handrail.yaml, and so can a repository you clone. What such a
    file forbids counts at once. What it loosens, compared with the defaults and your own
    ~/.config/handrail/handrail.yaml, counts after you have confirmed it here. Handrail
    remembers the content for this repository, with all its branches and work trees.

    \b
    Examples:
      handrail config trust               look at it, then decide
      handrail config trust --yes         in CI or a container

    Exit code: 0; 1 if you said no, or --json shows something unconfirmed; 2 for an error.
    """
    options.by_a_person()
    found, record = trusted_settings(os.getcwd(), os.environ), trust_of(os.environ)
    screen = options.screen()
    text = found.written.project
    if not as_json:
        _show_laxer(screen, found)
    asked = text is not None and bool(found.withheld)
    done = asked and (yes or (not as_json and _wants_it()))
    if text is not None and done:
        record.confirm(text)
    if as_json:
        print_json(
            {
                "file": text.file if text else "",
                "laxer": [
                    {"key": each.key, "from": each.was, "to": each.becomes} for each in found.laxer
                ],
                "confirmed": done or not asked,
            }
        )
    elif done:
        says = "Confirmed. Open sessions take it over with their next prompt."
        screen.paragraph(says, mark=screen.paint("✓", "green"))
    elif asked:
        screen.say(" Nothing was changed: the stricter settings stay in force.")
    return 0 if done or not asked else 1


def _wants_it() -> bool:
    return ask_to_agree("Let it?", yes=False, asks=True, default=False)


def _show_laxer(screen: TerminalOutput, found: SettingsInForce) -> None:
    """Print what the project's file loosens, one setting per line."""
    if found.written.project is None:
        screen.say(" This project has no handrail.yaml, so there is nothing to confirm.")
        return
    if not found.laxer:
        screen.say(" handrail.yaml loosens nothing, so it counts as it is.")
        return
    state = "loosens" if found.withheld else "was confirmed, and loosens"
    screen.say(f" {visible(found.written.project.file)} {state}:")
    for each in found.laxer:
        screen.paragraph(f"{each.key}: {each.says}", mark=screen.paint("·", "dim"))


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
