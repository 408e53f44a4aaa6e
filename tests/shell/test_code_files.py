"""Which files a command runs, and what their text adds to what it does."""

import pytest

from handrail.shell import read

WIPES = {"py": "import os; os.remove('/x')", "sh": "rm /x", "js": "require('fs').rmSync('/x')"}


def asked(command: str) -> list[str]:
    program = read(command, cwd="/w", environ={"HOME": "/home/me"}).program
    return [path for path, _ in program.code_files]


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("python3 x.py", "/w/x.py"),
        ("python3.12 -u x.py a b", "/w/x.py"),
        ("/w/.venv/bin/python x.py", "/w/x.py"),
        ("cd a && python ../b/x.py", "/w/b/x.py"),
        ("python -m a.b", "/w/a/b.py"),
        ("python -m black x.py", "/w/black/__main__.py"),
        ("env A=1 node --trace-warnings x.mjs", "/w/x.mjs"),
        ("bash -x t a", "/w/t"),
        ("sudo bash < t", "/w/t"),
        ("cat t | sh -s a", "/w/t"),
        ("source ~/t", "/home/me/t"),
        ("./a/x", "/w/a/x"),
        ("make -C a", "/w/a/Makefile"),
        ("make -f x.mk", "/w/x.mk"),
        ("just", "/w/justfile"),
        ("npm --prefix a test", "/w/a/package.json"),
        ("pnpm -C a run x", "/w/a/package.json"),
        ("bun x.ts", "/w/x.ts"),
        ("deno run -A x.ts", "/w/x.ts"),
        ("tsx x.ts", "/w/x.ts"),
        ("php -f x.php", "/w/x.php"),
        ("sed -f x.sed a", "/w/x.sed"),
        ("git -C a commit -m x", "/w/a/.git/hooks/pre-commit"),
        ("git push", "/w/.git/hooks/pre-push"),
        ("find . -exec ./x {} +", "/w/x"),
        ('eval "$(cat t)"', "/w/t"),
        ('bash -c "$(<t)"', "/w/t"),
        (". <(cat t)", "/w/t"),
        ("head -n 9 t | sh", "/w/t"),
        ("make -f - < x.mk", "/w/x.mk"),
        ("node -r ./a.js x.js", "/w/a.js"),
        ("python3 -m pdb x.py", "/w/x.py"),
        ("pytest", "/w/tests/test_*.py"),
        ("pytest a/test_b.py::test_c", "/w/a/test_b.py"),
        ("pytest a/test_b.py", "/w/a/conftest.py"),
        ("python -m pytest a", "/w/a/test_*.py"),
        ("python3 -c \"exec(open('x.py').read())\"", "/w/x.py"),
        ("ls | xargs -n1 bash t", "/w/t"),
    ],
)
def test_a_program_asks_for_the_file_that_it_runs(command: str, path: str) -> None:
    assert path in asked(command)


@pytest.mark.parametrize(
    "command",
    [
        "cat x.py",
        "ls -la && grep -r x . | head",
        "git status && git diff && git log",
        "cp a b",
        "echo x > t && bash t",
        "python3 -c 'print(1)'",
        "python3 $FILE",
        "bash -n t",
        "node --check x.js",
        "wc -l < t",
        "make -n",
        "ssh host bash t",
        "docker run x python3 y.py",
        "$TOOL/run",
        'echo "$(cat t)"',
        "cat t | grep x",
        "ruff check x.py",
    ],
)
def test_other_commands_ask_for_none(command: str) -> None:
    assert asked(command) == []


def test_the_command_that_runs_a_file_is_named() -> None:
    program = read("ls; cd a && bash t", cwd="/w").program
    assert program.code_files == (("/w/a/t", 2),)


@pytest.mark.parametrize(
    ("command", "path", "text"),
    [
        ("python3 x.py", "/w/x.py", WIPES["py"]),
        ("node x", "/w/x.js", WIPES["js"]),
        ("bash t", "/w/t", WIPES["sh"]),
        ("bash t /x", "/w/t", "rm $1"),
        ("./t", "/w/t", f"#!/usr/bin/python3\n{WIPES['py']}"),
        ("./t", "/w/t", f"#!/usr/bin/env -S node\n{WIPES['js']}"),
        ("make", "/w/makefile", "a:\n\trm /x"),
        ("pytest", "/w/test_a.py", WIPES["py"]),
        ("python -m unittest a", "/w/a/test_a.py", WIPES["py"]),
        ('eval "$(cat t)"', "/w/t", WIPES["sh"]),
        ("while read a; do eval $a; done < t; sh t", "/w/t", WIPES["sh"]),
        ("mv t s && sh s", "/w/t", WIPES["sh"]),
        ("echo ls >> t; sh t", "/w/t", "rm /x\n"),
    ],
)
def test_its_text_counts_like_the_command_itself(command: str, path: str, text: str) -> None:
    known = read(command, cwd="/w", files={path: text})
    assert "deletes /x" in [effect.text for effect in known.effects]
    assert "deletes /x" not in [effect.text for effect in read(command, cwd="/w").effects]


def test_the_text_of_a_file_is_not_taken_for_what_the_command_writes() -> None:
    assert read("bash t", cwd="/w", files={"/w/t": "ls"}).program.files == ()
