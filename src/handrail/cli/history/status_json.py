"""One run of `handrail status` for programs."""

import msgspec

from handrail.cli.history.status_row import StatusRow


def row_json(row: StatusRow) -> dict[str, object]:
    """Return a run with everything that `status` knows of it."""
    facts = row.facts
    hand, usage, found = facts.hand, facts.usage, facts.trouble
    return {
        "run": row.run.id,
        "name": row.run.name,
        "host": facts.host,
        "cwd": facts.cwd,
        "state": row.state,
        "quiet_seconds": round(row.quiet, 1),
        "started": facts.started,
        "changed": facts.changed,
        "goal": row.goal,
        **({"task": row.task} if row.task else {}),
        "model": facts.model,
        "actions": facts.step,
        "decisions": usage.decided,
        "overruled": usage.overruled,
        "breaches": usage.breaches,
        "faults": usage.faults,
        "used": {
            "tokens": facts.tokens,
            "cost_usd": facts.cost_usd,
            "unpriced": usage.unpriced,
            "memory_mb": usage.memory_mb,
        },
        "agents": len(facts.agents),
        "finding": None if row.is_over or found is None else _fields(found, _OF_FINDING),
        "incident": row.incident,
        "question": row.question,
        "problem": row.problem,
        "control": {
            "standing": hand.standing,
            "by": hand.by,
            "reason": hand.reason,
            "since": hand.since,
            "held": list(hand.held.values()),
            "asked": [
                {"request": name, **_fields(each, _OF_REQUEST)} for name, each in hand.asked.items()
            ],
        },
        "loop": None if facts.loop is None else {**_fields(facts.loop, _OF_LOOP), "left": row.left},
    }


_OF_FINDING = ("kind", "severity", "says", "symptom")
_OF_REQUEST = ("at", "command", "by", "reason")
_OF_LOOP = ("goal", "max", "verify", "driver", "iteration", "verified", "ended", "reason",
            "tokens", "cost_usd", "seconds", "memory_mb")  # fmt: skip
"""The fields of each that JSON shows."""


def _fields(struct: msgspec.Struct, names: tuple[str, ...]) -> dict[str, object]:
    return {name: getattr(struct, name) for name in names}
