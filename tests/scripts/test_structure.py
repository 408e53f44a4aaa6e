"""One place to change for one idea: what `benchmarks/structure.py` counts does not grow back."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

import handrail

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "structure.py"
PACKAGE = Path(handrail.__file__).parent


@pytest.fixture(scope="module")
def structure() -> ModuleType:
    spec = spec_from_file_location("benchmarks_structure", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_more_of_a_kind_touches_few_files(structure: ModuleType) -> None:
    assert structure.count_files_to_touch(PACKAGE) == {
        "files that name a detector (repeated refusals)": 1,
        "files that name a control command (escalate)": 3,
        # Models of the judge and of the desktop, and two lines of help.
        "files that name a host (Claude Code), outside of hosts/": 5,
        "files that name a store (SQLite)": 2,
        "files that name a CLI command (doctor)": 2,
    }


def test_files_and_functions_stay_short(structure: ModuleType) -> None:
    sizes = structure.count_sizes(PACKAGE)
    assert sizes["lines of a file, median"] <= 150
    assert sizes["lines of a file, 95 in 100 have at most"] <= 400
    assert sizes["lines of a function, median"] <= 10
