"""What threads decode was looked at by msgspec before there are threads."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SOURCE = Path(__file__).parents[2] / "src" / "handrail"
DECODING = {"msgspec.convert", "msgspec.json.decode"}
PLAIN = {"dict", "list", "set"}
BY_PARAMETER = {"kind"}
"""Functions that are given the struct by their callers."""
ONE_THREAD = ("cli",)
RACE = """
import sys, threading
sys.setswitchinterval(1e-6)
from handrail.config import load_settings
start = threading.Barrier(2)
def load():
    start.wait()
    load_settings(sys.argv[1], environ={"HOME": sys.argv[1]})
threads = [threading.Thread(target=load) for _ in range(2)]
for each in threads: each.start()
for each in threads: each.join()
"""


def _decoded() -> Iterator[tuple[str, str]]:
    for path in SOURCE.rglob("*.py"):
        if path.relative_to(SOURCE).parts[0] in ONE_THREAD:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in DECODING:
                given = [each.value for each in node.keywords if each.arg == "type"]
                for kind in given or node.args[1:2]:
                    yield str(path.relative_to(SOURCE)), ast.unparse(kind)


def _decorated() -> set[str]:
    return {
        node.name
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(each) == "decodable" for each in node.decorator_list)
    }


def test_every_struct_that_threads_decode_is_marked() -> None:
    known = _decorated() | BY_PARAMETER | {"AnyMessage"}
    missing = {
        f"{path}: {kind}"
        for path, kind in _decoded()
        for name in [kind.removesuffix(" | None").removeprefix("list[").removesuffix("]")]
        if name not in known and name.partition("[")[0] not in PLAIN
    }
    assert missing == set()


@pytest.mark.slow
def test_two_threads_may_load_the_settings_at_once(tmp_path: Path) -> None:
    """Without the mark, about every tenth of these processes crashed."""
    for _ in range(10):
        done = subprocess.run([sys.executable, "-c", RACE, str(tmp_path)], check=False, timeout=60)
        assert done.returncode == 0
