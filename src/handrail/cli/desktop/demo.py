"""`handrail desktop demo`: a dialog blocks a replay, and Handrail clears the way."""

import click

from handrail.cli.output.terminal import TerminalOutput
from handrail.desktop.packages import load


def play_demo(screen: TerminalOutput, pictures: str) -> int:
    """Play the story, and return 0 if every file is right in the end.

    `pictures`: a folder for two pictures, before and after; empty: none are kept. Raises
    MissingPackageError, and ClickException if a program is missing.
    """
    load("handrail.testing.desktop_bed")
    from handrail.cli.desktop.demo_stage import open_desktop_stage
    from handrail.cli.desktop.demo_story import DesktopStory, tempo
    from handrail.testing.desktop_bed import DesktopBedError, MissingProgramError

    pace = tempo()
    try:
        with open_desktop_stage(step=pace.step, interval=pace.interval) as stage:
            return DesktopStory(screen, stage, pace, pictures).play()
    except MissingProgramError as error:
        raise click.ClickException(f"the demo needs a desktop of its own: {error}") from None
    except DesktopBedError as error:
        raise click.ClickException(f"the desktop of the demo does not work: {error}") from None
