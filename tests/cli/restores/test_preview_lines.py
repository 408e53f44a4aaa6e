"""The picture of a restore: every file where there are few, folders where there are many."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.checkpoint_records import record

from handrail.checkpoint import RestorePreview, RestoreTarget, UndoLevel
from handrail.checkpoint.restore.target import FileRestoreAction, RestoreItem, SparedFile
from handrail.cli.output.terminal import TerminalOutput, columns
from handrail.cli.restores.preview_lines import (
    SHOWN,
    changes_in_words,
    clip_path,
    folders_in_words,
    shares,
    show_preview,
)


def preview(items: Sequence[RestoreItem], spared: Sequence[SparedFile] = ()) -> RestorePreview:
    return RestorePreview(
        RestoreTarget(UndoLevel.ACTION, record(1)), "tree", tuple(items), tuple(spared)
    )


def shown(
    capsys: pytest.CaptureFixture[str],
    given: RestorePreview,
    *,
    width: int = 80,
    over: bool = False,
) -> list[str]:
    show_preview(TerminalOutput(colour=False, width=width), given, over=over)
    return capsys.readouterr().out.splitlines()


def test_every_file_has_its_word_and_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    items = [
        RestoreItem("tmp/out.json", FileRestoreAction.DELETE),
        RestoreItem("src/cart.py", FileRestoreAction.CHANGE, 310),
        RestoreItem("notes/plan.md", FileRestoreAction.CREATE, 4100),
    ]
    spared = [SparedFile("src/total.py", "changed since by you", conflict=True)]
    assert shown(capsys, preview(items, spared)) == [
        "   restore   notes/plan.md  4.1 KB",
        "   change    src/cart.py    310 B",
        "   delete    tmp/out.json   created by it",
        "   keep      src/total.py   changed since by you → left alone",
    ]
    assert shown(capsys, preview([], spared), over=True) == [
        "   overwrite src/total.py  changed since by you"
    ]


def test_of_many_files_the_first_of_each_sort_are_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    items = [RestoreItem(f"src/{number:03}.py", FileRestoreAction.DELETE) for number in range(330)]
    items += [
        RestoreItem("a.txt", FileRestoreAction.CHANGE),
        RestoreItem("b.txt", FileRestoreAction.CREATE),
    ]
    lines = shown(capsys, preview(items))
    assert len(lines) == SHOWN + 1
    assert [line.split()[1] for line in lines[:3]] == ["b.txt", "a.txt", "src/000.py"]
    assert lines[-1] == "             … and 312 more in src/"
    assert changes_in_words(preview(items)) == "332 changes: 1 restored, 1 changed, 330 deleted"


def test_a_few_changes_are_only_counted() -> None:
    assert (
        changes_in_words(
            preview(
                [
                    RestoreItem("a", FileRestoreAction.DELETE),
                    RestoreItem("b", FileRestoreAction.CHANGE),
                ]
            )
        )
        == "2 changes"
    )
    kept = [SparedFile("c", "changed", conflict=True), SparedFile("d", "ignored")]
    assert changes_in_words(preview([], kept), over=True) == "1 change"


@pytest.mark.parametrize(
    ("paths", "says"),
    [
        (["src/a/x", "src/a/y"], "in src/a/"),
        (["src/a/x", "src/b/y"], "in src/"),
        (["x", "y"], "here"),
        (["src/x", "src/y", "docs/z", "w"], "(2 in src/, 1 in docs/, 1 elsewhere)"),
        (["a/x", "b/x", "c/x", "d/x"], "(1 in a/, 1 in b/, 1 in c/, 1 elsewhere)"),
    ],
)
def test_the_rest_is_told_by_folder(paths: list[str], says: str) -> None:
    assert folders_in_words(paths) == says


def test_of_a_long_path_the_end_is_shown() -> None:
    assert clip_path("src/cart.py", 11) == "src/cart.py"
    assert clip_path("src/shop/deep/inside/cart.py", 18) == "…/inside/cart.py"
    assert clip_path("a-file-with-a-very-long-name.py", 12) == "…ong-name.py"


_path = st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=90)
_item = st.builds(RestoreItem, _path, st.sampled_from(FileRestoreAction), st.integers(0, 10**12))
_spared = st.builds(SparedFile, _path, st.text(max_size=90), st.booleans())


@given(st.lists(_item, max_size=30), st.lists(_spared, max_size=30))
def test_whatever_files_are_called_lines_fit(
    items: list[RestoreItem], spared: list[SparedFile]
) -> None:
    lines: list[str] = []
    screen = TerminalOutput(colour=False)
    screen.say = lines.append  # type: ignore[assignment]
    show_preview(screen, preview(items, spared))
    assert max(map(columns, lines), default=0) <= 80
    assert all(line.isprintable() for line in lines)


@given(_path, st.integers(6, 60))
def test_a_clipped_path_fits(path: str, width: int) -> None:
    assert columns(clip_path(path, width)) <= width


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.integers(1, 40))
def test_the_room_is_shared_out(sizes: list[int], room: int) -> None:
    given = shares(sizes, room)
    assert sum(given) == min(sum(sizes), room)
    assert all(0 <= each <= size for each, size in zip(given, sizes, strict=True))
