"""What was noticed stays until a person has seen it."""

from pathlib import Path

from handrail.server.home import Home
from handrail.server.integrity.notices import (
    Notice,
    NoticeBoard,
    mark_seen,
    settle_notices,
    unseen_notices,
)


def notice(says: str = "Lost.", path: str = "/a") -> Notice:
    return Notice(0, 1.0, "hooks", path, says, "Fix: it.")


def test_a_notice_outlives_the_daemon_until_it_is_seen(tmp_path: Path) -> None:
    home = Home(str(tmp_path))
    NoticeBoard(home).add(notice())
    assert [each.text for each in unseen_notices(home)] == ["Lost. Fix: it."]
    mark_seen(home, unseen_notices(home))
    assert unseen_notices(home) == NoticeBoard(home).unseen() == []


def test_the_same_again_is_kept_once_while_nobody_has_seen_it(tmp_path: Path) -> None:
    home = Home(str(tmp_path))
    board = NoticeBoard(home)
    assert board.add(notice()) is not None
    assert board.add(notice()) is None
    mark_seen(home, unseen_notices(home))
    assert board.add(notice()) is not None


def test_what_was_seen_does_not_come_back_with_the_next_notice(tmp_path: Path) -> None:
    home = Home(str(tmp_path))
    board = NoticeBoard(home)
    board.add(notice("one"))
    mark_seen(home, unseen_notices(home))
    board.add(notice("two"))
    assert [each.says for each in unseen_notices(home)] == ["two"]


def test_installing_settles_what_was_said_of_that_file_only(tmp_path: Path) -> None:
    home = Home(str(tmp_path))
    board = NoticeBoard(home)
    board.add(notice(path="/a"))
    board.add(notice(path="/b"))
    settle_notices(home, "/a")
    assert [each.path for each in unseen_notices(home)] == ["/b"]


def test_a_damaged_line_costs_only_itself(tmp_path: Path) -> None:
    home = Home(str(tmp_path))
    NoticeBoard(home).add(notice())
    with open(home.notices, "ab") as file:
        file.write(b"{ no json\n\xff\n")
    assert len(unseen_notices(home)) == 1
