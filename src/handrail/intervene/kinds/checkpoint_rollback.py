"""Rollback: restores a checkpoint, or gives the agent a recovery plan."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from handrail.intervene.capability import Capability
from handrail.intervene.draft import InterventionDraft
from handrail.intervene.kind import InterventionKind
from handrail.intervene.safe_checkpoint import is_safe
from handrail.intervene.situation import RunSituation
from handrail.intervene.wording import cut, fields_for, fill_text, fresh_text, one_line
from handrail.model.checkpoint import Checkpoint
from handrail.model.finding import Finding
from handrail.model.intervention import InterventionName
from handrail.model.intervention_history import PastIntervention
from handrail.model.ordinal import Severity
from handrail.model.worsening import Worsening

if TYPE_CHECKING:
    from handrail.config.interventions import CheckpointRollback, Interventions
    from handrail.detect.description import FindingDescription

MAX_PLAN = 1_500
_SHORT = 8
_MAX_PATH, _MAX_NAMED = 100, 500
_NOT_WORSE = "Nothing shows that the files got worse, so Handrail puts none back by itself"
PLANS: dict[str, tuple[str, ...]] = {
    "stuck_in_loop": (
        """\
{says} Work through this, one step after the other:
1. List what you tried, and what each try showed, in one line each.
2. Say why it cannot have worked.
3. See what git says has changed, and undo by hand those of your changes that only \
served the failed tries.
4. Take a way that is not on your list. If there is none, stop and report the list.""",
        """\
{says} Another plan:
1. Put your changes since step {first} aside in a commit or a patch file, so that nothing is lost.
2. Make the smallest version of the problem that still fails.
3. Solve that one, then carry the solution over.
4. If the smallest version cannot be solved either, report it and stop.""",
        """\
{says} Another plan:
1. Say which of your assumptions you have never checked, and check them, one command each.
2. If one was wrong, go on from there. If none was, report what you found and stop.""",
    ),
    "lost_context": (
        """\
{says} Work through this, one step after the other:
1. Say the task again in your own words.
2. List the files that belong to it, and read the most important one again.
3. Compare what is there with what you assumed, and say what was wrong.
4. Undo by hand what you built on it. Name the next step, and take only that one.""",
        """\
{says} Another plan:
1. Trust nothing that you remember of this project: look it up anew.
2. Run what checks the task (tests, build, the program itself), and believe only its result.
3. Do the one thing that the result asks for, and check again.""",
    ),
    "resource_exhaustion": (
        """\
{says} Work through this, one step after the other:
1. Find out what uses it: the process, the file, the call.
2. End or delete what you started yourself and no longer need.
3. Do the rest in small pieces, and look at the cost of the first before the second.
4. If one piece alone is too much, stop and say so.""",
        """\
{says} Another plan:
1. Start nothing more of the sort that grows.
2. Name a way that needs a tenth of it: a sample, a search, a limit.
3. Take it, or report that there is none.""",
    ),
}
"""Plans for the agent if no file is restored; after a failed plan comes the next one."""


def _checkpoint_rollback(
    finding: Finding, at: RunSituation, about: "FindingDescription", settings: "Interventions"
) -> InterventionDraft:
    """Draft the rollback, or a plan and the offer of a rollback if a person has to decide."""
    plan = PLANS[about.plan]
    worse = at.worsening(finding.evidence)
    chosen = choose_checkpoint(finding, at, settings.checkpoint_rollback, worse)
    if chosen is None:
        return InterventionDraft(
            _plan(finding, at, plan), limits="There is no safe checkpoint to go back to."
        )
    files = tied_files(at, chosen)
    obstacle = _obstacle(finding, at, chosen, files)
    if worse is None or obstacle:
        return InterventionDraft(
            _plan(finding, at, plan),
            limits=f"{obstacle or _NOT_WORSE}: checkpoint {chosen.id} is from before the trouble "
            f"(step {chosen.step}), and `handrail rollback {chosen.id}` goes back to it.",
        )
    limits = "" if Capability.REWIND in at.can else "The agent keeps its memory of what it did."
    said = _gone_back(finding, at, chosen, files, worse)
    return InterventionDraft(said, checkpoint=chosen.id, limits=limits, files=files)


def tied_files(at: RunSituation, chosen: Checkpoint) -> tuple[str, ...]:
    """Return the files of its folder that the agent has written since a checkpoint."""
    written = (
        path
        for ended in at.ended
        if ended.step > chosen.step and ended.agent == at.agent
        for path in ended.files
    )
    return tuple(path for path in dict.fromkeys(written) if path.startswith(f"{at.cwd}/"))


def _obstacle(finding: Finding, at: RunSituation, chosen: Checkpoint, files: Sequence[str]) -> str:
    """Return why a person has to decide about the rollback, or "".

    A needless rollback destroys work, and that of others worst of all.
    """
    if at.attended:
        return "Somebody is at the keyboard and decides about a rollback"
    if finding.severity < Severity.HIGH:
        return "Handrail puts files back only for severity high or critical"
    if at.writing:
        return "Other calls are just changing files, so Handrail puts none back"
    authors = {ended.agent for ended in at.ended if ended.changes and ended.step > chosen.step}
    if at.agent not in authors or not files:
        return "The agent has changed no file here since then, as far as known"
    if len(authors) > 1:
        return "Another agent of this run has changed files since then, so Handrail puts none back"
    if other := at.neighbour(chosen.at):
        return (
            f"Somebody else, another run ({other[:_SHORT]}), has changed files here since then, "
            "so Handrail puts none back"
        )
    return ""


def choose_checkpoint(
    finding: Finding,
    at: RunSituation,
    settings: "CheckpointRollback",
    worse: Worsening | None = None,
) -> Checkpoint | None:
    """Return the newest safe checkpoint from before the trouble and before the last change.

    Without a change since, going back would mend nothing. It is never from before work that has
    passed a check.
    """
    if Capability.FILES not in at.can:
        return None
    began = min(finding.evidence, default=at.step)
    oldest = at.now - settings.checkpoint_retention_minutes * 60
    back = [made for made in at.past.made if made.checkpoint]
    changed = max((ended.step for ended in at.ended if ended.changes), default=began)
    least = _last_protected(at, max(at.verified, worse.since if worse else 0))
    if worse is not None:  # before the first change that can have broken the check
        later = (ended.step for ended in at.ended if ended.changes and ended.step > worse.since)
        began = min(later, default=began)
    before = [
        checkpoint
        for checkpoint in sorted(at.checkpoints, key=lambda each: (each.step, each.at))
        if least <= checkpoint.step < min(began, changed + 1 if worse else changed)
        and checkpoint.at >= oldest
        and not _left_behind(checkpoint, back, at.checkpoints)
    ]
    tried = {made.checkpoint for made in back if made.name == finding.name}
    for checkpoint in reversed(before[-settings.max_rollback_depth :]):
        if checkpoint.id not in tried and is_safe(
            checkpoint, at.ended, settings.safe_checkpoint_criteria
        ):
            return checkpoint
    return None


def _last_protected(at: RunSituation, verified: int) -> int:
    """Return the last step with a change that has passed a check: no rollback goes behind it."""
    if not verified:
        return 0
    known_since = at.ended[0].step - 1 if at.ended else verified
    changed = (ended.step for ended in at.ended if ended.changes and ended.step <= verified)
    return max(changed, default=known_since)


def _left_behind(
    checkpoint: Checkpoint, back: Sequence[PastIntervention], known: Sequence[Checkpoint]
) -> bool:
    """Return whether it contains changes that an earlier rollback has undone."""
    steps = {each.id: each.step for each in known}
    return any(
        steps.get(made.checkpoint, made.step) < checkpoint.step <= made.step for made in back
    )


def _gone_back(
    finding: Finding, at: RunSituation, chosen: Checkpoint, files: Sequence[str], worse: Worsening
) -> str:
    fields = fields_for(finding, at)
    named = ", ".join(f"`{one_line(path.removeprefix(f'{at.cwd}/'), _MAX_PATH)}`" for path in files)
    return fresh_text(
        f"Handrail takes back your changes in {cut(named, _MAX_NAMED)}: they are again as after "
        f"step {chosen.step}. {worse.says}. {fields['says']} A person can bring the changes back "
        "(`handrail redo`). Read the files again before you go on, and do not do what led here "
        f"(steps {fields['steps']}): take another way, in small steps, and check each.",
        at,
        MAX_PLAN,
    )


def _plan(finding: Finding, at: RunSituation, texts: Sequence[str]) -> str:
    """Return a plan of numbered steps; the next plan if the agent had one already."""
    given = sum(
        made.name == finding.name and made.means == InterventionName.CHECKPOINT_ROLLBACK
        for made in at.past.made
    )
    fields = fields_for(finding, at)
    usable = [text for template in texts if (text := fill_text(template, fields, MAX_PLAN))]
    return fresh_text(usable[min(given, len(usable) - 1)], at, MAX_PLAN)


KIND = InterventionKind(
    name=InterventionName.CHECKPOINT_ROLLBACK,
    label="rollback",
    phrase="a rollback",
    does="Takes back the agent's changes since the newest safe checkpoint, if they broke a check "
    "that passed before.",
    otherwise="The agent gets a recovery plan in numbered steps instead.",
    uses=(Capability.FILES, Capability.INJECT),
    always=False,
    strength=0.7,
    make=_checkpoint_rollback,
)
