"""Every kind of mistake in a file, with exactly what is said about it."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.config.conftest import ScratchMachine

MISTAKES = {
    "unknown key": (
        "step_reviewer:\n  risk:\n    high_treshold: 0.7\n",
        (
            "handrail.yaml:3: step_reviewer.risk.high_treshold: unknown key; did you mean "
            "high_threshold? allowed: low_threshold, medium_threshold, high_threshold, "
            "critical_threshold"
        ),
    ),
    "unknown key like no other": (
        "hosts:\n  xyz: 1\n",
        "handrail.yaml:2: hosts.xyz: unknown key; allowed: trusted, services",
    ),
    "out of range": (
        "step_reviewer: {risk: {low_threshold: 1.70}}\n",
        (
            "handrail.yaml:1: step_reviewer.risk.low_threshold: 1.70 is not allowed; "
            "expected a number from 0 to 1"
        ),
    ),
    "not a number at all": (
        "step_reviewer: {risk: {low_threshold: .nan}}\n",
        (
            "handrail.yaml:1: step_reviewer.risk.low_threshold: '.nan' is not allowed; "
            "expected a number from 0 to 1"
        ),
    ),
    "not whole": (
        "step_reviewer: {cache: {max_size: 1.5}}\n",
        (
            "handrail.yaml:1: step_reviewer.cache.max_size: 1.5 is not allowed; "
            "expected a whole number, at least 1"
        ),
    ),
    "too small": (
        "step_reviewer: {cache: {ttl_minutes: 0}}\n",
        (
            "handrail.yaml:1: step_reviewer.cache.ttl_minutes: 0 is not allowed; "
            "expected a number above 0"
        ),
    ),
    "outside a half-open range": (
        "interventions: {resource_throttling: {reduction_factors: {severe: 0}}}\n",
        (
            "handrail.yaml:1: interventions.resource_throttling.reduction_factors.severe: "
            "0 is not allowed; expected a number above 0, up to 1"
        ),
    ),
    "not a choice": (
        "step_reviewer:\n  mode: asynch\n",
        (
            "handrail.yaml:2: step_reviewer.mode: 'asynch' is not allowed; did you mean async? "
            "expected async or blocking"
        ),
    ),
    "almost a kind of finding": (
        "detection:\n  disabled: [stall, goal_drft]\n",
        (
            "handrail.yaml:2: detection.disabled[1]: 'goal_drft' is no kind of finding; "
            "did you mean goal_drift?"
        ),
    ),
    "almost a means": (
        "interventions: {strategy: {patterns: {loop: [soft_corection]}}}\n",
        (
            "handrail.yaml:1: interventions.strategy.patterns.loop[0]: 'soft_corection' is no "
            "means; did you mean soft_correction?"
        ),
    ),
    "almost a kind of finding as a key": (
        "interventions: {strategy: {patterns: {lop: [a, b, c, d]}}}\n",
        (
            "handrail.yaml:1: interventions.strategy.patterns.lop: 'lop' is no kind of finding; "
            "did you mean loop?"
        ),
    ),
    "an address without a service": (
        "notify:\n  urls: ['ntfy://example.com/x', nonsense]\n",
        (
            "handrail.yaml:1: notify: urls[1] is no address; it begins with a service, "
            "ntfy://… for example"
        ),
    ),
    "a key without a name": (
        "judge: {key_variable: ''}\n",
        (
            "handrail.yaml:1: judge.key_variable: '' is not allowed; "
            "expected a text that is not empty"
        ),
    ),
    "not yes or no": (
        "step_reviewer: {enabled: maybe}\n",
        "handrail.yaml:1: step_reviewer.enabled: 'maybe' is not allowed; expected true or false",
    ),
    "nothing": (
        "goal:\nscope: [src]\n",
        "handrail.yaml:1: goal: nothing is written here; expected a text",
    ),
    "a list for a text": (
        "goal: [a]\n",
        "handrail.yaml:1: goal: a list is not allowed here; expected a text",
    ),
    "a mapping for a text": (
        "goal: {a: 1}\n",
        "handrail.yaml:1: goal: a mapping is not allowed here; expected a text",
    ),
    "a text for a section": (
        "hosts: git.corp\n",
        (
            "handrail.yaml:1: hosts: 'git.corp' is not allowed; expected a mapping with trusted, "
            "services"
        ),
    ),
    "a text for a list": (
        "secrets: '*.pem'\n",
        "handrail.yaml:1: secrets: '*.pem' is not allowed; expected a list of globs",
    ),
    "a text for a mapping": (
        "programs: deploy\n",
        "handrail.yaml:1: programs: 'deploy' is not allowed; expected a mapping",
    ),
    "an empty item": (
        "secrets:\n-\n",
        "handrail.yaml:2: secrets[0]: nothing is written here; expected a glob",
    ),
    "a list for a file": (
        "- goal\n",
        (
            "handrail.yaml:1: a list is not allowed here; expected a mapping with goal, scope, "
            "protected, secrets, regenerable, hosts, programs, attended, on_fault, limits, prices, "
            "log, step_reviewer, detection, interventions, checkpoints, trash, control, approvals, "
            "notify, panel, judge, fleet, desktop"
        ),
    ),
    "a long value is shortened": (
        f"step_reviewer: {{mode: {'x' * 99}}}\n",
        (
            f"handrail.yaml:1: step_reviewer.mode: '{'x' * 40}…' is not allowed; "
            "expected async or blocking"
        ),
    ),
    "no glob": (
        "protected: ['{a,b}/c']\n",
        (
            "handrail.yaml:1: protected[0]: '{a,b}/c' has braces, which are not understood; "
            "write one glob for each"
        ),
    ),
    "no name glob": (
        "secrets: ['!a']\n",
        "handrail.yaml:1: secrets[0]: '!a' cannot be negated; list what is meant instead",
    ),
    "a nested program": (
        "programs:\n  deploy:\n    facts:\n      - does: explode\n",
        "handrail.yaml:4: programs.deploy.facts[0].does: 'explode' is not allowed; expected read,",
    ),
    "a rule without a name": (
        "step_reviewer:\n  rules:\n    custom:\n    - {decision: block, says: no, tools: [Bash]}\n",
        (
            "handrail.yaml:4: step_reviewer.rules.custom[0]: name is missing; "
            "expected a text that is not empty"
        ),
    ),
    "a rule without a condition": (
        "step_reviewer:\n  rules:\n    custom:\n    - {name: x, decision: block, says: no}\n",
        (
            "handrail.yaml:4: step_reviewer.rules.custom[0]: a rule without a condition would "
            "apply to everything; give it kinds, targets, tools or commands"
        ),
    ),
    "no regular expression": (
        (
            "step_reviewer:\n  rules:\n    custom:\n    - name: x\n      decision: block\n"
            "      says: no\n      commands:\n      - ok\n      - (\n"
        ),
        (
            "handrail.yaml:9: step_reviewer.rules.custom[0].commands[1]: '(' is not a regular "
            "expression: missing ), unterminated subpattern at position 0"
        ),
    ),
    "falling thresholds": (
        "step_reviewer:\n  risk:\n    high_threshold: 0.5\n",
        (
            "handrail.yaml:2: step_reviewer.risk: each threshold must be at least the one before "
            "it: low_threshold 0.3, medium_threshold 0.6, high_threshold 0.5, "
            "critical_threshold 0.95"
        ),
    ),
    "a missing rules file": (
        "step_reviewer:\n  rules:\n    custom_rules_path: rules.yaml\n",
        "handrail.yaml:3: step_reviewer.rules.custom_rules_path: rules.yaml: there is no such file",
    ),
}


@pytest.mark.parametrize(("text", "said"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_with_file_line_key_and_what_is_allowed(
    text: str, said: str, machine: "ScratchMachine"
) -> None:
    [problem] = machine.problems(text)
    if said.endswith(","):
        assert problem.startswith(said)
    else:
        assert problem == said


def test_all_mistakes_of_all_files_are_told_at_once(machine: "ScratchMachine") -> None:
    machine.write("gaol: x\n", ".config/handrail/handrail.yaml")
    text = "step_reviewer:\n  mode: fast\n  cache:\n    max_size: none\nsecrets: 5\n"
    problems = machine.problems(text, HANDRAIL_STEP_REVIEWER__ENABLED="2")
    assert [problem.split(": ")[0] for problem in problems] == [
        "~/.config/handrail/handrail.yaml:1",
        "handrail.yaml:2",
        "handrail.yaml:4",
        "handrail.yaml:5",
        "HANDRAIL_STEP_REVIEWER__ENABLED",
    ]


def test_a_mistake_in_a_rules_file_is_told_with_its_own_line(machine: "ScratchMachine") -> None:
    machine.write("rules:\n- name: x\n  decison: block\n  says: no\n", "shop/rules.yaml")
    problems = machine.problems("step_reviewer: {rules: {custom_rules_path: rules.yaml}}\n")
    assert problems == [
        "rules.yaml:2: rules[0]: decision is missing; expected allow, warn, modify or block",
        (
            "rules.yaml:3: rules[0].decison: unknown key; did you mean decision? allowed: name, "
            "decision, says, instead, kinds, targets, tools, commands"
        ),
    ]


def test_a_mistake_below_is_told_even_if_a_layer_above_hides_it(machine: "ScratchMachine") -> None:
    [problem] = machine.problems(
        "step_reviewer: {mode: fast}\n", HANDRAIL_STEP_REVIEWER__MODE="async"
    )
    assert problem.startswith("handrail.yaml:1: step_reviewer.mode")


def test_a_section_with_every_line_commented_out_is_empty(machine: "ScratchMachine") -> None:
    machine.write("step_reviewer:\n  # mode: async\nscope:\nprograms:\ngoal: ship\n")
    config = machine.load().config
    assert (config.goal, config.step_reviewer.mode, config.scope) == ("ship", "blocking", ())


def test_a_number_may_stand_for_a_text(machine: "ScratchMachine") -> None:
    machine.write("goal: 4.20\nprograms:\n  x:\n    facts:\n    - {does: delete, on: 1}\n")
    config = machine.load().config
    assert config.goal == "4.20"
    assert config.programs["x"].facts[0].on == "1"


def test_names_that_are_like_no_known_one_may_be_of_a_users_own(machine: "ScratchMachine") -> None:
    machine.write(
        "detection: {disabled: [night_shift]}\n"
        "interventions: {strategy: {patterns: {night_shift: [page, page, page, page]}}}\n"
        "notify: {urls: ['${TEAM_URL}']}\n"
    )
    config = machine.load().config
    assert config.detection.disabled == ("night_shift",)
    assert config.interventions.strategy.patterns == {"night_shift": ("page",) * 4}
    assert config.notify.urls == ("${TEAM_URL}",)


def test_an_address_that_is_wrong_is_not_shown(machine: "ScratchMachine") -> None:
    [problem] = machine.problems("notify: {urls: ['hooks.example.com/T0/s3cr3t']}\n")
    assert "s3cr3t" not in problem
