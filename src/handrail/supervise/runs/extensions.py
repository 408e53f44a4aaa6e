"""The extensions of a program that uses Handrail as a library, for its own runs.

Installed packages add the same things for all runs, by entry points.
"""

from collections.abc import Mapping, Sequence

import msgspec

from handrail.detect.detector import Detector
from handrail.intervene.kind import InterventionKind
from handrail.model.program import Program
from handrail.review.judgment.rules import Rule


class Extensions(msgspec.Struct, frozen=True):
    """Detectors, interventions, program tables and rules."""

    detectors: Sequence[type[Detector]] = ()
    interventions: Sequence[InterventionKind] = ()
    programs: Mapping[str, Program] = {}
    rules: Sequence[Rule] = ()


NO_EXTENSIONS = Extensions()
