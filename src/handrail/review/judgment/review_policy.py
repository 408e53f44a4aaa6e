"""Judge an action that was understood: rules, risk, rationality, decision and reasons."""

from collections.abc import Sequence

import msgspec

from handrail.config import Config
from handrail.model.action import Action
from handrail.model.effect import CHANGING_KINDS, Effect
from handrail.model.fingerprint import fingerprint
from handrail.model.history import History
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Rationality, Review, Risk, RiskFactor
from handrail.review.context import ReviewContext
from handrail.review.judgment.decide import base_decision, decide, irreversible, is_dangerous
from handrail.review.judgment.explain import alternatives_for, confidence_in, reasons_for, steps_of
from handrail.review.judgment.permitting import permitting_settings
from handrail.review.judgment.rationality import NEUTRAL_RATIONALITY, rationality_of
from handrail.review.judgment.risk import risk_of
from handrail.review.judgment.rules import RuleSet
from handrail.review.judgment.unreadable import (
    UNREAD_RISK,
    problem_of,
    reason_not_read,
    repair_of,
)
from handrail.review.read_only_programs import MIGRATING, ONLOOKERS, changes_unnamed_files
from handrail.review.understood_action import UnderstoodAction
from handrail.shell import ParsedProgram, ProgramLookup
from handrail.shell.flows import RAISING

NO_RISK = Risk(0.0, Severity.NONE)
_READING = Risk(0.1, Severity.NONE, (RiskFactor("read", 0.1),))


class ReviewPolicy:
    """The settings and rules by which actions are judged."""

    def __init__(self, config: Config, rules: RuleSet, knowledge: ProgramLookup) -> None:
        self.rules = rules
        self._config = config
        self._knowledge = knowledge
        # Settings under which an action that only reads needs no further thought.
        self._plain = rules.only_builtin and not config.goal

    def judge(self, action: Action, understood: UnderstoodAction, at: ReviewContext) -> Review:
        """Judge what was understood of an action."""
        history = at.history
        strange = self._strange(understood.program)
        if self._is_quiet(understood, history):
            risk = _READING if understood.effects else NO_RISK
            return Review(
                Decision.ALLOW, risk, NEUTRAL_RATIONALITY, understood.effects, strange=strange
            )
        effects = self.rules.downgrade_ungoverned(understood.effects)
        hits, faults = self.rules.check(action, effects, at)
        goal = history.goal or self._config.goal
        name = ""
        if goal or history.recent or history.refused:
            name = understood.name or fingerprint(action)
        rationality = NEUTRAL_RATIONALITY
        if goal or history.recent:
            rationality = rationality_of(action, history, goal, name)
        risk = self._risk(effects, understood, history.failures(name) if name else 0, at)
        base = base_decision(risk, rationality, self._config)
        tamed = effects is not understood.effects
        first_time = not tamed and not (name and history.ran_before(name))
        trouble = history.trouble
        decision = decide(
            base, risk, effects, hits, first_time=first_time, dangerous=is_dangerous(trouble)
        )
        issues = self._issues(rationality)
        if trouble is not None and is_dangerous(trouble) and decision.stops:
            issues = (*issues, f"the run is in trouble: {trouble.says}")
        reasons = reasons_for(effects, hits, issues, risk)
        others: tuple[str, ...] = ()
        if decision.stops:
            others = alternatives_for(effects, hits, rationality.suggestions)
        permitted_by = permitting_settings(effects, hits, at) if decision.stops else ""
        if understood.program is not None and understood.program.fault is not None:
            # The shell may refuse it too, but what was not read completely does not run.
            decision, risk = Decision.BLOCK, UNREAD_RISK
            reasons = (reason_not_read(problem_of(understood.program.fault)), *reasons)
            others, permitted_by = (repair_of(understood.program.fault),), ""
        return Review(
            decision,
            risk,
            rationality,
            effects,
            hits,
            reasons=reasons,
            alternative=others[0] if others else "",
            confidence=confidence_in(effects, understood.program),
            steps=steps_of(understood.program, effects) if decision > Decision.ALLOW else (),
            faults=faults,
            strange=strange,
            permitted_by=permitted_by,
            alternatives=others,
        )

    def _strange(self, program: ParsedProgram | None) -> tuple[str, ...]:
        """The programs that nobody can foresee; a word that is only known later names none."""
        if program is None:
            return ()
        return tuple(
            name
            for command in program.commands
            if (name := command.name) and name not in ONLOOKERS
            if name in MIGRATING
            or self._knowledge.lookup(name) is None
            or changes_unnamed_files(command)
        )

    def _is_quiet(self, understood: UnderstoodAction, history: History) -> bool:
        """Whether there is nothing to judge: it only reads, and nothing is known of the run."""
        if history.recent or history.refused or history.goal or not self._plain:
            return False
        if understood.program is not None and understood.program.broken:
            return False
        return all(effect.severity is Severity.NONE for effect in understood.effects)

    def _risk(
        self,
        effects: Sequence[Effect],
        understood: UnderstoodAction,
        failures: int,
        at: ReviewContext,
    ) -> Risk:
        commands = understood.program.commands if understood.program else ()
        outside: set[int] = set()
        privileged: set[int] = set()
        for index, effect in enumerate(effects):
            if effect.kind in CHANGING_KINDS and not at.in_scope(effect.target):
                outside.add(index)
            via = commands[effect.command].via if effect.command < len(commands) else ()
            if via and not RAISING.isdisjoint(via):
                privileged.add(index)
        return risk_of(
            effects,
            outside=outside,
            privileged=privileged,
            failures=failures,
            config=self._config,
            trouble=at.history.trouble,
        )

    def _issues(self, rationality: Rationality) -> tuple[str, ...]:
        lowest = self._config.step_reviewer.rationality.low_threshold
        if rationality.score >= lowest:
            return rationality.issues
        return (*rationality.issues, "it does not fit the goal or the steps before it")


def without_rewrite(draft: Review, history: History) -> Review:
    """What cannot be rewritten runs behind a checkpoint, if that can undo it; else not at all."""
    if draft.decision is not Decision.MODIFY:
        return draft
    serious = any(effect.severity >= Severity.HIGH for effect in draft.effects)
    if (serious and not irreversible(draft.effects)) or _only_warned(draft, history):
        return msgspec.structs.replace(
            draft, decision=Decision.WARN, checkpoint_first=True, alternative="", alternatives=()
        )
    return msgspec.structs.replace(draft, decision=Decision.BLOCK)


def _only_warned(draft: Review, history: History) -> bool:
    """Whether only the trouble of the run made a warning stricter, and a checkpoint is enough."""
    return (
        is_dangerous(history.trouble)
        and draft.risk.severity < Severity.HIGH
        and not any(hit.decision.stops for hit in draft.rules)
        and not irreversible(draft.effects, Severity.MEDIUM)
    )
