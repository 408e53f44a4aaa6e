"""A review as JSON."""

from handrail.model.review import Review

_FORM = "Send one JSON object a line: id, tool, input, cwd."


def review_json(review: Review, key: object = None) -> dict[str, object]:
    """Describe a review for a program; `key` is the program's own id of the action."""
    rewrite = review.rewrite
    return {
        "id": key,
        "decision": review.decision,
        "risk": review.risk.score,
        "severity": review.risk.severity,
        "reasons": review.reasons,
        "effects": [
            {
                "kind": effect.kind,
                "intent": effect.intent,
                "target": effect.target,
                "severity": effect.severity,
                "undo": effect.undo,
                "says": effect.text,
            }
            for effect in review.effects
        ],
        "alternative": review.alternative,
        "alternatives": review.alternatives,
        "updated_input": rewrite.input if rewrite else None,
        "changes": rewrite.changes if rewrite else (),
        "restore": rewrite.restore if rewrite else "",
        "explanation": review.explanation,
        "checkpoint_first": review.checkpoint_first,
        "confidence": review.confidence,
        "rules": [hit.rule for hit in review.rules],
        "faults": list(review.faults),
        "review": review.id,
    }


def refusal_json(problem: str, key: object = None) -> dict[str, object]:
    """Describe the refusal of an action that Handrail cannot read."""
    reason = f"It cannot be read, so it is not run: {problem}."
    return {
        "id": key,
        "decision": "block",
        "risk": 1.0,
        "severity": "critical",
        "reasons": [reason],
        "effects": [],
        "alternative": _FORM,
        "alternatives": [_FORM],
        "updated_input": None,
        "changes": [],
        "restore": "",
        "explanation": reason,
        "checkpoint_first": False,
        "confidence": 0.0,
        "rules": [],
        "faults": [],
        "review": "",
        "error": problem,
    }
