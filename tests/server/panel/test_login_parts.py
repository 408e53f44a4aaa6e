"""Codes, sessions and wrong attempts over time, with a clock of the test's own."""

import asyncio
import json
import stat
from pathlib import Path

import pytest

from handrail.server.panel.attempt_limit import AttemptLimit
from handrail.server.panel.browser_sessions import UNUSED_DAYS, BrowserSessions, has_key
from handrail.server.panel.login_codes import LIFETIME, LoginCodes

DAY = 86_400.0


class HandClock:
    """A clock that goes on when the test says so."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


# Codes


def test_a_code_has_128_bits_and_counts_once(clock: HandClock) -> None:
    codes = LoginCodes(clock)
    code = codes.make(("read",))
    assert len(code) * 5 >= 128
    assert (codes.take(code), codes.take(code)) == (("read",), ())


def test_a_code_is_worthless_after_a_minute(clock: HandClock) -> None:
    codes = LoginCodes(clock)
    first, second = codes.make(("read",)), codes.make(("read",))
    clock.now += LIFETIME - 1
    assert codes.take(first) == ("read",)
    clock.now += 1
    assert codes.take(second) == ()


def test_nobody_can_fill_the_memory_with_codes(clock: HandClock) -> None:
    codes = LoginCodes(clock)
    made = [codes.make(("read",)) for _ in range(30)]
    assert [bool(codes.take(code)) for code in made] == [False] * 10 + [True] * 20


@pytest.mark.parametrize("text", ["", " ", "-", "\udcff", "é" * 9000, "\0"])
def test_anything_else_is_no_code(clock: HandClock, text: str) -> None:
    codes = LoginCodes(clock)
    codes.make(("read",))
    assert codes.take(text) == ()


# Sessions


def test_a_session_ends_after_two_weeks_without_use(clock: HandClock, tmp_path: Path) -> None:
    async def live() -> list[bool]:
        sessions = BrowserSessions(str(tmp_path / "s.json"), clock)
        new = await sessions.begin(("read",))
        found = []
        for days in (UNUSED_DAYS - 1, UNUSED_DAYS - 1, UNUSED_DAYS + 1):
            clock.now += days * DAY
            found.append(sessions.find(new.cookie) is not None)
        return found

    assert asyncio.run(live()) == [True, True, False]


def test_its_use_is_written_down_for_the_next_daemon(clock: HandClock, tmp_path: Path) -> None:
    path = str(tmp_path / "s.json")

    async def use() -> str:
        sessions = BrowserSessions(path, clock)
        new = await sessions.begin(("read", "control"))
        clock.now += 10 * DAY
        assert sessions.find(new.cookie)
        await asyncio.gather(*sessions.tasks)
        return new.cookie

    cookie = asyncio.run(use())
    clock.now += 10 * DAY

    async def next_daemon() -> bool:
        return BrowserSessions(path, clock).find(cookie) is not None

    assert asyncio.run(next_daemon())


def test_the_file_has_neither_cookie_nor_key(clock: HandClock, tmp_path: Path) -> None:
    path = tmp_path / "s.json"

    async def begin() -> None:
        sessions = BrowserSessions(str(path), clock)
        new = await sessions.begin(("read",))
        found = sessions.find(new.cookie)
        assert found
        assert has_key(found[1], new.key)
        assert not has_key(found[1], new.cookie)
        text = path.read_text()
        assert new.cookie not in text
        assert new.key not in text
        assert sessions.find(next(iter(json.loads(text)["sessions"]))) is None

    asyncio.run(begin())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["", "{", "[]", '{"sessions": {"a": 1}}', "\0"])
def test_a_damaged_file_logs_everybody_out_and_nothing_else(
    clock: HandClock, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "s.json"
    path.write_text(text)

    async def begin() -> bool:
        sessions = BrowserSessions(str(path), clock)
        new = await sessions.begin(("read",))
        return sessions.find(new.cookie) is not None

    assert asyncio.run(begin())


def test_the_session_that_was_not_used_for_longest_makes_room(
    clock: HandClock, tmp_path: Path
) -> None:
    async def begin() -> list[bool]:
        sessions = BrowserSessions(str(tmp_path / "s.json"), clock)
        made = []
        for _ in range(101):
            clock.now += 1
            made.append(await sessions.begin(("read",)))
        return [sessions.find(each.cookie) is not None for each in made]

    assert asyncio.run(begin()) == [False] + [True] * 100


# Wrong attempts


def test_the_wait_grows_up_to_a_minute(clock: HandClock) -> None:
    limit = AttemptLimit(clock)
    waits = []
    for _ in range(14):
        limit.failed("127.0.0.1")
        waits.append(limit.wait("127.0.0.1"))
        clock.now += waits[-1]
        assert limit.wait("127.0.0.1") == 0
    assert waits == [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]


def test_other_addresses_do_not_wait(clock: HandClock) -> None:
    limit = AttemptLimit(clock)
    for _ in range(20):
        limit.failed("192.0.2.1")
        limit.failed("2001:db8::1")
    assert limit.wait("192.0.2.1") > 0
    assert limit.wait("2001:db8::ffff:1") > 0  # the same network, so maybe the same machine
    assert limit.wait("192.0.2.2") == limit.wait("2001:db8:0:1::1") == limit.wait("") == 0


def test_success_and_time_make_up_for_failures(clock: HandClock) -> None:
    limit = AttemptLimit(clock)
    for _ in range(8):
        limit.failed("192.0.2.1")
    limit.succeeded("192.0.2.1")
    assert limit.wait("192.0.2.1") == 0
    for _ in range(8):
        limit.failed("192.0.2.1")
    clock.now += 3601
    limit.failed("192.0.2.1")
    assert limit.wait("192.0.2.1") == 0


def test_many_addresses_do_not_fill_the_memory(clock: HandClock) -> None:
    limit = AttemptLimit(clock)
    for number in range(3000):
        for _ in range(5):
            limit.failed(f"192.0.{number // 250}.{number % 250}")
    assert limit.wait("192.0.0.0") == 0
    assert limit.wait("192.0.11.249") > 0
