"""The pictures show what Handrail prints today. If not: make pictures"""

import json
import re

import pytest
from scripts.pictures.gallery import (
    DRAWINGS,
    FOLDER,
    NAMES,
    PANEL_LABELS,
    SCENES,
    picture,
    structure,
)
from scripts.pictures.panel import PANEL_SCENES, missing, take

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", SCENES)
def test_a_screen_says_today_what_its_picture_shows(name: str) -> None:
    assert structure((FOLDER / f"{name}.svg").read_text()) == structure(picture(name))


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_is_up_to_date(name: str) -> None:
    assert (FOLDER / f"{name}.svg").read_text() == picture(name)


@pytest.mark.skipif(bool(missing()), reason=f"make test says how to get it: {missing()}")
def test_the_panel_says_today_what_its_pictures_show() -> None:
    taken = {name: each.labels for name, each in take(list(PANEL_SCENES))}
    assert json.loads(PANEL_LABELS.read_text()) == taken


@pytest.mark.parametrize("name", PANEL_SCENES)
def test_a_picture_of_the_panel_is_small(name: str) -> None:
    assert 5_000 < (FOLDER / f"{name}.webp").stat().st_size < 150_000


def test_every_picture_is_shown_somewhere() -> None:
    root = FOLDER.parents[1]
    pages = "".join(page.read_text() for page in (root / "README.md", *root.glob("docs/*.md")))
    files = [f"{name}.svg" for name in NAMES] + [f"{name}.webp" for name in PANEL_SCENES]
    assert [name for name in files if f"pictures/{name}" not in pages] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_loads_nothing_from_elsewhere(name: str) -> None:
    used = (FOLDER / f"{name}.svg").read_text()
    assert re.findall(r"(?:href|src)=|@import|url\((?!#)", used) == []
