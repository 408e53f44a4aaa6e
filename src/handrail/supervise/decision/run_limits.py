"""Refuse actions of a run that is stopped, held, throttled, or over a limit."""

from collections.abc import Iterable

import msgspec

from handrail.config.schema import Limits
from handrail.model.action import SHELL_TOOLS, Action
from handrail.model.action_kind import ActionKind, action_kinds
from handrail.model.control import ENDING, HOLDING, Standing
from handrail.model.effect import Kind
from handrail.model.intervention import Allowance
from handrail.model.ordinal import Decision
from handrail.model.review import Review, Verdict
from handrail.review.tools.tool_effects import command_field
from handrail.supervise.decision.verdict import only_reads
from handrail.supervise.state.run_state import RunState

_CANCELLED = frozenset({Standing.CANCELLING, Standing.CANCELLED})
_MINUTE = 60.0
_ULIMIT = "ulimit -d {} 2>/dev/null\n{}"
"""Limits the memory that a process can write to. The address space (`-v`) would be too much: many
runtimes reserve far more of it than they use. Where a lower limit holds, it stays."""
_NO_ULIMIT = frozenset({"powershell"})
_FREEING = frozenset({Kind.READ, Kind.KILL})
_DOES = {
    ActionKind.FILE_READ: "read files",
    ActionKind.FILE_WRITE: "write files",
    ActionKind.FILE_DELETE: "delete files",
    ActionKind.SYSTEM_COMMAND: "run commands",
    ActionKind.NETWORK: "use the network",
}
_STOP_HERE = "Stop here, and say what is done and what is not."


def refusal_by_limits(
    state: RunState, review: Review, limits: Iterable[Limits], now: float
) -> Verdict | None:
    """Return the refusal by a limit or an intervention, or None."""
    if state.course.stopped:
        return Verdict(
            Decision.BLOCK,
            f"Handrail has stopped this run (incident {state.course.stopped}).",
            "Do nothing more. A person decides how it goes on: "
            f"handrail incident show {state.course.stopped}",
            stop=True,
        )
    refused = _stands(state) or _over(state, limits, now) or _out_of_tokens(state)
    if refused is not None:
        return refused
    if only_reads(review):
        return _too_fast(state, now)
    if state.course.held:
        return Verdict(
            Decision.BLOCK,
            "Handrail is putting the files back to a checkpoint.",
            "Wait a moment; then read the files again, because they are not what they were.",
            passing=True,
        )
    return (
        _too_fast(state, now)
        or _out_of_memory(state, review, limits)
        or _used_up(state)
        or _not_allowed(state, review)
    )


def _stands(state: RunState) -> Verdict | None:
    """Return the refusal for a run that a person has stopped, or holds for too long."""
    hand = state.hand
    who, why = hand.by or "a person", f": {hand.reason}" if hand.reason else "."
    if hand.standing in ENDING:
        done = "cancelled" if hand.standing in _CANCELLED else "stopped"
        return Verdict(
            Decision.BLOCK, f"This run was {done} by {who}{why}", "Do nothing more.", stop=True
        )
    if hand.standing in HOLDING:
        return Verdict(
            Decision.BLOCK,
            f"This run is paused by {who}{why}",
            "Wait, then make the same call again: it is held until the run goes on.",
            passing=True,
        )
    return None


def with_command_limits(action: Action, verdict: Verdict, allowance: Allowance | None) -> Verdict:
    """Return the verdict with the time and memory limits of a throttled command."""
    if allowance is None or action.tool.lower() not in SHELL_TOOLS:
        return verdict
    if verdict.decision is Decision.BLOCK:
        return verdict
    given = verdict.updated_input or action.input
    limited, says = given, []
    if (seconds := allowance.command_seconds) and not _is_within(given.get("timeout"), seconds):
        limited = {**limited, "timeout": seconds * 1000}
        says.append(f"It may run for {seconds} s, since the run was limited.")
    if megabytes := allowance.memory_mb:
        field = command_field(action) or ""
        command = given.get(field)
        if isinstance(command, str) and action.tool.lower() not in _NO_ULIMIT:
            limited = {**limited, field: _ULIMIT.format(megabytes * 1024, command)}
            says.append(f"Each process of it may use {megabytes:,} MB, since the run was limited.")
    if not says:
        return verdict
    return msgspec.structs.replace(
        verdict,
        decision=Decision.MODIFY,
        reason=verdict.reason or says[0],
        updated_input=limited,
        changes=(*verdict.changes, *says),
    )


def _is_within(asked: object, seconds: int) -> bool:
    return isinstance(asked, int | float) and 0 < asked <= seconds * 1000


def _over(state: RunState, limits: Iterable[Limits], now: float) -> Verdict | None:
    """Return the refusal for a run that has used up its limits, or None."""
    for each in limits:
        if each.actions and state.step >= each.actions:
            said = f"The run has taken its {each.actions} actions (limits.actions)."
        elif each.minutes and _minutes(state, now) > each.minutes:
            said = f"The run has had its {each.minutes:g} minutes (limits.minutes)."
        elif each.tokens and state.tokens >= each.tokens:
            said = f"The run has used {state.tokens:,} of {each.tokens:,} tokens (limits.tokens)."
        elif each.cost_usd and (state.cost_usd or 0.0) >= each.cost_usd:
            cost = f"${state.cost_usd:,.2f} of ${each.cost_usd:,.2f}"
            said = f"The run has cost {cost} (limits.cost_usd)."
        else:
            continue
        return Verdict(Decision.BLOCK, said, _STOP_HERE)
    return None


def _minutes(state: RunState, now: float) -> float:
    return (now - state.started - state.hand.held_for(now)) / 60 if state.started else 0.0


def _too_fast(state: RunState, now: float) -> Verdict | None:
    allowance = state.course.allowance
    if allowance is None:
        return None
    if allowance.batch and state.under_way >= allowance.batch:
        return Verdict(
            Decision.BLOCK,
            f"Only {_calls(allowance.batch)} may run at the same time since the run was throttled.",
            "Make the calls one after the other.",
            passing=True,
        )
    # After a clock was set back, not all calls belong to the last minute.
    recent = sum(1 for at in state.course.calls if 0 <= now - at < _MINUTE)
    if allowance.calls_per_minute and recent >= allowance.calls_per_minute:
        return Verdict(
            Decision.BLOCK,
            f"The run was throttled to {_calls(allowance.calls_per_minute)} a minute, "
            "and has made them.",
            "Wait a minute, then make only the call you really need.",
            passing=True,
        )
    return None


def _out_of_memory(state: RunState, review: Review, limits: Iterable[Limits]) -> Verdict | None:
    """Return the refusal while a run uses too much memory; it may end its processes."""
    most = min((each.memory_mb for each in limits if each.memory_mb), default=0.0)
    used = state.usage.memory_mb
    if not most or used <= most or all(effect.kind in _FREEING for effect in review.effects):
        return None
    return Verdict(
        Decision.BLOCK,
        f"The processes of the run use {used:,.0f} of {most:,.0f} MB (limits.memory_mb).",
        "End what still runs and is not needed; then make the call again.",
        passing=True,
    )


def _out_of_tokens(state: RunState) -> Verdict | None:
    """Return the refusal of a throttled run: reading costs tokens as well."""
    allowance = state.course.allowance
    if allowance is None or not allowance.tokens or state.course.tokens < allowance.tokens:
        return None
    return _left_to_it(f"the {allowance.tokens:,} tokens")


def _used_up(state: RunState) -> Verdict | None:
    allowance = state.course.allowance
    if allowance is None or not allowance.file_operations:
        return None
    if state.course.changes < allowance.file_operations:
        return None
    return _left_to_it(f"the {allowance.file_operations} file changes")


def _left_to_it(said: str) -> Verdict:
    says = f"The run has used {said} that were left to it when it was throttled."
    return Verdict(Decision.BLOCK, says, _STOP_HERE)


def _not_allowed(state: RunState, review: Review) -> Verdict | None:
    """Return the refusal for a kind of action that the run may not take any more."""
    allowance = state.course.allowance
    if allowance is None or not allowance.refuses:
        return None
    found = next((kind for kind in action_kinds(review) if kind in allowance.refuses), None)
    if found is None:
        return None
    return Verdict(
        Decision.BLOCK,
        f"Since an incident, this run may not {_DOES[found]}.",
        "Do the task without it, or leave this part to a person and say so.",
        overrulable=True,
    )


def _calls(count: int) -> str:
    return "1 call" if count == 1 else f"{count} calls"
