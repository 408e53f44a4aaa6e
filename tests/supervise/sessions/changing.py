"""Sessions that change a lot: refactorings, renames, upgrades, merges, texts."""

from tests.supervise.sessions.session import (
    Sessions,
    SessionStep,
    Steps,
    asks,
    edit,
    fails,
    grep,
    look,
    sh,
    write,
)

CHANGING = Sessions()


@CHANGING("Split src/app.py into one module per concern, without changing behaviour.")
def long_refactoring() -> Steps:
    """A test that stays green, and types that break and are mended."""
    parts = ["users", "carts", "orders", "mail", "search", "admin", "stock", "taxes", "files"]
    yield look("src/app.py", "# 4,000 lines")
    for number, part in enumerate(parts):
        yield grep(f"def {part}_", f"src/app.py:{number * 100}:def {part}_list()")
        yield look("src/app.py", f"# lines about {part}", offset=number * 100 + 1)
        yield write(f"src/{part}.py", f'"""All about {part}."""\n')
        yield edit("src/app.py", f"def {part}_list(): ...", f"from src.{part} import {part}_list")
        said = f"src/{part}.py:3: error: Name 'db' is not defined\nFound {9 - number} errors"
        yield fails("mypy src", said, 1, 5)
        yield edit(f"src/{part}.py", "import os", "import os\nfrom src.db import db")
        yield sh("mypy src", f"Success: no issues found in {number + 4} source files", 5)
        yield sh("pytest -q", "214 passed in 6.10s", 7)
        yield sh(f"git add -A && git commit -qm 'Move {part} out of app'")
    yield sh("wc -l src/*.py", "  212 src/app.py")


@CHANGING("Annotate the whole package so that mypy --strict passes.")
def adding_types() -> Steps:
    """The number of errors goes up as well as down."""
    counts = [310, 282, 290, 251, 251, 240, 305, 260, 200, 161, 170, 120, 80, 33, 12, 4]
    for number, count in enumerate(counts):
        said = f"src/m{number}.py:1: error: Function is missing a return type\nFound {count} errors"
        yield fails("mypy --strict src", said, 1, 8)
        yield look(f"src/m{number}.py", "def f(x): ...")
        yield edit(f"src/m{number}.py", "def f(x):", "def f(x: int) -> int:")
        yield edit(f"src/m{number}.py", "def g(x):", "def g(x: str) -> str:")
    yield sh("mypy --strict src", "Success: no issues found in 60 source files", 8)


@CHANGING("Rename Customer to Client everywhere: code, tests, docs, database.")
def rename_by_sed() -> Steps:
    """The same search and the same tests after each step."""
    left = 420
    for folder in ["models", "views", "api", "jobs", "mail", "admin", "tests", "docs", "scripts"]:
        yield sh("grep -rn Customer . | wc -l", str(left))
        yield sh(f"grep -rl Customer {folder}", f"{folder}/a.py\n{folder}/b.py")
        yield sh(f"grep -rl Customer {folder} | xargs sed -i 's/Customer/Client/g'")
        yield sh(f"git diff --stat {folder}", f" {folder}/a.py | 22 +++---\n 2 files changed")
        if folder in ("api", "tests"):
            said = f"FAILED tests/test_{folder}.py::test_name - NameError: name 'Customer'"
            yield fails("pytest -q", said, 1, 6)
            yield edit(f"{folder}/late.py", "getattr(m, 'Custo' + 'mer')", "m.Client")
        yield sh("pytest -q", "300 passed in 5.80s", 6)
        yield sh(f"git commit -qam 'Rename Customer in {folder}'")
        left -= 46
    yield sh("grep -rn Customer . | wc -l", "6")


@CHANGING("Upgrade all npm dependencies to their latest versions, one by one.")
def dependency_upgrades() -> Steps:
    """Install, test, commit; now and then a breaking change."""
    packages = ["react", "vite", "vitest", "eslint", "typescript", "zod", "axios", "date-fns"]
    packages += ["lodash", "prettier", "msw", "sass"]
    yield fails("npm outdated", "Package Current Wanted Latest\nreact 17.0.2 17.0.2 19.1.0")
    for number, name in enumerate(packages):
        yield sh(f"npm view {name} version", f"{number + 5}.1.0", 1)
        yield sh(f"npm install {name}@latest", f"changed {number + 2} packages", 9)
        if number % 3 == 0:
            said = f"FAIL src/{name}.test.ts\nTypeError: {name} is not a function\n1 failed"
            yield fails("npm test", said, 1, 8)
            yield look(f"node_modules/{name}/CHANGELOG.md", f"## {number + 5}.0.0 breaking")
            yield edit(f"src/{name}.ts", f"import {name}", f"import {{ {name} }}")
        yield sh("npm test", "Tests  118 passed (118)", 8)
        yield sh(f"git commit -qam 'Upgrade {name}'")
    yield sh("npm outdated", "")


@CHANGING("Write the migrations for the new address tables and try each one up and down.")
def migrations_up_and_down() -> Steps:
    """The same two commands, again and again, on a local database."""
    for number in range(11):
        name = f"{number:04}_address_{number}"
        yield sh(f"alembic revision -m 'address {number}'", f"Generating versions/{name}.py", 1)
        yield edit(f"versions/{name}.py", "pass", f"op.add_column('address', 'c{number}')")
        if number % 4 == 2:
            said = f"sqlite3.OperationalError: duplicate column name: c{number}"
            yield fails("alembic upgrade head", said, 1, 2)
            yield edit(f"versions/{name}.py", f"'c{number}'", f"'d{number}'")
        up = f"INFO Running upgrade {number} -> {number + 1}"
        yield sh("alembic upgrade head", up, 2)
        yield sh("alembic downgrade -1", f"INFO Running downgrade {number + 1} -> {number}", 2)
        yield sh("alembic upgrade head", up, 2)
        yield sh("sqlite3 dev.db .schema", f"CREATE TABLE address (c0 … c{number})")
        yield sh("pytest -q tests/test_address.py", f"{number + 2} passed in 0.61s", 2)


@CHANGING("Merge main into my branch; there are many conflicts.")
def merge_with_conflicts() -> Steps:
    """The list of conflicts gets shorter."""
    files = [f"src/part{number}.py" for number in range(12)]
    yield fails("git merge main", "\n".join(f"CONFLICT (content): {name}" for name in files))
    for number, name in enumerate(files):
        left = files[number:]
        yield sh("git diff --name-only --diff-filter=U", "\n".join(left))
        yield look(name, f"<<<<<<< HEAD\nours{number}\n=======\ntheirs{number}\n>>>>>>> main")
        yield sh(f"git log --oneline -3 main -- {name}", f"a{number}b Touch part {number}")
        yield edit(name, f"<<<<<<< HEAD\nours{number}\n", f"both{number}\n")
        yield sh(f"git add {name}")
    yield sh("git diff --name-only --diff-filter=U", "")
    yield fails("pytest -q", "FAILED tests/test_part3.py::test_a - assert 2 == 3", 1, 5)
    yield edit("src/part3.py", "return 2", "return 3")
    yield sh("pytest -q", "120 passed in 3.30s", 5)
    yield sh("git commit --no-edit", "[branch 77f] Merge branch 'main'")


@CHANGING("Backport the security fixes listed in BACKPORT.md to the 1.x branch.")
def cherry_picks() -> Steps:
    """Twelve commits, some with the same kind of conflict."""
    yield look("BACKPORT.md", "\n".join(f"c{number}ffee" for number in range(12)))
    yield sh("git switch 1.x", "Switched to branch '1.x'")
    for number in range(12):
        if number % 2:
            said = f"error: could not apply c{number}ffee... Fix {number}\nhint: after resolving"
            yield fails(f"git cherry-pick -x c{number}ffee", said)
            yield sh("git status --short", f"UU src/a{number}.py")
            yield look(f"src/a{number}.py", f"<<<<<<< HEAD {number}")
            yield edit(f"src/a{number}.py", f"<<<<<<< HEAD {number}", f"fixed {number}")
            yield sh(f"git add src/a{number}.py && git cherry-pick --continue", f"[1.x {number}aa]")
        else:
            yield sh(f"git cherry-pick -x c{number}ffee", f"[1.x {number}bb] Fix {number}")
        yield sh("pytest -q", "88 passed in 2.20s", 3)


@CHANGING("Write the user guide: one page per feature, from the source.")
def writing_documentation() -> Steps:
    """Much reading, many new files, a strict build."""
    pages = ["install", "carts", "orders", "search", "mail", "tax", "stock", "admin", "api", "faq"]
    for number, page in enumerate(pages):
        yield grep(f"class .*{page}", f"src/{page}.py:{number}:class {page.title()}")
        yield look(f"src/{page}.py", f"class {page.title()}: ...")
        yield look(f"tests/test_{page}.py", f"def test_{page}(): ...")
        yield write(f"docs/{page}.md", f"# {page.title()}\n\nHow {page} work.\n" * 5)
        yield edit("mkdocs.yml", f"# {page}", f"- {page}.md")
        if number % 3 == 1:
            said = f"WARNING - Doc file 'docs/{page}.md' contains a link 'x{number}.md', not found"
            yield fails("mkdocs build --strict", f"{said}\nAborted with 1 warnings", 1, 2)
            yield edit(f"docs/{page}.md", f"x{number}.md", "index.md")
        yield sh("mkdocs build --strict", "INFO - Documentation built in 1.02 seconds", 2)
    yield sh("wc -w docs/*.md", "  9120 total")


@CHANGING("Translate all texts into German; the keys are in locales/en/.")
def translating() -> Steps:
    """Thirty files that look alike."""
    for number in range(30):
        yield look(f"locales/en/p{number}.json", f'{{"title": "Page {number}"}}')
        yield write(f"locales/de/p{number}.json", f'{{"title": "Seite {number}"}}')
        if number % 5 == 4:
            yield sh("npm run i18n:check", f"{25 - number} keys missing in de", 2)
    yield sh("npm run i18n:check", "0 keys missing in de", 2)


@CHANGING("Build a small admin page for the shop.")
def a_day_with_many_prompts() -> Steps:
    """A person asks for one thing, then for quite another one."""
    wishes = [
        ("Now add a dark theme.", "src/theme.css"),
        ("Please fix the typo in the imprint.", "public/imprint.html"),
        ("Why does the mail job run twice?", "jobs/mail.py"),
        ("Write a changelog for the last ten commits.", "CHANGELOG.md"),
        ("Make the docker image smaller.", "Dockerfile"),
        ("Back to the admin page: add paging.", "src/admin.py"),
    ]
    for number, (wish, path) in enumerate(wishes):
        yield asks(wish)
        yield SessionStep("Glob", {"pattern": f"**/{path}"}, path)
        yield look(path, f"content {number}")
        yield grep(path, f"src/index.py:{number}:{path}")
        for part in range(4):
            yield edit(path, f"old {number}.{part}", f"new {number}.{part}")
        yield sh("pytest -q", "41 passed in 1.10s", 2)
        yield sh("git status --short", f" M {path}")


@CHANGING("Move the code base from unittest to pytest, file by file.")
def converting_tests() -> Steps:
    """The same command with the same result after each file: that is the aim."""
    for number in range(26):
        path = f"tests/test_u{number}.py"
        yield look(path, f"class T{number}(TestCase): ...")
        yield write(path, f"def test_u{number}() -> None: ...\n")
        yield sh("pytest -q", "260 passed in 4.00s", 5)
        if number % 6 == 5:
            yield sh("git add -A && git commit -qm 'Convert tests'")
