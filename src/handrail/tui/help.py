"""The keys: the line at the bottom, and the page behind `?`."""

from handrail.tui.commands import OFFERS, why_not
from handrail.tui.overview import Overview
from handrail.tui.text import Line, Span, columns

_OTHERS = (("⏎", "details"), ("/", "filter"), ("?", "help"), ("q", "quit"))
_MAX_LINES = 2

_PAGE = """
 Runs are on the left, what the chosen one does is on the right.

   ↑ ↓  j k        move                      ⇥  ← →   between runs and timeline
   PgUp PgDn       a page                    g  G     first, newest (and follow)
   ⏎               details, and close them   /        only what has this text in it
   Esc             close, clear the filter   q        leave; nothing happens to runs

 Commands are for the chosen run. Each asks for a reason, which may be empty.
 Esc sends nothing. Stop, cancel and undo have to be confirmed.

   p  pause        at the next step          f  freeze     its processes, at once
   r  resume       goes on                   i  interrupt  break off, then pause
   s  steer        tell the agent something  x  stop       ends it; r takes it up again
   d  redirect     another goal              K  cancel     ends it for good
   e  escalate     another model             c  checkpoint save the files
   u  undo         files back to the newest checkpoint

 ● working  ◆ waits for a prompt  ◌ quiet  ‖ held by a person  □ stopped by a person
 ■ needs you  ○ over
 ✓ ran  ! warned  ~ changed  ✗ stopped  – failed  … runs  ◆ finding  ↳ done about it
"""


def help_lines(run: Overview | None, width: int) -> list[Line]:
    """Which key does what; what cannot be done now is dim."""
    items = [(offer.key, offer.word, run is None or bool(why_not(run, offer))) for offer in OFFERS]
    lines: list[list[Span]] = [[]]
    used = 0
    for key, word, is_off in (*items, *((key, word, False) for key, word in _OTHERS)):
        size = columns(f" {key} {word} ")
        if used + size > width:
            if len(lines) == _MAX_LINES:
                break
            lines.append([])
            used = 0
        style = "dim" if is_off else ""
        lines[-1] += [Span(f" {key}", style or "key"), Span(f" {word} ", style)]
        used += size
    return [tuple(line) for line in lines]


def help_page() -> list[Line]:
    """Everything there is to know."""
    return [(Span(line),) for line in _PAGE.strip("\n").splitlines()]
