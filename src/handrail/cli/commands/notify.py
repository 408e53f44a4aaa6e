"""`handrail notify`: send a test notification."""

import os

import click

from handrail.cli import options
from handrail.cli.history.runs import find_home
from handrail.cli.output.json_line import print_json
from handrail.config.notify import MissingVariableError, Notify, fill_in_variables
from handrail.intervene.notify import Notification, NotSentError, send_notification


@click.command()
@options.config_option
@options.json_option("Print JSON.")
@options.color_option
def command(config_file: str | None, as_json: bool) -> int:
    """Send a test message to every address in `notify.urls`.

    Handrail notifies people of emergency stops, and of findings at or above
    `notify.severity`. Keep passwords out of handrail.yaml: write `${NAME}` in an
    address, and Handrail reads NAME from secrets.env in its state folder.

    \b
    Example, in handrail.yaml:
      notify:
        urls: ["mailtos://you:${MAIL_PASSWORD}@example.com"]

    \b
    Examples:
      handrail notify
      handrail notify --config ~/work/shop/handrail.yaml

    Exit code: 0; 1 if a message could not be sent; 2 for an error.
    """
    options.by_a_person()
    settings = options.load_config(os.getcwd(), config_file=config_file).notify
    if not settings.urls:
        raise click.ClickException(
            "no addresses are in force: handrail.yaml has none in `notify.urls`, or nobody has "
            "confirmed them (handrail config trust)"
        )
    results = _send(settings)
    if as_json:
        print_json({"sent": not any(results.values()), "addresses": results})
    else:
        screen = options.screen()
        for shown, problem in results.items():
            mark, style = ("✗", "red") if problem else ("✓", "green")
            screen.say(f" {screen.paint(mark, style)} {shown}  {problem or 'sent'}")
    return 1 if any(results.values()) else 0


def _send(settings: Notify) -> dict[str, str]:
    """Send to each address; return the problem (or "") by the address without its secrets."""
    message = Notification("Handrail: a test", "If you can read this, notifications work.")
    secrets = find_home().secrets()
    results = {}
    for number, url in enumerate(settings.urls, 1):
        problem = ""
        try:
            send_notification((fill_in_variables(url, secrets),), message)
        except (MissingVariableError, NotSentError) as error:
            problem = str(error)
        results[f"{number}. {url.partition('://')[0]}://…"] = problem
    return results
