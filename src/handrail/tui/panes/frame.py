"""The whole screen as lines."""

from handrail.tui.panes.entry_detail import entry_detail
from handrail.tui.panes.help import help_lines, help_page
from handrail.tui.panes.run_detail import run_detail
from handrail.tui.panes.runs import LOOKS, count_by_state, run_lines, standing_in_words
from handrail.tui.panes.scrolling import visible_window
from handrail.tui.panes.timeline import entry_lines
from handrail.tui.state.screen_state import ScreenState
from handrail.tui.text import Line, StyledSpan, clip, columns, fitted, flat, pad, width_of, wrap
from handrail.words.hosts import with_hosts

_WIDE = 140
_MAX_QUESTION = 4
_MAX_HEADER = 2
_MAX_NOTICE = 2
_BLANK: Line = (StyledSpan(""),)
_NOTHING_YET = with_hosts("No runs yet. Start a $title session. Nothing appears? handrail doctor")


def screen_lines(watching: ScreenState, width: int, height: int) -> list[Line]:
    """Return exactly `height` lines, each exactly `width` wide."""
    above = _top(watching, width)
    left = _left_width(width)
    is_split = bool(watching.view.runs) and not watching.helping
    below = _bottom(watching, width)
    room = max(height - len(above) - len(below) - 1, 0)
    lines = [*above]
    if is_split:
        lines += _body(watching, left, width, room)
    else:
        lines += _page(watching, width, room)
    rule = _rule(width, left if is_split and not watching.detail else 0)
    shown = [*lines, rule, *below][-height:] if height else []
    return [fitted(line, width) for line in [*shown, *[_BLANK] * (height - len(shown))]]


def _left_width(width: int) -> int:
    if width >= _WIDE:
        return min(80, width * 45 // 100)
    return max(min(46, width * 2 // 5), 10)


def _top(watching: ScreenState, width: int) -> list[Line]:
    view = watching.view
    number = len(view.runs)
    text = f" {number} {'run' if number == 1 else 'runs'}"
    if view.left_out:
        text += f" ({view.left_out} more: handrail status --all)"
    if view.loading:
        text += f"  reading {view.loading} more …"
    if watching.filters["runs"]:
        text += f"  /{watching.filters['runs']}"
    head: Line = (StyledSpan(" handrail ", "bold"), StyledSpan(text))
    kinds = count_by_state(view.runs, watching.now, width - width_of(head) - 3)
    gap = width - width_of(head) - width_of(kinds) - 1
    first = (*head, StyledSpan(" " * max(gap, 2)), *kinds)
    if not view.problem:
        return [first]
    problem = clip(flat(f"{view.problem}; still trying"), width - 3)
    return [first, (StyledSpan(f" ! {problem}", "red"),)]


def _rule(width: int, at: int) -> Line:
    cross = "┴" if at else "─"
    return (StyledSpan("─" * at + cross + "─" * (width - at - 1), "dim"),)


def _bottom(watching: ScreenState, width: int) -> list[Line]:
    """Return the keys and the last command, or the open question."""
    if watching.asking is not None:
        found = wrap(watching.asking.head, width - 2)[:_MAX_QUESTION]
        word, _, rest = found[0].partition("  ")
        style = "red" if watching.asking.command.spec.confirm else "bold"
        first = (StyledSpan(f" {word}  ", f"bold {style}"), StyledSpan(rest))
        return [first, *((StyledSpan(f" {line}"),) for line in found[1:]), _typed(watching, width)]
    last = [_typed(watching, width)] if watching.filtering else _last(watching, width)
    return [*help_lines(watching.run, width), *last]


def _typed(watching: ScreenState, width: int) -> Line:
    return watching.typed.line(f" {watching.prompt}", width)


def _last(watching: ScreenState, width: int) -> list[Line]:
    """Return the notice for the last key, or the progress of the last command."""
    if watching.notice:
        lines = wrap(flat(watching.notice), width - 2, _MAX_NOTICE)
        return [(StyledSpan(f" {line}", "yellow"),) for line in lines]
    if not watching.sent:
        return [_BLANK]
    sent = watching.sent[-1]
    run = next((run for run in watching.view.runs if run.id == sent.order.run), None)
    first, *rest = sent.lines(run, width, chosen=sent.order.run == watching.chosen)
    others = sum(not each.is_over for each in watching.sent[:-1])
    more = StyledSpan(f"  (+{others} under way)" if others else "", "dim")
    return [(*first, more), *rest]


def _page(watching: ScreenState, width: int, room: int) -> list[Line]:
    if watching.helping:
        page = help_page()
        watching.scroll = min(watching.scroll, max(len(page) - room, 0))
        page = page[watching.scroll :]
    elif watching.view.problem:
        page = [(StyledSpan(" handrail doctor says what to do about it"),)]
    elif watching.view.is_first or watching.view.loading:
        page = [(StyledSpan(" reading the log …", "dim"),)]
    else:
        page = [(StyledSpan(f" {line}"),) for line in wrap(_NOTHING_YET, width - 2)]
    return [*page, *[_BLANK] * room][:room]


def _body(watching: ScreenState, left: int, width: int, room: int) -> list[Line]:
    details = _details(watching, width, room) if watching.detail else []
    room -= len(details)
    runs = _runs(watching, left, room)
    timeline = _timeline(watching, width - left - 2, room)
    bar = StyledSpan("│ ", "dim")
    lines = [
        (*fitted(one, left), bar, *fitted(other, width - left - 2))
        for one, other in zip(runs, timeline, strict=True)
    ]
    if details:
        details[0] = _rule(width, left)
    return [*lines, *details]


def _details(watching: ScreenState, width: int, room: int) -> list[Line]:
    """Return a rule and the details of the run or the entry."""
    height = max(room * 3 // 5, 0)
    run, entry = watching.run, watching.entry
    if run is None or height < 2:
        return []
    if watching.pane == "timeline" and entry is not None:
        lines = entry_detail(entry, watching.view.timeline, run.name, width)
    else:
        lines = run_detail(run, watching.now, width)
    height -= 1
    watching.scroll = min(watching.scroll, max(len(lines) - height, 0))
    watching.room = height
    shown = lines[watching.scroll : watching.scroll + height]
    more = len(lines) - watching.scroll - len(shown)
    if more:
        shown[-1] = (StyledSpan(f" … {more + 1} more lines: PgDn", "dim"),)
    return [_BLANK, *shown, *[_BLANK] * (height - len(shown))]


def _runs(watching: ScreenState, width: int, room: int) -> list[Line]:
    runs = watching.runs
    ids = [run.id for run in runs]
    cursor = ids.index(watching.chosen) if watching.chosen in ids else 0

    def lines_of(index: int) -> list[Line]:
        run = runs[index]
        is_chosen = run.id == watching.chosen
        lines = run_lines(run, width - 1, watching.now, chosen=is_chosen)
        has_keys = is_chosen and watching.pane == "runs"
        return [_reversed(fitted(lines[0], width)), *lines[1:]] if has_keys else lines

    top, shown = visible_window(len(runs), cursor, watching.tops["runs"], room, lines_of)
    watching.tops["runs"] = top
    lines = [line for _, each in shown for line in each]
    if not runs:
        lines = [(StyledSpan(" no run has that in it", "dim"),)]
    return [*lines, *[_BLANK] * room][:room]


def _timeline(watching: ScreenState, width: int, room: int) -> list[Line]:
    entries = watching.entries

    def lines_of(index: int) -> list[Line]:
        lines = entry_lines(entries[index], width)
        if index != watching.at or watching.pane != "timeline":
            return lines
        return [_reversed(fitted(lines[0], width)), *lines[1:]]

    top = watching.tops["timeline"] if watching.cursor is not None else len(entries)
    header = _header(watching, width)
    top, shown = visible_window(len(entries), watching.at, top, room - len(header), lines_of)
    watching.tops["timeline"] = top
    if not watching.detail:
        watching.room = max(len(shown), 1)
    lines = [line for _, each in shown for line in each]
    if watching.view.cut and top == 0 and watching.cursor is not None and watching.run is not None:
        lines = [(StyledSpan(f"… earlier: handrail log {flat(watching.run.name)}", "dim"),), *lines]
    return [*header, *lines, *[_BLANK] * room][:room]


def _header(watching: ScreenState, width: int) -> list[Line]:
    """Return the name and state of the run, with the filter and the number of newer entries."""
    run = watching.run
    if run is None:
        return [_BLANK]
    newer = f"↓ {watching.newer} newer (G)" if watching.newer else ""
    sought = watching.filters["timeline"]
    right = "  ".join(filter(None, (f"/{sought}" if sought else "", newer)))
    name = clip(flat(run.name), width // 2)
    look = LOOKS[run.state(watching.now)]
    room = max(width - columns(name) - 1 - (columns(right) + 1 if right else 0), 2)
    first, *rest = wrap(standing_in_words(run, watching.now), room, _MAX_HEADER)
    head = (StyledSpan(f"{name} ", "bold"), StyledSpan(pad(first, room), look.style))
    below = [(StyledSpan(" " * (columns(name) + 1)), StyledSpan(line, look.style)) for line in rest]
    return [(*head, StyledSpan(f" {right}" if right else "", "yellow")), *below]


def _reversed(line: Line) -> Line:
    """Reverse the line with the cursor, in one colour: others are hard to read in reverse."""
    return tuple(
        StyledSpan(text, "reverse bold" if "bold" in style else "reverse") for text, style in line
    )
