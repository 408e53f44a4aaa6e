"""Named rules: each governs a kind of effect, or checks the run as a whole."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Protocol

import msgspec

from handrail.config import CustomRule, compile_globs
from handrail.model.action import Action
from handrail.model.effect import HOST_KINDS, Effect, Kind, file_operations
from handrail.model.near_names import did_you_mean
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import RuleHit
from handrail.review.context import ReviewContext
from handrail.review.tools.tool_effects import command_field, command_of

_MAX_MATCHED = 10_000
"""Characters of a command that a user's regular expression is tried on."""


class Rule(Protocol):
    """A check that may object to an action."""

    @property
    def name(self) -> str:
        """What reviews call it."""

    def check(self, action: Action, effects: Sequence[Effect], at: ReviewContext) -> RuleHit | None:
        """Return a hit if the rule objects to the action."""


class EffectRule(msgspec.Struct, frozen=True):
    """A rule over effects. What it governs is stopped; without it the effect only warns."""

    name: str
    about: str
    governs: Callable[[Effect], bool]
    essential: bool = True
    fixed: bool = False
    """Cannot be switched off."""

    def check(self, action: Action, effects: Sequence[Effect], at: ReviewContext) -> RuleHit | None:
        """Return a hit for the worst effect, if one is serious enough to stop."""
        worst: Effect | None = None
        for effect in effects:
            if effect.severity >= Severity.HIGH and self.governs(effect):
                worst = max(worst, effect, key=lambda item: item.severity) if worst else effect
        if worst is None:
            return None
        decision = Decision.BLOCK if worst.severity is Severity.CRITICAL else Decision.MODIFY
        return RuleHit(self.name, decision, worst.text, worst.instead)


def _kinds(*kinds: Kind) -> Callable[[Effect], bool]:
    wanted = frozenset(kinds)
    return lambda effect: effect.kind in wanted


# The first rule that governs an effect is the one that answers for it.
GOVERNING: tuple[EffectRule, ...] = (
    EffectRule("protect_handrail",
               "Handrail's settings, state, hooks and processes stay as they are",
               lambda effect: effect.kind is Kind.TAMPER and effect.severity is Severity.CRITICAL,
               fixed=True),
    EffectRule("protect_safeguards", "logs, firewalls, audit and other safeguards stay on",
               _kinds(Kind.TAMPER)),
    EffectRule("prevent_recursive_deletion",
               "no folders are deleted that could not be brought back",
               lambda effect: effect.kind is Kind.DELETE and effect.recursive),
    EffectRule("protect_files", "no files are deleted or changed where no checkpoint reaches",
               _kinds(Kind.DELETE, Kind.WRITE, Kind.LINK)),
    EffectRule("protect_uncommitted_work", "uncommitted work is saved before it is discarded",
               _kinds(Kind.DISCARD)),
    EffectRule("protect_history", "published and recorded history is not rewritten",
               _kinds(Kind.REWRITE)),
    EffectRule("protect_secrets", "keys, passwords and tokens are not read", _kinds(Kind.SECRET)),
    EffectRule("prevent_exfiltration", "local data is not sent to unknown machines",
               _kinds(Kind.SEND, Kind.REACH, Kind.FETCH)),
    EffectRule("no_unseen_code", "no code runs that nobody could read before",
               _kinds(Kind.UNSEEN, Kind.RUN)),
    EffectRule("protect_devices", "disks and memory are not written directly", _kinds(Kind.DEVICE)),
    EffectRule("protect_system", "the system, its services and its kernel stay as they are",
               _kinds(Kind.SYSTEM, Kind.CHANGE, Kind.INSTALL)),
    EffectRule("protect_data",
               "databases, clusters, clouds and other remote things are not destroyed",
               _kinds(Kind.DESTROY)),
    EffectRule("no_persistence", "nothing is set up to run by itself later", _kinds(Kind.PERSIST)),
    EffectRule("no_privilege", "nobody gets more rights than they have",
               _kinds(Kind.PRIVILEGE, Kind.PERMIT, Kind.ESCAPE)),
    EffectRule("no_publishing", "nothing is published without a person", _kinds(Kind.PUBLISH),
               essential=False),
    EffectRule("no_delegation", "no agent is started that nobody supervises",
               _kinds(Kind.DELEGATE)),
    EffectRule("protect_machine", "the machine is not used up and its processes stay alive",
               _kinds(Kind.EXHAUST, Kind.KILL)),
)  # fmt: skip


class LimitFileOperations(msgspec.Struct, frozen=True):
    """Too many changes to files in one run."""

    name: str = "limit_file_operations"
    about: str = "a run changes only so many files (`max_file_operations`)"

    def check(self, action: Action, effects: Sequence[Effect], at: ReviewContext) -> RuleHit | None:
        limit = at.config.step_reviewer.max_file_operations
        changes = file_operations(effects)
        if not limit or not changes or at.history.file_operations + changes <= limit:
            return None
        return RuleHit(
            self.name,
            Decision.BLOCK,
            f"this run has changed {at.history.file_operations} files; the limit is {limit}",
            "Finish with these changes, or ask for a higher limit; `git status` lists them.",
        )


class WarnExternalNetwork(msgspec.Struct, frozen=True):
    """Data that leaves the machine and its network; a plain download carries none."""

    name: str = "warn_external_network"
    about: str = "data sent to machines of others is pointed out"

    def check(self, action: Action, effects: Sequence[Effect], at: ReviewContext) -> RuleHit | None:
        for effect in effects:
            external = effect.kind in HOST_KINDS and effect.severity >= Severity.MEDIUM
            if external and effect.severity < Severity.HIGH:
                return RuleHit(self.name, Decision.WARN, effect.text)
        return None


class WarnUnknownTool(msgspec.Struct, frozen=True):
    """A tool about which only its name is known."""

    name: str = "warn_unknown_tool"
    about: str = "tools that Handrail does not know, or that destroy by their name, are pointed out"

    def check(self, action: Action, effects: Sequence[Effect], at: ReviewContext) -> RuleHit | None:
        if command_field(action) is not None:
            return None
        for effect in effects:
            if effect.kind in {Kind.CHANGE, Kind.DESTROY} and effect.severity is Severity.MEDIUM:
                return RuleHit(self.name, Decision.WARN, effect.text)
        return None


OTHERS: tuple[Rule, ...] = (LimitFileOperations(), WarnExternalNetwork(), WarnUnknownTool())


class CustomRuleCheck:
    """A rule from the user's settings."""

    def __init__(self, rule: CustomRule) -> None:
        self.name = rule.name
        self._rule = rule
        self._targets = compile_globs(rule.targets) if rule.targets else None
        self._commands = [re.compile(text) for text in rule.commands]
        self._kinds = frozenset(rule.kinds)
        self._tools = frozenset(rule.tools)

    def check(self, action: Action, effects: Sequence[Effect], at: ReviewContext) -> RuleHit | None:
        if self._tools and action.tool not in self._tools:
            return None
        if self._commands and not self._command_matches(action):
            return None
        if (self._kinds or self._targets) and not any(map(self._effect_matches, effects)):
            return None
        return RuleHit(self.name, self._rule.decision, self._rule.says, self._rule.instead)

    def _command_matches(self, action: Action) -> bool:
        text = (command_of(action) or "")[:_MAX_MATCHED]
        return any(pattern.search(text) for pattern in self._commands)

    def _effect_matches(self, effect: Effect) -> bool:
        if self._kinds and effect.kind not in self._kinds:
            return False
        return self._targets is None or self._targets.fullmatch(effect.target) is not None


class RuleSet:
    """The rules that are in force."""

    def __init__(
        self,
        builtin: Literal["all", "essential", "none"] = "all",
        disabled: Iterable[str] = (),
        custom: Iterable[CustomRule] = (),
        more: Iterable[Rule] = (),
    ) -> None:
        off = frozenset(disabled)
        self._governing = tuple(
            rule
            for rule in GOVERNING
            if rule.fixed
            or (
                rule.name not in off
                and (builtin == "all" or (builtin == "essential" and rule.essential))
            )
        )
        others = OTHERS if builtin == "all" else ()
        custom = tuple(custom)
        more = tuple(more)
        self.only_builtin = not custom and not more
        self.faults: dict[str, str] = {}
        """By rule, how it failed last."""
        self._others: tuple[Rule, ...] = tuple(
            rule for rule in (*others, *map(CustomRuleCheck, custom), *more) if rule.name not in off
        )

    @staticmethod
    def invalid_names(
        disabled: Iterable[str], custom: "Iterable[CustomRule | Rule]" = ()
    ) -> list[str]:
        """Return what is wrong with the names of rules to switch off; `custom`: all others."""
        names = {rule.name for rule in (*GOVERNING, *OTHERS)} | {rule.name for rule in custom}
        fixed = {rule.name for rule in GOVERNING if rule.fixed}
        problems: list[str] = []
        for name in disabled:
            if name in fixed:
                problems.append(f"{name} cannot be switched off")
            elif name not in names:
                hint = did_you_mean(name, names)
                problems.append(f"there is no rule {name!r}{hint and f'; {hint}'}")
        return problems

    def downgrade_ungoverned(self, effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
        """Lower serious effects without a rule in force to a warning."""
        if all(effect.severity < Severity.HIGH or self._governed(effect) for effect in effects):
            return effects
        return tuple(
            effect
            if effect.severity < Severity.HIGH or self._governed(effect)
            else msgspec.structs.replace(effect, severity=Severity.MEDIUM)
            for effect in effects
        )

    def _governed(self, effect: Effect) -> bool:
        answering = next((rule for rule in GOVERNING if rule.governs(effect)), None)
        return answering is None or answering in self._governing

    def check(
        self, action: Action, effects: Sequence[Effect], at: ReviewContext
    ) -> tuple[tuple[RuleHit, ...], tuple[str, ...]]:
        """Return all hits, the strictest first, and the faults of rules that failed."""
        worst = max((effect.severity.rank for effect in effects), default=0)
        limited = at.config.step_reviewer.max_file_operations
        if worst < Severity.MEDIUM.rank and self.only_builtin and not limited:
            return (), ()
        hits: list[RuleHit] = []
        faults: list[str] = []
        if any(effect.severity >= Severity.HIGH for effect in effects):
            answered = {next((r.name for r in GOVERNING if r.governs(e)), "") for e in effects}
            hits += [
                hit
                for rule in self._governing
                if rule.name in answered
                if (hit := rule.check(action, effects, at)) is not None
            ]
        for rule in self._others:
            try:
                found: object = rule.check(action, effects, at)
                if isinstance(found, RuleHit):  # a field of a wrong type could not be read again
                    found = msgspec.convert(msgspec.to_builtins(found), RuleHit)
            except Exception as error:  # noqa: BLE001 - a rule's fault must not become a verdict
                faults.append(self._fault(rule, f"{type(error).__name__}: {error}"))
                continue
            if isinstance(found, RuleHit):
                hits.append(found)
            elif found is not None:
                faults.append(self._fault(rule, f"it gave {type(found).__name__}, no RuleHit"))
        hits.sort(key=lambda hit: -hit.decision.rank)
        return tuple(hits), tuple(faults)

    def _fault(self, rule: Rule, says: str) -> str:
        self.faults[rule.name] = f"rule {rule.name} failed: {says}"
        return self.faults[rule.name]
