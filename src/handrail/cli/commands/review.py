"""`handrail review`: judge one command, or many as JSON lines."""

import os
import sys
from typing import TYPE_CHECKING

import click

from handrail.cli import options

if TYPE_CHECKING:
    from handrail.model.action import Action

_MAX_STDIN = 4 * 1024 * 1024


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, metavar="CMD", type=click.UNPROCESSED)
@click.option("--cwd", metavar="DIR", help="Where the command would run.")
@options.scope_option
@click.option("--goal", default="", metavar="TEXT", help="What the agent is working on.")
@options.config_option
@click.option("--tool", default="Bash", metavar="NAME", help="The tool that the agent calls.")
@click.option("--input", "given", metavar="JSON", help="The input of a tool other than a shell.")
@options.json_option("Print JSON; with `-`, answer JSON lines.")
@options.color_option
def command(
    words: tuple[str, ...],
    cwd: str | None,
    scope: tuple[str, ...],
    goal: str,
    config_file: str | None,
    tool: str,
    given: str | None,
    as_json: bool,
) -> int:
    """Show how Handrail judges a command. Handrail does not run it.

    CMD is one argument, so put it in quotes. `-` reads it from standard input.

    \b
    Examples:
      handrail review 'rm -rf build'
      handrail review --cwd ~/work/shop --scope ~/work/shop 'git clean -fdx'
      handrail review --tool Write --input '{"file_path": "/etc/hosts"}'
      handrail review --json - < actions.jsonl

    With `--json -`, each line of standard input is an action
    {"id": …, "tool": "Bash", "input": {"command": "ls"}, "cwd": "/work"}. Handrail
    answers each with one line {"id": …, "decision": "allow", "risk": 0.0, …}, in
    order. It blocks a line that it cannot read. `env` is optional. Without `cwd`,
    Handrail uses the first folder of --scope, or the current folder.

    \b
    Exit code:
      0  the command may run (allow, warn); JSON lines: every line has an answer
      1  the command may not run as written (modify, block)
      2  an error
    """
    words = _check(words)
    config = options.load_config(_folder(cwd), config_file=config_file, scope=scope, goal=goal)
    from handrail.review import Reviewer

    reviewer = Reviewer(config)
    folder = _folder(cwd)
    if scope and cwd is None:
        folder = options.scope_folder(config.scope) or folder
    if as_json and words == ("-",):
        from handrail.cli.review_lines import review_each_line

        review_each_line(sys.stdin.buffer, sys.stdout.buffer, reviewer, folder)
        return 0
    action = _action(words, tool, given, folder)
    from handrail.cli.bounded_review import bounded_review

    review = bounded_review(reviewer, action)
    if as_json:
        from handrail.cli.output.json_line import print_json
        from handrail.cli.output.review_json import review_json

        print_json(review_json(review))
    else:
        from handrail.cli.output.verdict_text import explain_verdict

        explain_verdict(options.screen(), action, review)
    return 1 if review.decision.stops else 0


def _check(words: tuple[str, ...]) -> tuple[str, ...]:
    """Reject unknown options and commands without quotes."""
    if words and words[0].startswith("-") and words[0] != "-":
        from handrail.model.near_names import did_you_mean

        known = [name for each in command.params for name in each.opts if name[:2] == "--"]
        hint = did_you_mean(words[0], known, "see handrail review --help")
        raise click.UsageError(f"there is no option {words[0]!r}; {hint}")
    if len(words) > 1:
        raise click.UsageError(f"put the command in quotes: handrail review '{' '.join(words)}'")
    return words


def _folder(cwd: str | None) -> str:
    return os.path.abspath(os.path.expanduser(cwd)) if cwd else os.getcwd()


def _action(words: tuple[str, ...], tool: str, given: str | None, folder: str) -> "Action":
    from handrail.model.action import SHELL_TOOLS, Action

    if given is not None:
        if words:
            raise click.UsageError("use a command or --input, not both")
        return Action(tool, _input(given), folder)
    if tool.lower() not in SHELL_TOOLS:
        raise click.UsageError(f"{tool} needs its input as JSON: --input '{{…}}'")
    if not words:
        raise click.UsageError("which command? For example: handrail review 'rm -rf build'")
    text = _stdin() if words == ("-",) else words[0]
    if "\0" in text:
        raise click.UsageError("the command contains a NUL byte")
    return Action(tool, {"command": text}, folder)


def _input(given: str) -> dict[str, object]:
    import msgspec

    try:
        return msgspec.json.decode(given, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise click.UsageError(f"--input must be a JSON object: {error}") from None


def _stdin() -> str:
    data = sys.stdin.buffer.read(_MAX_STDIN + 1)
    if len(data) > _MAX_STDIN:
        raise click.UsageError(f"the command is longer than {_MAX_STDIN // 1024 // 1024} MB")
    return data.decode("utf-8", "surrogateescape").removesuffix("\n")
