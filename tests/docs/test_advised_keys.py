"""Every key of the settings that a text advises exists."""

import ast
import re
from pathlib import Path

import msgspec
import pytest

from handrail.config import Config
from handrail.config.foreign_keys import RENAMED
from handrail.config.validation import type_at

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
KEY = re.compile(r"`([a-z_]+(?:\.[a-z_]+)+)(?:: [^`]*)?`")
FILES = (".py", ".env")
SECTIONS = frozenset(field.encode_name for field in msgspec.structs.fields(Config))
ABOUT_OTHERS = {*RENAMED, "limits.file_operations"}
"""Keys of other designs, which Handrail answers."""


def advised(text: str) -> set[str]:
    """The keys of the settings in a text: dotted names in backticks below a known section."""
    dotted = (key for key in KEY.findall(text) if not key.endswith(FILES))
    return {key for key in dotted if key.partition(".")[0] in SECTIONS}


def texts_of(path: Path) -> str:
    """What a file says: a document as a whole, of a program the texts in it."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    found = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return "\n".join(value for value in found if isinstance(value, str))


def files() -> list[Path]:
    docs = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    return [*docs, *(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("README.md")]


def test_every_advised_key_exists() -> None:
    wrong = {
        f"{path.relative_to(ROOT)}: {key}"
        for path in files()
        for key in advised(texts_of(path)) - ABOUT_OTHERS
        if type_at(Config, key.split(".")) is None
    }
    assert wrong == set()


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Lower `limits.file_operations`.", {"limits.file_operations"}),
        ("With `step_reviewer.mode: async`, …", {"step_reviewer.mode"}),
        ("See `model/event.py` and `os.path`.", set()),
        ("The key is in `secrets.env`.", set()),
    ],
)
def test_keys_are_found_in_texts(text: str, keys: set[str]) -> None:
    assert advised(text) == keys
