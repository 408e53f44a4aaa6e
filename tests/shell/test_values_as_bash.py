"""Patterns, sums and splitting of values give what bash gives: many at random, in one bash.

Bash only prints: nothing else runs, so it needs no jail.
"""

import random
import shutil
import subprocess

import pytest

from handrail.shell import OPAQUE, read

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="needs bash")
ROWS = 400


def _printed(lines: list[str]) -> list[str]:
    """What bash prints for each line; nothing where it finds a fault."""
    script = "\n".join(["set -f", *(f"({line}) 2>/dev/null; printf '#'" for line in lines)])
    done = subprocess.run(
        [str(BASH), "--norc", "--noprofile", "-s"],
        input=script,
        env={},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.stdout.split("#")[: len(lines)]


def _read(line: str) -> str:
    (command,) = (
        command
        for command in read(line, cwd="/w", environ={"HOME": "/h"}).program.commands
        if command.name == "printf"
    )
    return "".join(f"{word.text}\n" for word in command.argv[2:]) or "\n"


def _compare(lines: list[str]) -> None:
    different = [
        (line, told, ours)
        for line, told in zip(lines, _printed(lines), strict=True)
        if told and OPAQUE not in (ours := _read(line)) and ours != told
    ]
    assert different == []


def test_patterns() -> None:
    chance = random.Random(1)
    tokens = ["a", "b", ".", "-", "*", "*", "?", "[ab]", "[!a]", "[a-b]", "[[:alpha:]]", "'*'"]
    lines: list[str] = []
    for _ in range(ROWS):
        value = "".join(chance.choice("aab.b-*") for _ in range(chance.randrange(9)))
        pattern = "".join(chance.choice(tokens) for _ in range(chance.randrange(1, 5)))
        sign = chance.choice(["#", "##", "%", "%%", "/", "//", "/#", "/%", "^^", ",,", "^", ","])
        by = "/Z" if sign[0] == "/" else ""
        lines.append(f"x='{value}'; printf '%s\\n' \"${{x{sign}{pattern}{by}}}\"")
    _compare(lines)


def test_sums() -> None:
    chance = random.Random(2)
    signs = "+ - * / % ** << >> < > <= >= == != & | ^ && || ,".split()
    lines: list[str] = []
    for _ in range(ROWS):
        total = str(chance.randrange(1, 20))
        for _ in range(chance.randrange(1, 4)):
            right = chance.choice(
                ["3", "n", "010", "0x1f", "(2+1)", "-2", "!n", "~1", "16#a", "1?7:8"]
            )
            total = f"{total} {chance.choice(signs)} {right}"
        lines.append(f"n=5; printf '%s\\n' $(({total}))")
    _compare(lines)


def test_splitting() -> None:
    chance = random.Random(3)
    uses = ["$v", '"$v"', "x$v", "$v$v", "${v}y", '"a"$v', "${u-$v}", "${v:+ a b }", "${v:1}"]
    lines: list[str] = []
    for _ in range(ROWS):
        ifs = chance.choice([" ", ":", " :", "", "x", ":,", r"\t"])
        value = "".join(chance.choice("ab :,x ") for _ in range(chance.randrange(8)))
        used = chance.choice(uses)
        lines.append(f"IFS=$'{ifs}'; v='{value}'; unset u; printf '%s\\n' {used}")
    _compare(lines)


def test_lists() -> None:
    chance = random.Random(4)
    inside = "v[@] v[*] #v[@] v[@]:1 v[@]:1:2 v[-1] v[@]:(-1) !v[@] v[@]%b v[0]".split()
    uses = [form.replace("?", f"${{{text}}}") for text in inside for form in ("?", '"?"', '"x?y"')]
    lines: list[str] = []
    for _ in range(ROWS):
        words = [
            chance.choice(["a", "'b c'", "''", "ab", "[4]=z", "'*'", "x:y"])
            for _ in range(chance.randrange(1, 5))
        ]
        ifs = chance.choice([r" \t\n", ":", ","])
        lines.append(f"IFS=$'{ifs}'; v=({' '.join(words)}); printf '%s\\n' {chance.choice(uses)}")
    _compare(lines)


def test_reading() -> None:
    chance = random.Random(5)
    calls = ["read -r a b", "read -r a", "read -r a b c", "read -ra d", "read -r -d : a", "read a"]
    lines: list[str] = []
    for _ in range(ROWS):
        ifs = chance.choice([r" \t\n", ":", " :", ","])
        value = "".join(chance.choice("ab :,  ") for _ in range(chance.randrange(9)))
        use = chance.choice(['"$a"', '"$b"', '"$a" "$b"', '"${d[1]}"', '"$c"'])
        call = chance.choice(calls)
        lines.append(f"unset a b c d; IFS=$'{ifs}' {call} <<< '{value}'\nprintf '%s\\n' {use}")
    _compare(lines)
