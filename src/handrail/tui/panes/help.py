"""The page of all keys and signs, behind `?`."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from handrail.model.control import ControlCommand
from handrail.tui.sending.task_commands import TASK_COMMANDS
from handrail.views.run_groups import GROUPS

_PAGE = """\
 ↑ ↓  j k    move                       ⇥  ← →  runs, timeline
 PgUp PgDn   a page                     g  G    first, newest (and follow)
 ⏎           open or close details      /       filter
 a           decide, where ▲ needs you  z       one pane alone, and back
 Esc         close; clear the filter    ^p      all commands, themes
 ?           this page                  q       quit; the runs continue

 Commands go to the chosen run. Each asks for a reason, which may be empty.
 ⏎ sends it, Esc does not.

{commands}
{tasks}
 {groups}  ◌ quiet
 ✓ ran  ! warned  ~ changed  ✗ stopped  – failed  … running  ▲ asked you
 ◆ found  ↳ done about it  ▪ files saved
 risk ▁▂▃▄▅▆▇█ of the last actions, the newest on the right
"""


_TASKS = """
 T gives the keys to the tasks. There:

{commands}
"""


class HelpScreen(ModalScreen[None]):
    """All keys and signs."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,question_mark,enter,q", "leave", "close")]

    def __init__(self, *, with_tasks: bool = False) -> None:
        super().__init__()
        self._with_tasks = with_tasks

    def compose(self) -> ComposeResult:
        """Show the page in a window."""
        with VerticalScroll(id="help") as window:
            window.border_title = "Keys and signs"
            yield Static(Text(help_text(with_tasks=self._with_tasks)), id="help-text")

    def action_leave(self) -> None:
        """Close the page."""
        self.dismiss()


def help_text(*, with_tasks: bool = False) -> str:
    """Return the page of all keys. `with_tasks`: there is a fleet, whose keys are on it, too."""
    tasks = _TASKS.format(commands="\n".join(_task_lines())) if with_tasks else ""
    groups = "  ".join(f"{group.mark} {group.title}" for group in GROUPS)
    return _PAGE.format(commands="\n".join(_command_lines()), tasks=tasks, groups=groups)


def _command_lines() -> Iterator[str]:
    """Yield key, word and meaning of each command, in two columns."""
    items = [
        f"{each.spec.on_screen.key}  {each.word:<11}{each.spec.on_screen.short}"
        for each in ControlCommand
    ]
    yield from _in_two_columns(items)


def _task_lines() -> Iterator[str]:
    """Yield key, word and meaning of each command about tasks, in two columns."""
    items = [f"{each.key}  {each.word:<11}{each.short}" for each in TASK_COMMANDS.values()]
    yield from _in_two_columns([*items, f"o  {'its run':<11}watch and control it"])


def _in_two_columns(items: list[str]) -> Iterator[str]:
    half = (len(items) + 1) // 2
    for left, right in zip_longest(items[:half], items[half:], fillvalue=""):
        yield f" {left:<38}{right}".rstrip()
