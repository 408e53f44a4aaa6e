"""Records of checkpoints, for what is shown of them."""

from datetime import UTC, datetime
from typing import Any

from handrail.checkpoint import CheckpointRecord

NOW = datetime.now(UTC)


def record(number: int, **fields: Any) -> CheckpointRecord:
    """One that says as much as a test needs."""
    known = {
        "number": number,
        "created_at": NOW,
        "git_commit": f"{number:040x}",
        "tree": f"{number + 1000:040x}",
        "work_tree": "/w/shop",
    }
    return CheckpointRecord(**{**known, **fields})
