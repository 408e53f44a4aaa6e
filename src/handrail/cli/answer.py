"""A review as JSON."""

import msgspec

from handrail.model.action import Action
from handrail.model.review import Review
from handrail.review.tools import SHELL_TOOLS


def answer(review: Review, key: object = None) -> dict[str, object]:
    """What a program gets to read; `key` is its own id of the action."""
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
                "target": effect.target,
                "severity": effect.severity,
                "undo": effect.undo,
                "says": effect.text,
            }
            for effect in review.effects
        ],
        "alternative": review.alternative,
        "updated_input": rewrite.input if rewrite else None,
        "changes": rewrite.changes if rewrite else (),
        "restore": rewrite.restore if rewrite else "",
        "explanation": review.explanation,
        "checkpoint_first": review.checkpoint_first,
        "confidence": review.confidence,
        "rules": [hit.rule for hit in review.rules],
        "faults": list(review.faults),
    }


def refusal(problem: str, key: object = None) -> dict[str, object]:
    """The answer to what cannot be reviewed: it does not run."""
    reason = f"It cannot be read, so it is not run: {problem}."
    return {
        "id": key,
        "decision": "block",
        "risk": 1.0,
        "severity": "critical",
        "reasons": [reason],
        "effects": [],
        "alternative": "Send one JSON object a line: id, tool, input, cwd.",
        "updated_input": None,
        "changes": [],
        "restore": "",
        "explanation": reason,
        "checkpoint_first": False,
        "confidence": 0.0,
        "rules": [],
        "faults": [],
        "error": problem,
    }


def dump(value: object) -> bytes:
    """JSON in one line, whatever text stands in it."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate: bytes of a file name that are not UTF-8
        import json

        return json.dumps(msgspec.to_builtins(value)).encode()


_TELLING = ("file_path", "path", "notebook_path", "filePath", "absolute_path", "url", "pattern")


def shown_action(action: Action) -> str:
    """An action in one line: the command, or the tool and what it is about."""
    given = action.input
    if action.tool.lower() in SHELL_TOOLS:
        command = given.get("command", given.get("cmd", given.get("script")))
        return " ".join(map(str, command)) if isinstance(command, list) else str(command)
    for field in _TELLING:
        if isinstance(value := given.get(field), str):
            return f"{action.tool} {value}"
    texts = [value for value in given.values() if isinstance(value, str)]
    return f"{action.tool} {texts[0]}" if texts else action.tool
