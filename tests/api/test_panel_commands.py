"""The buttons of the panel use the keys of the terminal's screen."""

import re
from pathlib import Path

from handrail.model.control import ControlCommand

COMMANDS = Path(__file__).parents[2] / "panel" / "src" / "pages" / "run" / "commands.ts"
ROW = re.compile(r'command: "(\w+)",\s+label: "[^"]+",\s+key: "(\w)"')


def test_each_command_has_a_button_with_the_key_of_the_terminal_screen() -> None:
    buttons = dict(ROW.findall(COMMANDS.read_text(encoding="utf-8")))
    keys = {each.value: each.spec.on_screen.key for each in ControlCommand}
    # Its place is the page of checkpoints, which shows first what would be lost.
    del keys["rollback"]
    assert buttons == keys


def test_a_command_that_the_screen_asks_about_takes_two_steps_in_the_panel() -> None:
    rows = COMMANDS.read_text(encoding="utf-8").split("  {")[1:]
    sure = {found[1] for row in rows if "confirm: true" in row and (found := ROW.search(row))}
    asked = {each.value for each in ControlCommand if each.spec.confirm} - {"rollback"}
    assert asked <= sure
