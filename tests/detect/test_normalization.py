"""When two calls or results are the same."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from handrail.detect.normalization import normalized_error, result_keys
from handrail.model.action import Action, Outcome
from handrail.model.fingerprint import call_key


def _same(first: str, second: str) -> bool:
    return result_keys(Outcome(True, 0, first)) == result_keys(Outcome(True, 0, second))


# --- results: what does not matter -------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("3 passed in 0.12s", "3 passed in 10.5s"),
        ("===== 3 passed in 0.12s =====", "==== 3 passed in 10.12s ===="),
        ("took 980 ms", "took 1.2 s"),
        ("took 1m23s", "took 12m3.5s"),
        ("ready in 3 seconds", "ready in 1 second"),
        ("2026-01-25 20:47:01 start", "2026-02-01 03:07:59 start"),
        ("2026-01-25T20:47:01.123Z start", "2026-02-01T03:07:59Z start"),
        ("[20:47:01] start", "[03:07:59.5] start"),
        ("at 9:05 PM", "at 10:15 AM"),
        ("epoch 1790000000.25", "epoch 1790000444"),
        ("epoch 1790000000123", "epoch 1790000444987"),
        ("<Shop object at 0x7f3c2a1b4d60>", "<Shop object at 0x7fe00a1b4d60>"),
        ("pid 4711 started", "pid 815 started"),
        ("PID: 4711", "PID: 12"),
        ("process 4711 ended", "process 9 ended"),
        ("[1] 4711\nok", "[1] 81551\nok"),
        ("serving on localhost:43121", "serving on localhost:55555"),
        ("http://127.0.0.1:43121/x", "http://127.0.0.1:8000/x"),
        ("wrote /tmp/tmpab12cd34/x", "wrote /tmp/tmpzz98yx_1/x"),
        ("wrote /tmp/tmp.Xy12Zw34Qa", "wrote /tmp/tmp.Ab99Cd88Ef"),
        ("in /tmp/pytest-of-dev/pytest-12/a", "in /tmp/pytest-of-dev/pytest-345/a"),
        (
            "id 123e4567-e89b-12d3-a456-426614174000",
            "id fedcba98-e89b-12d3-a456-0123456789ab",
        ),
        ("container 3f2a1b9c8d7e", "container ab12cd34ef56"),
        ("\x1b[31mfailed\x1b[0m", "failed"),
        ("10%\r50%\r100% done\n", "20%\r100% done\n"),
        ("line\r\nnext\r\n", "line\nnext\n"),
        ("text  \nmore\n\n", "text\nmore"),
        ("dev@host:~/shop$ ls\na.py", "a.py"),
        ("(venv) dev@host:~$ ls\na.py", "dev@other:/srv$ ls\na.py"),
    ],
)
def test_what_is_different_each_time_does_not_matter(first: str, second: str) -> None:
    assert _same(first, second)


# --- results: what matters ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("3 failed, 7 passed in 0.1s", "2 failed, 8 passed in 0.1s"),
        ("E   assert 3 == 4", "E   assert 2 == 4"),
        ("test_a", "test_b"),
        ("test_1 failed", "test_2 failed"),
        ("a.py", "b.py"),
        ("line 12", "line 13"),
        ("42", "43"),
        ("0.91", "0.92"),
        ("80% covered", "85% covered"),
        ("12 files", "13 files"),
        ("v1.2.3", "v1.2.4"),
        ("0x10", "0x20"),
        ("True", "False"),
        ("", "x"),
        ("users: 100", "users: 101"),
        ("No such file: a", "No such file: b"),
        ("wrote /tmp/report.txt", "wrote /tmp/summary.txt"),
        ("wrote /tmp/my-report.txt", "wrote /tmp/my-summary.txt"),
        ("{1:100}", "{1:200}"),
        ("result 12345678901", "result 22345678901"),
    ],
)
def test_what_means_something_matters(first: str, second: str) -> None:
    assert not _same(first, second)


def test_success_and_failure_are_different_whatever_they_say() -> None:
    assert result_keys(Outcome(True, 0, "x")) != result_keys(Outcome(False, 1, "x"))


def test_an_error_matters_as_an_output_does() -> None:
    first, second = Outcome(False, 1, error="no a"), Outcome(False, 1, error="no b")
    assert result_keys(first) != result_keys(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a.py:12: no x", "a.py:340: no x"),
        ("a.tsx:12:5 no x", "a.tsx:3:25 no x"),
        ('File "a.py", line 12, in f', 'File "a.py", line 340, in f'),
    ],
)
def test_an_error_that_moves_to_another_line_stays_the_same(first: str, second: str) -> None:
    one, other = (result_keys(Outcome(False, 1, text)) for text in (first, second))
    assert one.failure == other.failure
    assert not _same(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Using --randomly-seed=3151", "Using --randomly-seed=998877"),
        ("Randomized with seed 4711", "Randomized with seed 12"),
        ("Seed:      -1234567", "Seed:      884422"),
        ("request id: req_011CSHoEeqs5C35K", "request id: req_99ZZaa8877"),
        ('{"requestId":"Xy12-zz"}', '{"requestId":"b7-q0"}'),
        ("x-request-id: 8fk2-99z", "x-request-id: zz-71k"),
        ("Request 7fk29z1 failed", "Request k28dd8q failed"),
        ("trace_id=abc.def", "trace_id=xyz.uvw"),
        ("listening on port 43121", "listening on port 5999"),
        ("elapsed: 1.52", "elapsed: 10.7"),
        ("total duration 31", "total duration 77.25"),
        ("connect ECONNREFUSED 172.17.0.3:5432", "connect ECONNREFUSED 172.17.0.9:5432"),
        ("dial tcp db.internal:54321: refused", "dial tcp db.internal:33333: refused"),
        ("bind [::]:43121: in use", "bind [::]:43122: in use"),
        ("segfault at 7f3c2a1b4d60 ip 0x7f3c2a1b4d60", "segfault at 7fe00a1b4d60 ip 0x7fe00a1b4d6"),
        ("Timeout after 3021 ms (request id=a1)", "Timeout after 2999 ms (request id=b2)"),
    ],
)
def test_an_error_with_other_random_values_stays_the_same(first: str, second: str) -> None:
    assert normalized_error(first) == normalized_error(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("user id: 42", "user id: 43"),
        ("ports: 2 open", "ports: 3 open"),
        ("seeded 3 rows", "seeded 4 rows"),
        ("requested 3 items", "requested 4 items"),
        ("report 12 is missing", "report 13 is missing"),
        ("expected 1.2.3, got 1.2.4", "expected 1.2.3, got 1.2.5"),
        ("cannot reach shop:80", "cannot reach cart:80"),
        ("status 500 from shop", "status 404 from shop"),
    ],
)
def test_an_error_with_another_meaning_is_another_one(first: str, second: str) -> None:
    assert normalized_error(first) != normalized_error(second)


def test_in_a_long_output_words_matter_at_both_ends_and_between() -> None:
    filler = "some text that stays as it is\n" * 100
    whole = f"start\n{filler}"
    assert not _same(f"start\n{filler}", f"begin\n{filler}")
    assert not _same(f"{whole}end", f"{whole}stop")
    assert not _same(f"{filler[:900]}one{filler[:900]}", f"{filler[:900]}two{filler[:900]}")


def test_in_a_long_output_noise_does_not_matter_anywhere() -> None:
    def log(hour: int) -> str:
        return "".join(f"2026-01-25 {hour:02}:{n % 60:02}:01 item {n}\n" for n in range(80))

    assert _same(log(1), log(23))


WORDS = st.text(st.characters(codec="ascii", categories=["Lu", "Ll"]), min_size=1, max_size=8)
TEXTS = st.lists(WORDS, min_size=1, max_size=40).map(" ".join)
KINDS_OF_NOISE = (
    st.floats(0, 1e4).map(lambda took: f"{took:.2f}s"),
    st.integers(0, 10**6).map(lambda took: f"{took} ms"),
    st.datetimes().map(lambda at: f"2026-{at:%m-%d %H:%M:%S}"),
    st.times().map(lambda at: f"{at:%H:%M:%S}"),
    st.integers(2**24, 2**48).map(hex),
    st.uuids().map(str),
    st.integers(2, 99_999).map(lambda pid: f"pid={pid}"),
    st.integers(1, 65_535).map(lambda port: f"localhost:{port}"),
    st.from_regex(r"/tmp/tmp[a-z0-9_]{8}", fullmatch=True),
    st.integers(1, 9_999).map(lambda number: f"/tmp/pytest-of-dev/pytest-{number}"),
    st.integers(0, 107).map(lambda color: f"\x1b[{color}m"),
)


KINDS_OF_NOISE_IN_ERRORS = (
    st.integers(0, 10**9).map(lambda seed: f"seed={seed}"),
    st.from_regex(r"request[ _-]id: [a-z0-9]{4,20}", fullmatch=True).map(
        lambda text: text.replace("_", " ").replace("-", " ")
    ),
    st.integers(1024, 65_535).map(lambda port: f"port {port}"),
    st.ip_addresses(v=4).map(str),
)


@given(TEXTS, TEXTS, st.sampled_from(KINDS_OF_NOISE_IN_ERRORS), st.data())
def test_noise_in_an_error_keeps_it_the_same(
    before: str, after: str, kind: st.SearchStrategy[str], data: st.DataObject
) -> None:
    first, second = (f"{before} {data.draw(kind)} {after}" for _ in range(2))
    assert normalized_error(first) == normalized_error(second)


@given(TEXTS, TEXTS, st.sampled_from(KINDS_OF_NOISE), st.data())
def test_noise_of_the_same_kind_keeps_the_key(
    before: str, after: str, kind: st.SearchStrategy[str], data: st.DataObject
) -> None:
    first, second = data.draw(kind), data.draw(kind)
    assert _same(f"{before} {first} {after}", f"{before} {second} {after}")


LONG = st.lists(TEXTS, min_size=10, max_size=200).map("\n".join)


@given(LONG, st.sampled_from(KINDS_OF_NOISE), st.data())
def test_noise_of_any_length_keeps_the_key_of_a_long_output(
    text: str, kind: st.SearchStrategy[str], data: st.DataObject
) -> None:
    first, second = data.draw(kind), data.draw(kind)
    assert _same(f"began {first}\n{text}\nended {first}", f"began {second}\n{text}\nended {second}")


@given(TEXTS, st.integers(0, 99_999), st.integers(0, 99_999), WORDS)
def test_a_count_changes_the_key(text: str, first: int, second: int, noun: str) -> None:
    assume(first != second)
    assume(not re.match(r"(?:[num]?s|secs?|seconds?|mins?|minutes?|hours?|[AP]M)\b", noun))
    assert not _same(f"{text}: {first} x{noun}", f"{text}: {second} x{noun}")


@given(TEXTS, TEXTS)
def test_other_words_change_the_key(first: str, second: str) -> None:
    assume(first.replace(" ", "") != second.replace(" ", ""))
    assert not _same(first, second)


@given(st.text(max_size=6_000))
def test_every_text_has_a_key(text: str) -> None:
    assert _same(text, text)
    assert isinstance(normalized_error(text), str)


@pytest.mark.parametrize(
    "text",
    ["1" * 100_000, "-" * 100_000, "@" * 100_000, "\r" * 100_000, "a1" * 50_000, "\x1b]" * 50_000],
)
def test_a_hostile_text_is_read_in_time(text: str) -> None:
    assert _same(text, text)


@pytest.mark.parametrize("command", ["\n" * 100_000, " " * 100_000 + "x", "#" * 100_000])
def test_a_hostile_command_is_read_in_time(command: str) -> None:
    assert _bash(command) == _bash(command)


# --- calls -------------------------------------------------------------------------------------


def _bash(command: str, cwd: str = "/srv/shop", **more: object) -> str:
    return call_key(Action("Bash", {"command": command, **more}, cwd))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (_bash("ls", description="Look"), _bash("ls", description="Look again", timeout=9)),
        (_bash("ls  "), _bash("ls\n")),
        (_bash("# once more\npytest -x"), _bash("pytest -x")),
        (_bash("sleep 5 && curl x"), _bash("sleep 30 && curl x")),
        (
            call_key(Action("Read", {"file_path": "/a"}, "/srv")),
            call_key(Action("Read", {"file_path": "/a"}, "/home")),
        ),
    ],
)
def test_what_an_agent_words_anew_is_the_same_call(first: str, second: str) -> None:
    assert first == second


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (_bash("pytest a.py"), _bash("pytest b.py")),
        (_bash("ls", "/srv/shop"), _bash("ls", "/srv/shop/src")),
        (_bash("python - <<E\nif x:\n  y\nE"), _bash("python - <<E\nif x:\n    y\nE")),
        (
            call_key(Action("Read", {"file_path": "/a", "offset": 1})),
            call_key(Action("Read", {"file_path": "/a", "offset": 200})),
        ),
        (
            call_key(Action("Edit", {"file_path": "/a", "old_string": "x"})),
            call_key(Action("Edit", {"file_path": "/a", "old_string": "y"})),
        ),
        (
            call_key(Action("Write", {"content": "a" * 20_000})),
            call_key(Action("Write", {"content": "a" * 20_001})),
        ),
        (call_key(Action("Read", {"file_path": "/a"})), call_key(Action("Glob", {"path": "/a"}))),
    ],
)
def test_another_target_is_another_call(first: str, second: str) -> None:
    assert first != second
