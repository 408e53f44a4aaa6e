"""Check the arguments of the library's functions."""

import json
from collections.abc import Iterable, Mapping

from handrail.detect.detector import Detector
from handrail.detect.plugins import check_detector
from handrail.intervene.kind import InterventionKind
from handrail.model.program import Program
from handrail.review.judgment.rules import Rule
from handrail.review.plugins import check_programs, check_rule
from handrail.supervise.runs.extensions import Extensions


def json_object(tool: str, given: Mapping[str, object]) -> dict[str, object]:
    """Return a copy of an input as JSON: later changes by the program do not reach the review."""
    if not isinstance(tool, str) or not tool:
        raise TypeError("the tool of an action is a name")
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise TypeError(f"the input of {tool} must be a mapping of names to JSON values")
    try:
        copied: dict[str, object] = json.loads(json.dumps(dict(given), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"the input of {tool} must be JSON: {error}") from None
    return copied


def make_extensions(
    detectors: Iterable[type[Detector]],
    interventions: Iterable[InterventionKind],
    programs: Mapping[str, Program] | None,
    rules: Iterable[Rule],
) -> Extensions:
    """Check and return a program's extensions; raises TypeError."""
    kinds = tuple(interventions)
    for each in kinds:
        if not isinstance(each, InterventionKind):
            raise TypeError(f"{each!r} is no InterventionKind")
    return Extensions(
        tuple(check_detector(each, repr(each)) for each in detectors),
        kinds,
        check_programs(dict(programs or {}), "programs"),
        tuple(check_rule(each, repr(each)) for each in rules),
    )
