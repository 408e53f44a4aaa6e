"""Entry points are found wherever importlib finds them; nobody searches where there are none."""

import zipfile
from pathlib import Path

import pytest

from handrail.config.entry_points import find_entry_points

GROUP = "handrail.rules"
POINTS = "[handrail.rules]\nzebra = shop:Zebra\nant = shop:Ant\n"
METADATA = "Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n"


def names() -> list[str]:
    return [point.name for point in find_entry_points(GROUP)]


def test_none_are_found_where_there_are_none() -> None:
    assert names() == []


@pytest.mark.parametrize("kind", ["dist-info", "egg-info"])
def test_those_of_a_package_come_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    info = tmp_path / f"shop-1.0.{kind}"
    info.mkdir()
    (info / "entry_points.txt").write_text(POINTS)
    (info / ("METADATA" if kind == "dist-info" else "PKG-INFO")).write_text(METADATA)
    monkeypatch.syspath_prepend(tmp_path)
    assert names() == ["ant", "zebra"]


def test_those_in_an_archive_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "shop.whl", "w") as archive:
        archive.writestr("shop-1.0.dist-info/entry_points.txt", POINTS)
        archive.writestr("shop-1.0.dist-info/METADATA", METADATA)
    monkeypatch.syspath_prepend(tmp_path / "shop.whl")
    assert names() == ["ant", "zebra"]


def test_a_folder_that_is_gone_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path / "gone")
    assert names() == []
