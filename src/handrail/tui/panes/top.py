"""The lines at the top: how many runs there are, and what is wrong with Handrail itself."""

from handrail.tui.panes.run_words import count_by_group
from handrail.tui.state.screen_state import ScreenState
from handrail.tui.text import Line, StyledSpan, flat, width_of
from handrail.words.hosts import with_hosts

_NOTHING_YET = with_hosts("No runs yet. Start a $title session. Nothing appears? handrail doctor")
_DAEMON_IS_DOWN = (
    "The daemon is not running, so agents can only read. "
    "The next session or prompt starts it, and so does any command here."
)


def top_line(watching: ScreenState, width: int) -> Line:
    """Return the name, the number of runs, and how many are in which group."""
    view = watching.view
    number = len(view.runs)
    text = f" {number} {'run' if number == 1 else 'runs'}"
    if view.left_out:
        text += f" ({view.left_out} more: handrail status --all)"
    if view.loading:
        text += f"  reading {view.loading} more …"
    head: Line = (StyledSpan("handrail ", "bold"), StyledSpan(text))
    groups = count_by_group(view.runs, watching.now, width - width_of(head) - 2)
    gap = width - width_of(head) - width_of(groups)
    return (*head, StyledSpan(" " * max(gap, 2)), *groups)


def alerts(watching: ScreenState) -> str:
    """Return what keeps Handrail from working, or ""."""
    view = watching.view
    problem = f"{flat(view.problem)}; still trying" if view.problem else ""
    down = _DAEMON_IS_DOWN if view.daemon_is_down and view.runs else ""
    return "\n".join(f"! {text}" for text in (down, problem) if text)


def empty_page(watching: ScreenState) -> str:
    """Return what to say where there are no runs, or ""."""
    view = watching.view
    if view.runs or view.fleets:
        return ""
    if view.problem:
        return "handrail doctor says what to do about it"
    return "reading the log …" if view.is_first or view.loading else _NOTHING_YET
