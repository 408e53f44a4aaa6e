"""`handrail demo`: supervise a misbehaving agent in a scratch repository."""

import sys
import time
from contextlib import suppress

import click

from handrail.cli import options
from handrail.cli.demonstration.stage import DemoNote, DemoStage, DemoStep, open_stage
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad, wrap
from handrail.words.hosts import with_hosts

_PAUSE = 0.6
_TO_READ = 2.5
"""Seconds between two actions of an agent in the panel."""
_HASTY = 0.3
_NAME = 10
_FOR_A_NOTE = 0.5
_ACTION = 31
_BELOW = 11
_MARKS = {"allow": ("✓", "green"), "warn": ("!", "yellow"), "modify": ("~", "yellow"),
          "block": ("✗", "red")}  # fmt: skip
_FAILED = ("–", "")


@click.command()
@click.option("--fast", is_flag=True, help="Do not wait between the steps.")
@click.option("--panel", is_flag=True, help="Show it in the panel, until you press Ctrl+C.")
@click.option("--no-open", is_flag=True, help="With --panel: only print its link.")
@options.json_option("Print one JSON line per step and one for the summary.")
@options.color_option
def command(fast: bool, panel: bool, no_open: bool, as_json: bool) -> int:
    """Watch Handrail supervise an agent for half a minute.

    The agent tries dangerous things, then runs in circles. Handrail corrects it and
    finally stops it. The agent is a script. The repository, the daemon, the commands
    that Handrail allows, the rollback and the stop are real. The demo runs in a
    temporary folder and removes it afterwards. Refused commands never run.

    With --panel, the panel opens in your browser, and more agents work beside the
    first: one waits for your approval, one is paused, one has finished, two share
    tasks, and a pipeline runs. Everything that you do in the panel happens.

    \b
    Examples:
      handrail demo
      handrail demo --fast --no-color
      handrail demo --panel             watch it in the browser
      handrail demo --panel --no-open   print the link instead
    """
    if panel and as_json:
        raise click.UsageError("--panel and --json do not go together")
    if no_open and not panel:
        raise click.UsageError("--no-open needs --panel")
    if panel:
        _in_panel(no_open=no_open, fast=fast)
        return 0
    pause = 0.0 if fast or as_json or not sys.stdout.isatty() else _PAUSE
    with open_stage() as stage:
        if as_json:
            _as_json(stage)
        else:
            _as_story(stage, options.screen(), pause)
    return 0


def _in_panel(*, no_open: bool, fast: bool) -> None:
    """Show the panel until the person has seen enough."""
    from handrail.cli.demonstration.live_show import open_show, told
    from handrail.cli.panel_link import NOT_BUILT, choose_way, give_link
    from handrail.server.panel.files import is_built

    options.by_a_person()
    way = choose_way(no_open=no_open)
    if not is_built():
        raise click.ClickException(NOT_BUILT)
    screen = options.screen()
    with open_stage() as stage, open_show(stage, _HASTY if fast else _TO_READ):
        give_link(stage.handrail, way)
        for name, does in told():
            screen.say(f"   {screen.paint(pad(name, _NAME), 'bold')} {does}")
        screen.say("\n Ctrl+C ends the demo, and removes everything.")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            stage.over.wait()
    screen.say("\n The demo is over. Nothing is left of it.")


def _as_json(stage: DemoStage) -> None:
    for scene in stage.play():
        print_json(scene)
    incident = stage.incident()
    print_json({"summary": stage.counts(), "restored": stage.restored, "incident": incident})


def _as_story(stage: DemoStage, screen: TerminalOutput, pause: float) -> None:
    screen.say(f" You ask an agent: {screen.paint(stage.goal, 'bold')}")
    screen.say(screen.paint(f" It works in {clip(stage.project, screen.width - 13)}", "dim"))
    screen.say()
    for scene in stage.play():
        if scene.prompt:
            _restored(screen, stage)
            screen.say(f" You ask it: {screen.paint(scene.prompt, 'bold')}")
            screen.say()
        _line(screen, scene)
        sys.stdout.flush()
        time.sleep(pause)
        for note in scene.notes:
            _note(screen, note)
            sys.stdout.flush()
            time.sleep(pause * _FOR_A_NOTE)
    screen.say()
    if stage.incident():
        said = "shows what happened, why, and what you can do"
        screen.say(f" {screen.paint('✓', 'green')} handrail incident show   {said}")
    screen.say(" " + screen.paint("─" * (screen.width - 2), "dim"))
    _summary(screen, stage)


def _restored(screen: TerminalOutput, stage: DemoStage) -> None:
    """Print which files were brought back since the last prompt."""
    screen.say()
    for said in stage.restored:
        screen.say(f" {screen.paint('✓', 'green')} {clip(said, screen.width - 3)}")
    if stage.restored:
        screen.say()
    stage.restored.clear()


def _line(screen: TerminalOutput, scene: DemoStep) -> None:
    mark, style = _FAILED if scene.exit_code else _MARKS[scene.decision]
    text = clip(scene.shown, _ACTION)
    head = f" {scene.step:>2}  {scene.tool:<5} {pad(text, _ACTION)} "
    room = screen.width - columns(head) - 2
    first, *rest = wrap(scene.says, room, limit=4)
    screen.say(head + screen.paint(f"{mark} {first}".rstrip(), style))
    for line in rest:
        screen.say(" " * (columns(head) + 2) + screen.paint(line, style))
    below = f"undo: {scene.restore}" if scene.restore else ""
    if scene.told:
        below = f"told the agent: {scene.told}"
    if below:
        screen.paragraph(below, "dim", indent=_BELOW, mark=screen.paint("↳", "dim"))


def _note(screen: TerminalOutput, note: DemoNote) -> None:
    """Print a finding or an intervention."""
    mark = screen.paint(note.mark, note.style)
    screen.paragraph(note.says, note.style, indent=_BELOW, mark=mark, limit=3)


def _summary(screen: TerminalOutput, stage: DemoStage) -> None:
    counts = stage.counts()
    parts = [
        f"{counts['actions']:g} actions",
        screen.paint(f"{counts['ran']:g} ran", "green"),
        screen.paint(f"{counts['changed']:g} changed", "yellow"),
        screen.paint(f"{counts['stopped']:g} stopped", "red"),
        f"{counts['milliseconds']:.1f} ms per review",
    ]
    screen.say(" " + " · ".join(parts))
    parts = [
        f"{counts['findings']:g} findings",
        f"{counts['interventions']:g} interventions",
        screen.paint(f"{counts['helped']:g} helped", "green"),
        screen.paint(f"{counts['rollbacks']:g} rollback", "yellow"),
        screen.paint(f"{bool(stage.incident()):g} emergency stop", "red"),
    ]
    screen.say(" " + " · ".join(parts))
    screen.say()
    screen.say(with_hosts(" Next: handrail install $host       supervise your own sessions"))
    screen.say(
        with_hosts("       handrail replay $recordings     what would it have done last week?")
    )
    screen.say("       handrail review 'rm -rf x'    explain one verdict")
