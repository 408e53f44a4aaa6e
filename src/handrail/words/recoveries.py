"""What a person's decision about a stopped run came to, in words."""

from shlex import quote

from handrail.intervene.incidents.record import Incident
from handrail.intervene.incidents.recovery import STRICT, Recovery
from handrail.model.event import CleanedUp, RolledBack
from handrail.model.intervention import Allowance
from handrail.words.amounts import count
from handrail.words.hosts import resume_command
from handrail.words.interventions import limits_in_words


def recovery_in_words(
    name: str,
    record: Incident,
    chosen: Recovery,
    *,
    allowance: Allowance | None = None,
    rolled_back: RolledBack | None = None,
    cleaned: CleanedUp | None = None,
) -> list[str]:
    """Return what happened with a run called `name`, a sentence or two each."""
    texts = [f"{name}: {chosen.says}"]
    if chosen.rolls_back:
        texts.append(_put_back(record, rolled_back))
    if chosen.limits:
        texts.append(f"Limits: {limits_in_words(allowance or STRICT)}.")
    if cleaned is not None:
        texts += _cleaned(record, cleaned)
    if not chosen.resumes:
        texts.append("Start a new session for the task.")
    return texts


def where_next(record: Incident) -> str:
    """Return where the command that continues a stopped run belongs."""
    return "Continue in its window, or here" if record.attended else "Next"


def session_command(record: Incident) -> str:
    """Return the command that continues a stopped session in its host, or ""."""
    command = resume_command(record.host, quote(record.run))
    if not command:
        return ""
    return f"cd {quote(record.cwd)} && {command}" if record.cwd else command


def _cleaned(record: Incident, cleaned: CleanedUp) -> list[str]:
    """Report the clean-up: what is gone, how it comes back, and what is left."""
    texts = []
    if cleaned.removed:
        texts.append(f"Cleaned up: {', '.join(cleaned.removed)}.")
        texts.append(f"Files can come back: handrail restore {record.id}")
    if cleaned.left:
        texts.append(f"STILL THERE: {'; '.join(cleaned.left)}.")
    return texts


def _put_back(record: Incident, rolled_back: RolledBack | None) -> str:
    """Report the rollback; claim only what was read back."""
    if rolled_back is None:
        checkpoint = record.checkpoint
        name = checkpoint.id if checkpoint else "the checkpoint"
        return f"Not known yet whether the files match {name}: handrail log {record.run}"
    if rolled_back.problem:
        return f"THE ROLLBACK FAILED: {rolled_back.problem}"
    files = count(len(rolled_back.files), "file")
    return f"{files} rolled back to checkpoint {rolled_back.checkpoint} and compared with it."
