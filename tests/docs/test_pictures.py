"""The pictures show what Handrail prints today. If not: make pictures"""

import re

import pytest
from scripts.pictures.gallery import DRAWINGS, FOLDER, NAMES, SCENES, picture, structure

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", SCENES)
def test_a_screen_says_today_what_its_picture_shows(name: str) -> None:
    assert structure((FOLDER / f"{name}.svg").read_text()) == structure(picture(name))


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_is_up_to_date(name: str) -> None:
    assert (FOLDER / f"{name}.svg").read_text() == picture(name)


def test_every_picture_is_shown_somewhere() -> None:
    root = FOLDER.parents[1]
    pages = "".join(page.read_text() for page in (root / "README.md", *root.glob("docs/*.md")))
    assert [name for name in NAMES if f"pictures/{name}.svg" not in pages] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_loads_nothing_from_elsewhere(name: str) -> None:
    used = (FOLDER / f"{name}.svg").read_text()
    assert re.findall(r"(?:href|src)=|@import|url\((?!#)", used) == []
