"""The sentences about what was noticed."""

from collections.abc import Sequence

from handrail.server.integrity.calls import AgentCall
from handrail.server.integrity.parts import Loss

_UNSUPERVISED = "New sessions are NOT supervised."
_PUT_BACK = "Handrail has put it back."


def blame(loss: Loss, calls: Sequence[AgentCall], title: str) -> str:
    """What a call of a run has done."""
    said = " and ".join(call.says for call in calls)
    return f"{loss.says}. It was done by {title}, {said}."


def somebody(loss: Loss) -> str:
    """What somebody has done."""
    return f"{loss.says}. Somebody did that; no call of a run explains it."


def killed(pid: int, titles: str) -> str:
    """What became of a daemon that did not come to its own end."""
    return (
        f"Handrail's daemon (process {pid}) was killed while a session was open: {titles}. It was "
        "started again, and no call ran unreviewed. Nothing tells who killed it."
    )


def what_was_done(loss: Loss, *, put_back: bool, why_not: str) -> tuple[str, str]:
    """What Handrail did about it, and what is left to do."""
    if put_back:
        return _PUT_BACK, ""
    if loss.part == "packages":
        return "Until they are back, nothing that changes anything is run.", f"Fix: {loss.fix}."
    unsupervised = f" {_UNSUPERVISED}" if loss.part in ("hooks", "switch") else ""
    return f"Nothing was put back: {why_not}.{unsupervised}", f"Fix: {loss.fix}."
