"""Choose the intervention for a finding."""

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from handrail.config.errors import ConfigError
from handrail.config.interventions import Interventions, Strategy
from handrail.config.names import OTHER_KINDS
from handrail.config.prompts import Prompts, read_prompts
from handrail.detect.description import UNKNOWN, FindingDescription, FittingInterventions
from handrail.detect.detector import Detector
from handrail.detect.registry import description_of, own_fittings
from handrail.intervene.candidates import STOP, Candidates
from handrail.intervene.draft import InterventionDraft
from handrail.intervene.effectiveness import judge_interventions
from handrail.intervene.kind import InterventionKind
from handrail.intervene.plugins import (
    INTERVENTIONS,
    STRATEGIES,
    InterventionPlugins,
    as_kind,
    load_plugins,
)
from handrail.intervene.registry import KINDS
from handrail.intervene.score import LADDER, score_of
from handrail.intervene.situation import RunSituation
from handrail.intervene.strategy import STRATEGIES as BUILT_IN
from handrail.intervene.strategy import StrategyCase, progressive_strategy
from handrail.intervene.wording import fresh_text
from handrail.model.event import InterventionJudged
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention

_MAX_OWN = 2_000
"""Characters of a text from a user's own intervention."""


class Controller:
    """Choose interventions by one project's settings; the situation holds all facts of the run.

    A user's own texts or plugins cannot make it fail: `faults` lists the problems, and the built-in
    ones stand in.
    """

    def __init__(
        self,
        settings: Interventions,
        *,
        interventions: InterventionPlugins | None = None,
        strategies: InterventionPlugins | None = None,
        detectors: Sequence[type[Detector]] = (),
        kinds: Sequence[InterventionKind] = (),
    ) -> None:
        """By default, plugins come from the installed packages.

        `detectors`, `kinds`: those of the program itself.
        """
        self._own_findings = {each.kind: each.about for each in detectors}
        given = {each.name: each for each in kinds}
        self.settings = settings
        self.faults: list[str] = []
        strategy = settings.strategy
        fitting = [each.fitting.places for each in self._own_findings.values() if each.fitting]
        rows = (*strategy.patterns.values(), *own_fittings(), *fitting)
        known = {*LADDER, *given}
        named = frozenset(name for row in rows for name in row if name not in known)
        chosen = frozenset({strategy.custom} if strategy.type == "custom" else ())
        # A user's own strategy may name any of them.
        own = interventions or load_plugins(INTERVENTIONS, None if chosen else named)
        self._kinds = {
            **{name: as_kind(name, each) for name, each in own.found.items()},
            **given,
            **KINDS,
        }
        self._strategies = strategies or load_plugins(STRATEGIES, chosen)
        self._prompts, problem = _own_prompts(settings.soft_correction.custom_prompts_path)
        for each in (*own.problems, *self._strategies.problems, problem):
            self._report(each)

    def judge(self, findings: Sequence[Finding], at: RunSituation) -> list[InterventionJudged]:
        """Judge the interventions so far; call it before `choose`."""
        return judge_interventions(findings, at, self.settings.strategy)

    def choose(self, findings: Sequence[Finding], at: RunSituation) -> Intervention | None:
        """Choose the one intervention to make now, if any; the worst finding decides."""
        if not self.settings.enabled or at.stopped or _stopped_now(at):
            return None
        worst_first = sorted(findings, key=lambda each: (-each.severity.rank, -score_of(each)))
        cases = [self._case(finding, at) for finding in worst_first]
        choices = [(case, self._choices(case, at)) for case in cases]
        for case, names in choices:  # a stop waits for nothing
            if names == [STOP]:
                return self._make(STOP, case, at)
        if self._must_wait(at):
            return None
        for case, names in choices:
            if _is_open(case):  # it has not had its time to show effect
                return None
            for name in names:
                made = self._make(name, case, at)
                if made is not None:
                    return made
        return None

    def stop(self, finding: Finding, at: RunSituation) -> Intervention | None:
        """Stop the run, under any settings."""
        return self._make(STOP, self._case(finding, at), at)

    def _case(self, finding: Finding, at: RunSituation) -> StrategyCase:
        about = self._own_findings.get(finding.kind) or description_of(finding.kind)
        own = self._prompts.get(finding.kind, self._prompts.get(OTHER_KINDS))
        if own:
            about = msgspec.structs.replace(about, hints=(*own, *about.hints))
        return StrategyCase(
            finding,
            about,
            fitting_for(finding.kind, about, self.settings.strategy),
            tuple(at.past.against(finding.name, at.agent)),
            at.past.made,
        )

    def _choices(self, case: StrategyCase, at: RunSituation) -> list[str]:
        left = Candidates(case, at, self.settings, self._kinds)
        if left.stops_at_once:
            return [STOP]
        if _is_open(case):
            return []
        if self.settings.strategy.type == "custom":
            found = self._by_own_strategy(left)
            if found is not None:
                return found
        pick = BUILT_IN.get(self.settings.strategy.type, progressive_strategy)
        return left.options(pick(case, self.settings.strategy))

    def _must_wait(self, at: RunSituation) -> bool:
        """Whether the last intervention was too recent: one in a step, and only so often."""
        if not at.past.made:
            return False
        last, settings = at.past.made[-1], self.settings
        waited, steps = at.now - last.at, at.step - last.step
        # A negative time: the clock was set back.
        is_soon = 0 <= waited < settings.intervention_cooldown_seconds
        return steps <= 0 or (is_soon and steps < settings.intervention_cooldown_actions)

    def _make(self, name: str, case: StrategyCase, at: RunSituation) -> Intervention | None:
        draft = self._draft(name, case, at)
        if draft is None:
            return None
        number, escalation = f"i{len(at.past.made) + 1}", len(case.fruitless)
        made = number, name, case.finding, at.step, case.score, escalation
        tested_by = case.about.tested_by if case.finding.evidence else "any"
        return Intervention(*made, **msgspec.structs.asdict(draft), tested_by=tested_by)

    def _by_own_strategy(self, left: Candidates) -> list[str] | None:
        """Ask the user's own strategy; None: its answer is not usable."""
        name = self.settings.strategy.custom
        strategy = self._strategies.found.get(name)
        if strategy is None or isinstance(strategy, InterventionKind):
            return None
        try:
            wanted = strategy(left.case.finding, left.at)
        except Exception as error:  # noqa: BLE001 - another's code must not break a run
            self._report(f"the strategy {name} failed: {error!r}")
            return None
        if wanted is None:
            return []
        if not isinstance(wanted, str) or wanted not in self._kinds:
            self._report(f"the strategy {name} wants {wanted!r}, which is no intervention")
            return None
        if wanted != STOP and left.budget_spent:
            return []
        return [str(wanted)] if left.usable(wanted) else []

    def _draft(self, name: str, case: StrategyCase, at: RunSituation) -> InterventionDraft | None:
        """Draft an intervention; None: it does nothing, or fails."""
        make = self._kinds[name].make
        if name in KINDS:
            return make(case.finding, at, case.about, self.settings)
        try:
            made: object = make(case.finding, at, case.about, self.settings)
            if isinstance(
                made, InterventionDraft
            ):  # a field of a wrong type could be written, but not read
                made = msgspec.convert(msgspec.to_builtins(made), InterventionDraft)
        except Exception as error:  # noqa: BLE001 - another's code must not break a run
            self._report(f"the intervention {name} failed: {error!r}")
            return None
        if made is None:
            return None
        if not isinstance(made, InterventionDraft):
            self._report(f"the intervention {name} gave {type(made).__name__}, no Intervention")
            return None
        said = fresh_text(made.guidance, at, _MAX_OWN) if made.guidance else ""
        return InterventionDraft(said, made.allowance, limits=made.limits)

    def _report(self, fault: str) -> None:
        if fault and fault not in self.faults:
            self.faults.append(fault)


def fitting_for(kind: str, about: FindingDescription, strategy: Strategy) -> FittingInterventions:
    """Return the interventions that fit a kind of finding; settings come before its detector."""
    by_pattern = strategy.type == "pattern_specific"
    usual = (about.pattern if by_pattern else None) or about.fitting or UNKNOWN
    patterns = strategy.patterns
    places = patterns.get(kind) or (patterns.get(OTHER_KINDS) if about.fitting is None else None)
    if places is None:
        return usual
    low, medium, high, critical = places
    return FittingInterventions(low, medium, high, critical, usual.at_once)


def _is_open(case: StrategyCase) -> bool:
    """Return whether an intervention still has time to show an effect."""
    return any(made.worked is None for made in case.tried)


def _stopped_now(at: RunSituation) -> bool:
    """Return whether the run was stopped in this very step."""
    return any(made.means == STOP and made.step >= at.step for made in at.past.made)


def _own_prompts(path: str) -> tuple[Prompts, str]:
    """Return the user's own texts, and the problem with them."""
    if not path:
        return {}, ""
    try:
        facts = os.stat(path)
    except OSError as error:
        return {}, f"{path}: {error.strerror}"
    return _read_own(path, facts.st_mtime_ns, facts.st_size)


@lru_cache(maxsize=64)
def _read_own(path: str, _changed: int, _size: int) -> tuple[Prompts, str]:
    try:
        return read_prompts(Path(path), path), ""
    except ConfigError as error:
        return {}, str(error)
