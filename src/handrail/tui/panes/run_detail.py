"""The details of one run."""

from handrail.tui.panes.fields import FieldLines
from handrail.tui.panes.run_words import standing_in_words
from handrail.tui.text import Line, StyledSpan, flat
from handrail.views.run_overview import RunOverview
from handrail.words.amounts import count, money
from handrail.words.interventions import finding_in_words
from handrail.words.run_signs import RUN_SIGNS
from handrail.words.times import clock_time, duration_in_words

_DECIDED = {"allow": "allowed", "warn": "warned", "modify": "changed", "block": "stopped"}


def run_detail(run: RunOverview, now: float, width: int) -> list[Line]:
    """Return all details of a run."""
    fields = FieldLines(width)
    look = RUN_SIGNS[run.state(now)]
    fields.title(StyledSpan(f"{look.mark} ", look.style), StyledSpan(flat(run.name), "bold"))
    fields.add("State", standing_in_words(run, now), look.style)
    fields.add("Goal", run.goal)
    fields.add("Held", run.held, "yellow")
    fields.add("Under way", ", ".join(run.under_way), "yellow")
    if run.trouble is not None:
        fields.add("Found", finding_in_words(run.trouble, run.cwd))
    if run.driven:
        most = f" of at most {run.iterations}" if run.iterations else ""
        fields.add("Iteration", f"{run.iteration}{most}")
        fields.add("Verify", run.verify)
    fields.add("Model", run.model)
    if run.cost or run.tokens:
        fields.add("Used", f"{money(run.cost)}, {count(run.tokens, 'token')}")
    decided = (f"{run.decided[key]} {word}" for key, word in _DECIDED.items() if key in run.decided)
    fields.add("Actions", f"{run.step} ({', '.join(decided)})" if run.decided else f"{run.step}")
    if run.checkpoint is not None:
        saved = run.checkpoint
        fields.add("Saved", f"{saved.id} at {clock_time(saved.at)}, after step {saved.step}")
    fields.add("Folder", run.cwd)
    fields.add("Began", f"{clock_time(run.started)}, {duration_in_words(now - run.started)} ago")
    fields.add("Heard of", f"{duration_in_words(now - run.changed)} ago")
    fields.add("Host", run.host, "dim")
    fields.add("Id", run.id, "dim")
    return fields.lines
