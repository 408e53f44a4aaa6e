"""`handrail notify`: see whether messages reach people."""

import os
from typing import TYPE_CHECKING

import click

from handrail.cli import options
from handrail.cli.history.runs import find_home
from handrail.cli.output.json_line import json_line

if TYPE_CHECKING:
    from handrail.config.notify import Notify


@click.command()
@options.config_option
@options.json_option("Print JSON.")
@options.color_option
def command(config_file: str | None, as_json: bool) -> int:
    """Send a test message to every address in `notify.urls`.

    People are told of emergency stops, and of findings from `notify.severity` on.
    Passwords do not stand in handrail.yaml: `${NAME}` in an address is taken
    from the file secrets.env in Handrail's state folder.

    \b
    Example, in handrail.yaml:
      notify:
        urls: ["mailtos://you:${MAIL_PASSWORD}@example.com"]

    \b
    Examples:
      handrail notify
      handrail notify --config ~/work/shop/handrail.yaml

    Exit code: 0; 1 if an address did not take it; 2 for an error.
    """
    from handrail.config import load_settings

    options.by_a_person()
    settings = load_settings(os.getcwd(), config_path=config_file).config.notify
    if not settings.urls:
        raise click.ClickException("there are no addresses in `notify.urls` of handrail.yaml")
    results = _send(settings)
    if as_json:
        click.echo(json_line({"sent": not any(results.values()), "addresses": results}))
    else:
        screen = options.screen()
        for shown, problem in results.items():
            mark, style = ("✗", "red") if problem else ("✓", "green")
            screen.say(f" {screen.paint(mark, style)} {shown}  {problem or 'took the message'}")
    return 1 if any(results.values()) else 0


def _send(settings: "Notify") -> dict[str, str]:
    """Each address, as it may be shown, and what was wrong; empty: nothing."""
    from handrail.config.notify import MissingVariableError, filled
    from handrail.intervene.notify import Notification, NotSentError, send

    message = Notification("Handrail: a test", "If you can read this, you will be told.")
    secrets = find_home().secrets()
    results = {}
    for number, url in enumerate(settings.urls, 1):
        problem = ""
        try:
            send((filled(url, secrets),), message)
        except (MissingVariableError, NotSentError) as error:
            problem = str(error)
        results[f"{number}. {url.partition('://')[0]}://…"] = problem
    return results
