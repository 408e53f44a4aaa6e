"""`handrail pipeline`: run a file of steps under review."""

import json
import os
import sys

import click

from handrail.cli import options
from handrail.cli.output.file_changes import ask_to_agree
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import visible
from handrail.config import ConfigError
from handrail.config.in_force import SettingsInForce
from handrail.config.layers import pipeline_text
from handrail.fleet.pipeline.json_schema import pipeline_schema
from handrail.fleet.pipeline.reading import Pipeline, given_variables, load_pipeline
from handrail.supervise.runs.settings_trust import trust_of, trusted_settings


@click.group()
def command() -> None:
    """Run a pipeline of steps under review.

    A pipeline is a YAML file. Its steps run one after the other: commands, agents and
    scripts. Handrail reviews each action before it runs. Each step is a run of its own:
    `handrail status`, `log`, `undo` and the others know it.

    \b
    Examples:
      handrail pipeline check ci.yaml
      handrail pipeline run ci.yaml --var branch=main
      handrail pipeline list
      handrail pipeline schema > pipeline.schema.json
    """


def _variables(
    _ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not sign or not name:
            raise click.UsageError(f"--var {each}: write NAME=VALUE")
        found[name] = value
    return found


@command.command(short_help="Run the steps of a pipeline.")
@click.argument("file", metavar="FILE")
@click.option(
    "--var",
    "variables",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_variables,
    help="Replace a value in `vars`. Repeatable.",
)
@click.option(
    "--yes", "accepted", is_flag=True, help="Start agents even where nothing could be undone."
)
@options.json_option("Print the result as JSON, when it is over.")
@options.color_option
def run(file: str, variables: dict[str, str], accepted: bool, as_json: bool) -> int:
    """Run the steps of a pipeline in this folder, each reviewed.

    A refused command does not run, and the result names it. Ctrl+C ends the processes of
    the step under way and prints what came of the steps before.

    \b
    Examples:
      handrail pipeline run ci.yaml
      handrail pipeline run ci.yaml --var branch=main --json | jq .review_summary

    Exit code: 0 if all steps ended well; 1 if a step failed; 2 for an error, such as a
    wrong file; 3 if Handrail blocked a step; 130 after Ctrl+C.
    """
    from handrail.cli.pipelines.shown_run import run_and_show

    options.by_a_person()
    folder = os.getcwd()
    try:
        pipeline = load_pipeline(file, folder, os.environ.get("HOME", ""))
        given_variables(pipeline, variables)
        return run_and_show(
            pipeline, variables, folder, os.environ, accepted=accepted, as_json=as_json
        )
    except ConfigError as error:
        first, *others = error.problems
        more = f" (and {len(others)} more: handrail pipeline check {file})" if others else ""
        raise click.ClickException(f"{first}{more}") from None


@command.command("list", short_help="List past and running pipelines.")
@click.option("--limit", type=click.IntRange(1, 500), default=20, show_default=True, metavar="N",
              help="The last N.")  # fmt: skip
@options.json_option("Print JSON.")
@options.color_option
def list_(limit: int, as_json: bool) -> int:
    """List the pipelines in the log, the latest first.

    \b
    Examples:
      handrail pipeline list
      handrail pipeline list --json | jq '.[] | select(.status == "running")'
    """
    from handrail.cli.pipelines.past_pipelines import recorded_rows, show_list

    rows = recorded_rows(limit)
    if as_json:
        print_json(rows)
    else:
        show_list(options.screen(), rows)
    return 0


@command.command(short_help="Show a past or running pipeline.")
@click.argument("pipeline", metavar="ID")
@options.json_option("Print JSON.")
@options.color_option
def show(pipeline: str, as_json: bool) -> int:
    """Show the steps of a pipeline, its refused actions and its reviews.

    ID is the beginning of an id from `handrail pipeline list`, or `last`.

    \b
    Examples:
      handrail pipeline show last
      handrail pipeline show 3f2a --json | jq .review
    """
    from handrail.cli.pipelines.past_pipelines import find_row, show_row

    row = find_row(pipeline)
    if as_json:
        print_json(row)
    else:
        show_row(options.screen(), row)
    return 0


@command.command(short_help="Find mistakes in a pipeline.")
@click.argument("file", metavar="FILE")
@options.json_option("Print JSON.")
@options.color_option
def check(file: str, as_json: bool) -> int:
    """Report every mistake in a pipeline, and run nothing.

    \b
    Example:
      handrail pipeline check ci.yaml

    Exit code: 0 if there is no mistake, 1 otherwise.
    """
    try:
        found = _settings(_load(file))
    except ConfigError as error:
        _show_problems(error, as_json=as_json)
        return 1
    withheld = [each.key for each in found.withheld]
    if as_json:
        print_json({"ok": True, "problems": [], "withheld": withheld})
        return 0
    screen = options.screen()
    screen.say(f" {screen.paint('✓', 'green')} The pipeline is valid.")
    if withheld:
        says = f"Its safety: loosens {', '.join(withheld)}, which counts after you confirm it:"
        screen.paragraph(says, mark=screen.paint("!", "yellow"))
        screen.say(f"   handrail pipeline trust {visible(file)}")  # on one line, for copying
    return 0


@command.command(short_help="Let the safety section of a pipeline loosen something.")
@click.argument("file", metavar="FILE")
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.json_option("Print JSON; without --yes, only show what it would loosen.")
@options.color_option
def trust(file: str, yes: bool, as_json: bool) -> int:
    """Show what the `safety:` of a pipeline loosens, and let it.

    What it forbids counts at once. What it loosens, compared with the settings of this
    folder, counts after you have confirmed it here. Handrail remembers that section for
    this repository; you can change the steps without confirming again.

    \b
    Example:
      handrail pipeline trust ci.yaml

    Exit code: 0; 1 if you said no, or --json shows something unconfirmed; 2 for an error.
    """
    options.by_a_person()
    pipeline = _load(file)
    found = _settings(pipeline)
    screen = options.screen()
    if not as_json:
        words = "loosens:" if found.laxer else "loosens nothing, so it counts as it is."
        screen.say(f" {visible(file)} {words}")
        for each in found.laxer:
            screen.paragraph(f"{each.key}: {each.says}", mark=screen.paint("·", "dim"))
    asked = bool(found.withheld)
    done = asked and (yes or (not as_json and ask_to_agree("Let it?", yes=False, asks=True)))
    if done and pipeline.safety is not None:
        trust_of(os.environ).confirm(pipeline_text(found.written, pipeline.safety))
    if as_json:
        laxer = [{"key": each.key, "from": each.was, "to": each.becomes} for each in found.laxer]
        print_json({"file": pipeline.file, "laxer": laxer, "confirmed": done or not asked})
    elif asked:
        words = "Confirmed." if done else "Nothing was changed: the stricter settings stay."
        screen.say(f" {words}")
    return 0 if done or not asked else 1


@command.command()
def schema() -> int:
    """Print the JSON Schema of pipelines, for editors.

    \b
    Example:
      handrail pipeline schema > pipeline.schema.json
    """
    sys.stdout.write(json.dumps(pipeline_schema(), indent=2) + "\n")
    return 0


def _load(file: str) -> Pipeline:
    return load_pipeline(file, os.getcwd(), os.environ.get("HOME", ""))


def _settings(pipeline: Pipeline) -> SettingsInForce:
    return trusted_settings(os.getcwd(), os.environ, pipeline.safety)


def _show_problems(error: ConfigError, *, as_json: bool) -> None:
    problems = [str(each) for each in error.problems]
    if as_json:
        print_json({"ok": False, "problems": problems, "withheld": []})
        return
    screen = options.screen()
    for problem in problems:
        screen.paragraph(problem, mark=screen.paint("✗", "red"))
