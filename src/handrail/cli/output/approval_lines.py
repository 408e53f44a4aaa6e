"""Questions to a person on the terminal: what waits, why, and how to answer."""

from collections.abc import Sequence

from handrail.api.messages.approvals import EditVerdict
from handrail.cli.output.terminal import TerminalOutput, visible
from handrail.model.ordinal import Decision
from handrail.views.approval_feed import ApprovalView
from handrail.words.run_signs import NEEDS_YOU, RUN_SIGNS
from handrail.words.times import duration_in_words

_LABEL = 20
_COLOURS = {"+": "green", "-": "red", "@": "dim"}
_DOES = {
    Decision.ALLOW: "Nothing speaks against it.",
    Decision.WARN: "It may run",
    Decision.MODIFY: "Handrail changes it before it runs",
    Decision.BLOCK: "Handrail would stop it, too",
}


def list_approvals(screen: TerminalOutput, found: Sequence[ApprovalView], now: float) -> None:
    """Print the questions; the action in full, because a person answers for all of it."""
    for index, each in enumerate(found):
        if index:
            screen.say()
        _show(screen, each, now)


def _show(screen: TerminalOutput, view: ApprovalView, now: float) -> None:
    asked = view.approval
    name = screen.paint(asked.id, "bold")
    mark = screen.paint(*RUN_SIGNS[NEEDS_YOU])
    age, left = (duration_in_words(each) for each in (now - asked.asked, asked.until - now))
    times = screen.paint(f"{age} ago, {left} left", "dim")
    screen.say(f" {mark} {name}  {visible(view.run_name)}  {', '.join(asked.kinds)}  {times}")
    screen.paragraph(asked.says, indent=3)
    facts = (
        ("Why you are asked", view.why),
        ("It would", view.would),
        ("Tests", view.tests),
    )
    for label, text in facts:
        if text:
            screen.paragraph(f"{label:<{_LABEL}}{text}", indent=3)
    edit = f" · handrail approve {asked.id} --edit COMMAND" if view.editable else ""
    screen.say(f"   handrail approve {asked.id}{edit} · handrail deny {asked.id} --reason TEXT")


def show_edit(screen: TerminalOutput, verdict: EditVerdict) -> None:
    """Print the verdict on an edited action."""
    screen.paragraph(verdict.says)
    reason = f": {verdict.reason}" if verdict.reason else ""
    screen.paragraph(f"{_DOES[Decision(verdict.decision)]}{reason}")
    for change in verdict.changes:
        screen.paragraph(change, indent=3)


def show_rule(screen: TerminalOutput, diff: str) -> None:
    """Print the change of the user's file, uncut: the person agrees to all of it."""
    for line in diff.splitlines():
        style = "bold" if line.startswith(("--- ", "+++ ")) else _COLOURS.get(line[:1], "")
        screen.say(" " + screen.paint(visible(line), style))


def approval_json(view: ApprovalView) -> dict[str, object]:
    """Return a question as JSON."""
    asked = view.approval
    return {
        "id": asked.id,
        "run": view.run,
        "name": view.run_name,
        "says": asked.says,
        "kinds": asked.kinds,
        "asked": asked.asked,
        "until": asked.until,
        "agent": asked.agent,
        "refused": asked.refused,
        "why": view.why,
        "would": view.would,
        "tests": view.tests,
    }
