"""The sentences about what was noticed."""

from collections.abc import Sequence

from handrail.server.integrity.calls import AgentCall
from handrail.server.integrity.parts import Loss

_UNSUPERVISED = "New sessions are NOT supervised."
PUT_BACK = ("Handrail has put it back.", "")
"""What Handrail did about it, and what is left to do."""


def blame(loss: Loss, calls: Sequence[AgentCall], title: str) -> str:
    """What a call of a run has done."""
    said = " and ".join(call.says for call in calls)
    return f"{loss.says}. It was done by {title}, {said}."


def somebody(loss: Loss) -> str:
    """What somebody has done."""
    return f"{loss.says}. Somebody did that; no call of a run explains it."


def killed(pid: int) -> str:
    """What became of a daemon that did not come to its own end."""
    return (
        f"Handrail's daemon (process {pid}) was killed while a session was open. It was started "
        "again, and no call ran unreviewed."
    )


def stopped(pid: int) -> str:
    """What became of a daemon that a signal has stopped."""
    return (
        f"Handrail's daemon (process {pid}) was stopped by a signal while a session was open. It "
        "goes on, and no call ran unreviewed."
    )


def not_put_back(loss: Loss, why: str) -> tuple[str, str]:
    """Why Handrail left it, and what is left to do."""
    if loss.part == "packages":
        return "Until they are back, nothing that changes anything is run.", f"Fix: {loss.fix}."
    unsupervised = f" {_UNSUPERVISED}" if loss.part in ("hooks", "switch") else ""
    return f"Nothing was put back: {why}.{unsupervised}", f"Fix: {loss.fix}."


def overruled(winner: str) -> tuple[str, str]:
    """How Handrail lets hooks run beside a file of a repository, and how to undo that."""
    did = (
        "The file is under version control and stays as it is. New sessions are supervised all the "
        f"same: {winner} says that hooks run."
    )
    return did, "If you want none, set it to true there."
