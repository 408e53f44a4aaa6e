"""When a service can be used again, read from the words of its refusal."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from handrail.drive.reset_time import find_reset_time

BERLIN = timezone(timedelta(hours=2))
NOON = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)


def reset(text: str, now: datetime = NOON) -> str:
    """Return the moment in UTC, or "" if the text names none."""
    at = find_reset_time(text, now.timestamp(), BERLIN)
    return datetime.fromtimestamp(at, UTC).strftime("%m-%d %H:%M:%S") if at else ""


@pytest.mark.parametrize(
    ("text", "at"),
    [
        (f"Claude AI usage limit reached|{int(NOON.timestamp()) + 3600}", "05-04 13:00:00"),
        (f'"resets_at":{int(NOON.timestamp()) + 60},"x":1', "05-04 12:01:00"),
        ('"resets_in_seconds": 90', "05-04 12:01:30"),
        ("retry-after: 30", "05-04 12:00:30"),
        ("Retry-After=2", "05-04 12:00:02"),
        ('{"retry-after-ms": "1500"}', "05-04 12:00:01"),
        ("Retry-After: Mon, 04 May 2026 12:05:00 GMT", "05-04 12:05:00"),
        ('"retryDelay": "34.5s"', "05-04 12:00:34"),
        ("Please retry after 2 minutes.", "05-04 12:02:00"),
        ("Please try again in 11.054s.", "05-04 12:00:11"),
        ("try again in 3 hours 2 minutes.", "05-04 15:02:00"),
        ("try again in 5 days 22 hours 11\nminutes.", "05-10 10:11:00"),
        ("resets in 4hr 29min", "05-04 16:29:00"),
        ("resets at 2026-05-04T21:00:00Z", "05-04 21:00:00"),
        ("resets at 2026-05-04T21:00", "05-04 19:00:00"),
        # a time of day, in the zone that is named, or in the machine's
        ("You've hit your limit · resets 3pm (UTC)", "05-04 15:00:00"),
        ("Your limit will reset at 3pm (America/Bogota).", "05-04 20:00:00"),
        ("You've hit your limit · resets 1:30am (Asia/Dhaka)", "05-04 19:30:00"),
        ("Limits will reset at 9:30 PM.  View your usage details.", "05-04 19:30:00"),
        ("try again at 3:05 PM", "05-04 13:05:00"),
        ("resets 15:30", "05-04 13:30:00"),
        ("resets 12:30am", "05-04 22:30:00"),
        # a day
        ("resets May 5 at 9pm (America/New_York)", "05-06 01:00:00"),
        ("try again at May 11th, 2026 1:36 PM.", "05-11 11:36:00"),
        ("resets June 2 at 5pm (UTC)", "06-02 17:00:00"),
        ("(resets 03:13 on 6 May)", "05-06 01:13:00"),
    ],
)  # fmt: skip
def test_a_moment_is_read_in_every_form(text: str, at: str) -> None:
    assert reset(text) == at


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Overloaded. Please try again in a moment.",
        "Rate limited. Please try again later.",
        "Retrying in 4 seconds… (attempt 4/10)",
        "resets 10",
        "try again at 10 de jul. de 2026, 11:52",
        "resets 25:00pm",
        "resets June 31 at 5pm",
        "resets May 5 at 99pm",
        "try again in 999999999 days",
        "retry-after: 0",
        "limit reached|9999999999",
        "limit reached|1000000000",
        "resets at 2026-13-45T99:99",
        "Retry-After: Mon, 99 Foo 2026 12:05:00 GMT",
    ],
)
def test_a_text_without_a_moment_names_none(text: str) -> None:
    assert reset(text) == ""


def test_a_time_of_day_that_has_just_passed_is_not_waited_for_until_tomorrow() -> None:
    """Hosts repeat an old message: asking again is cheap, a lost day is not."""
    assert reset("resets 11am (UTC)") == ""
    assert reset("resets 1am (UTC)") == ""


def test_a_time_of_day_early_tomorrow_is_waited_for() -> None:
    late = datetime(2026, 5, 4, 22, 0, tzinfo=UTC)
    assert reset("resets 1am (UTC)", late) == "05-05 01:00:00"


def test_a_zone_that_nobody_knows_is_the_machines() -> None:
    assert reset("resets 3pm (Mars/Olympus)") == "05-04 13:00:00"


def test_a_day_of_january_said_in_december_is_next_year() -> None:
    december = datetime(2026, 12, 30, 12, 0, tzinfo=UTC)
    assert reset("resets Jan 2 at 5pm (UTC)", december) == "01-02 17:00:00"
