"""The keys: the lines at the bottom, and the page behind `?`."""

from collections.abc import Iterator
from itertools import zip_longest

from handrail.model.control import ControlCommand
from handrail.tui.sending.commands import why_not
from handrail.tui.state.run_overview import RunOverview
from handrail.tui.text import Line, StyledSpan, width_of

_OTHERS = (("⏎", "details"), ("/", "filter"), ("?", "help"), ("q", "quit"))
_MAX_LINES = 2

_PAGE = """
 The runs are on the left, the events of the chosen run on the right.

   ↑ ↓  j k    move                       ⇥  ← →  between runs and timeline
   PgUp PgDn   a page                     g  G    first, newest (and follow)
   ⏎           open or close details      /       filter
   Esc         close; clear the filter    q       quit; the runs continue
   Y  N        approve, deny what waits

 Commands go to the chosen run. Each asks for a reason, which may be empty.
 Esc cancels. You have to confirm: {confirmed}.

{commands}

 ● working  ◆ waits for a prompt  ◌ quiet  ‖ held  ■ stopped  ○ over
 ✓ ran  ! warned  ~ changed  ✗ stopped  – failed  … runs  ◆ found  ↳ done
"""


def help_lines(run: RunOverview | None, width: int) -> list[Line]:
    """Return the keys; impossible commands are dim. If there is no room, only `?` shows all."""
    items = [
        *(
            _item(each.spec.on_screen.key, each.word, run is None or why_not(run, each))
            for each in ControlCommand
        ),
        *(_item(key, word, "") for key, word in _OTHERS),
    ]
    lines = _flowing(items, width)
    if len(lines) > _MAX_LINES:
        help_item = _item("?", "help", "")
        lines = _flowing(items, width - width_of(help_item))[:_MAX_LINES]
        lines[-1] += help_item
    return lines


def _item(key: str, word: str, is_off: object) -> Line:
    return StyledSpan(f" {key}", "dim" if is_off else "bold"), StyledSpan(
        f" {word} ", "dim" if is_off else ""
    )


def _flowing(items: list[Line], width: int) -> list[Line]:
    lines: list[Line] = [()]
    for item in items:
        if lines[-1] and width_of(lines[-1]) + width_of(item) > width:
            lines.append(())
        lines[-1] += item
    return lines


def help_page() -> list[Line]:
    """Return the page of all keys."""
    confirmed = ", ".join(each.word for each in ControlCommand if each.spec.confirm)
    page = _PAGE.format(confirmed=confirmed, commands="\n".join(_command_lines()))
    return [(StyledSpan(line),) for line in page.strip("\n").splitlines()]


def _command_lines() -> Iterator[str]:
    """Yield key, word and meaning of each command, in two columns."""
    items = [
        f"{each.spec.on_screen.key}  {each.word:<12}{each.spec.on_screen.short}"
        for each in ControlCommand
    ]
    half = (len(items) + 1) // 2
    for left, right in zip_longest(items[:half], items[half:], fillvalue=""):
        yield f"   {left:<39}{right}".rstrip()
