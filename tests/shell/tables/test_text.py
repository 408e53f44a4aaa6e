"""Tools that show text say what they read; patterns and programs are not files."""

from collections.abc import Callable

import pytest

TOUCHED = [
    ("cat a b", ["read /w/a", "read /w/b"]),
    ("head -n 5 a", ["read /w/a"]),
    ("tail -n +2 a", ["read /w/a"]),
    ("cut -d : -f 1 /etc/passwd", ["read /etc/passwd"]),
    ("sort -k 2 -o out in", ["read /w/in", "write /w/out"]),
    ("uniq in out", ["read /w/in", "write /w/out"]),
    ("xxd in out", ["read /w/in", "write /w/out"]),
    ("base64 -i a", ["read /w/a"]),
    ("diff -U 3 a b", ["read /w/a", "read /w/b"]),
    ("grep -n foo a", ["read /w/a*"]),
    ("grep -e foo a", ["read /w/a*"]),
    ("grep /etc/shadow a", ["read /w/a*"]),
    ("grep -A 3 foo a", ["read /w/a*"]),
    ("grep -q KEY .env", []),
    ("grep -c KEY .env", []),
    ("rg -g '*.py' foo src", ["read /w/src*"]),
    ("rg --files", []),
    ("less +G a", ["read /w/a"]),
    ("jq .env package.json", ["read /w/package.json"]),
    ("jq --arg a b .env package.json", ["read /w/package.json"]),
    ("jq -f prog a", ["read /w/prog", "read /w/a"]),
    ("jq --slurpfile x a . b", ["read /w/a", "read /w/b"]),
    ("jq -n '{a: $ARGS}' --args /etc/shadow", []),
    ("yq .a f.yml", ["read /w/f.yml"]),
    ("yq eval -i '.a = 1' f.yml", ["write /w/f.yml"]),
    ("patch a fix.diff", ["write /w/a", "read /w/fix.diff"]),
    ("patch -p1 -d /etc -i x", ["write /etc", "read /w/x"]),
    ("patch --dry-run -p1 -i x", []),
    ("split -l 5 a part_", ["read /w/a", "write /w/part_"]),
    ("wc -l a", []),
    ("ls ~/.ssh", []),
]


@pytest.mark.parametrize(("command", "expected"), TOUCHED)
def test_paths(touched: Callable[[str], list[str]], command: str, expected: list[str]) -> None:
    assert touched(command) == expected


CARRIERS = [
    "split --filter='rm -rf /x' a",
    "sort --compress-program='rm -rf /x' a",
    "rg --pre 'rm -rf /x' foo",
    "less +'!rm -rf /x' a",
    "man -P 'rm -rf /x' ls",
    "fzf --preview 'rm -rf /x'",
    "fzf --bind 'start:execute(rm -rf /x)'",
]


@pytest.mark.parametrize("command", CARRIERS)
def test_commands_they_start_are_followed(
    touched: Callable[[str], list[str]], command: str
) -> None:
    assert "delete /x*" in touched(command)
