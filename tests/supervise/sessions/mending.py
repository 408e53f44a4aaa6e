"""Sessions that mend something: a build, a test, a program that is wrong."""

from tests.supervise.sessions.session import Sessions, Steps, edit, fails, grep, look, sh, write

MENDING = Sessions()


@MENDING("Something between v2.0 and main made the export slow. Find the commit.")
def git_bisect() -> Steps:
    """The same two commands on one commit after the other."""
    yield sh("git bisect start", "status: waiting for both good and bad commits")
    yield sh("git bisect bad main", "status: waiting for good commit(s)")
    yield sh("git bisect good v2.0", "Bisecting: 4095 revisions left to test after this")
    for number in range(12):
        left = 2048 >> number
        yield sh("make -s build", "", 20)
        if number % 3 == 1:
            yield fails("python bench/export.py --max 2.0", "too slow: 3.9 s > 2.0 s", 1, 4)
            yield sh("git bisect bad", f"Bisecting: {left} revisions left\n[{number}a1f] c{number}")
        else:
            yield sh("python bench/export.py --max 2.0", "ok", 2)
            yield sh(
                "git bisect good", f"Bisecting: {left} revisions left\n[{number}b2e] c{number}"
            )
        if number % 4 == 3:
            yield sh("git log -1 --stat", f"commit {number}b2e\n src/export.py | {number} +-")
    yield sh("git bisect log", "# first bad commit: [9a1f] Quote every cell")
    yield sh("git show 9a1f --stat", "src/export.py | 12 +++++++-----")
    yield sh("git bisect reset", "Previous HEAD position was 9a1f")
    yield edit("src/export.py", "quote(cell)", "cell if plain(cell) else quote(cell)")
    yield sh("python bench/export.py --max 2.0", "ok", 2)


@MENDING("Find out which commit broke the login test.")
def git_bisect_with_skips() -> Steps:
    """Some commits do not build, all with the same words."""
    yield sh("git bisect start main v1.4", "Bisecting: 900 revisions left to test after this")
    for number in range(20):
        if number % 3 == 0:
            said = "ModuleNotFoundError: No module named 'shop.compat'"
            yield fails("pytest -q tests/test_login.py", said, 2, 2)
            yield sh("git bisect skip", f"Bisecting: {900 - number} revisions left\n[{number}c] x")
        elif number % 2:
            said = "FAILED tests/test_login.py::test_login - assert 302 == 200\n1 failed in 0.4s"
            yield fails("pytest -q tests/test_login.py", said, 1, 2)
            yield sh("git bisect bad", f"Bisecting: {450 - number} revisions left\n[{number}d] y")
        else:
            yield sh("pytest -q tests/test_login.py", "1 passed in 0.4s", 2)
            yield sh("git bisect good", f"Bisecting: {450 - number} revisions left\n[{number}e] z")
    yield sh("git bisect reset", "Switched to branch 'main'")


@MENDING("Port the engine to the new compiler; it stops at the first error.")
def compiler_with_first_error_only() -> Steps:
    """Thirty errors, one after the other, some of them at the same place."""
    for number in range(30):
        line = 40 + 11 * (number // 2)
        what = ("no member named 'ptr'", "no matching function for call to 'emplace'")[number % 2]
        yield fails(
            "make -j1 2>&1 | head -20; exit ${PIPESTATUS[0]}",
            f"src/engine.cpp:{line}:9: fatal error: {what}\n"
            "compilation terminated due to -Wfatal-errors.\nmake: *** [engine.o] Error 1",
            2,
            9,
        )
        if number % 3 == 0:
            yield look("src/engine.cpp", f"// around line {line}", offset=line)
        yield edit("src/engine.cpp", f"a{number}.ptr", f"a{number}.get()")
    yield sh("make -j1 2>&1 | head -20; exit ${PIPESTATUS[0]}", "c++ -o engine", 30)


@MENDING("Make `cargo build` work again after the upgrade to axum 0.8.")
def cargo_build_with_rising_counts() -> Steps:
    """Errors fall, and rise again when the compiler gets further."""
    counts = [41, 33, 12, 3, 57, 44, 44, 30, 9, 1, 22, 17, 8, 2, 0]
    for number, count in enumerate(counts):
        if not count:
            yield sh("cargo build", "Finished `dev` profile", 20)
            break
        said = (
            f"error[E0308]: mismatched types\n --> src/routes/m{number % 4}.rs:{count}:14\n"
            f"error: could not compile `shop` (bin) due to {count} previous errors"
        )
        yield fails("cargo build", said, 101, 15)
        yield look(f"src/routes/m{number % 4}.rs", f"async fn h{number}()")
        yield edit(f"src/routes/m{number % 4}.rs", f"Path(id{number})", f"Path((id{number},))")
        if number % 3 == 2:
            yield sh("cargo doc -p axum --no-deps", "Documenting axum v0.8.1", 9)
    yield sh("cargo test", "test result: ok. 61 passed", 20)


FLAKE = (
    "FAILED tests/test_sync.py::test_two_writers - TimeoutError: no lock in 5 s\n"
    "1 failed, 11 passed in 6.02s"
)


@MENDING("test_two_writers fails now and then. Find out why.")
def flaky_test_run_again() -> Steps:
    """The same test is run until it fails, and after the fix until nobody doubts."""
    for number in range(24):
        if number in (6, 7, 15, 22):
            yield fails("pytest -q tests/test_sync.py", FLAKE, 1, 7)
        else:
            yield sh("pytest -q tests/test_sync.py", "12 passed in 1.31s", 2)
    yield look("tests/test_sync.py", "def test_two_writers(): ...")
    yield look("src/sync.py", "def lock(): ...")
    yield edit("src/sync.py", "lock()", "log('lock'); lock()")
    for number in range(10):
        if number in (3, 8):
            yield fails("pytest -q tests/test_sync.py -s", FLAKE + "\nlock\nlock", 1, 7)
        else:
            yield sh("pytest -q tests/test_sync.py -s", "lock\n12 passed in 1.31s", 2)
    yield edit("src/sync.py", "log('lock'); lock()", "lock(blocking=True)")
    for _ in range(20):
        yield sh("pytest -q tests/test_sync.py", "12 passed in 1.30s", 2)


@MENDING("The browser test is flaky on my machine. Rerun until you see the pattern.")
def flaky_browser_test() -> Steps:
    """A failure that comes often, with ids and times in its words."""
    for number in range(44):
        command = "npx playwright test cart.spec.ts"
        if number % 3:
            yield sh(command, f"  3 passed ({number % 9 + 2}.{number % 7}s)", 6)
        else:
            said = (
                "Error: locator.click: Timeout 5000ms exceeded.\n"
                f"  at cart.spec.ts:31:9\n  trace: test-results/cart-{number:04x}/trace.zip\n"
                "  1 failed\n    cart.spec.ts:28:5 › checkout\n  2 passed (8.1s)"
            )
            yield fails(command, said, 1, 9)
        if number % 11 == 10:
            yield look("e2e/cart.spec.ts", f"await page.click('#pay')  // {number}")
            yield edit("e2e/cart.spec.ts", f"click('#pay{number}')", f"tap('#pay{number}')")


@MENDING("The report shows the wrong quarter. Debug it.")
def debugging_with_prints() -> Steps:
    """A print goes in, the program runs, the print goes to another place."""
    for number in range(16):
        place = ("load", "group", "quarter", "render")[number % 4]
        yield edit(
            "src/report.py", f"def {place}{number}():", f"def {place}{number}():\n    print(x)"
        )
        yield sh("python -m shop.report --year 2026", f"{place}: {number * 3}\nQ{number % 4}", 1)
        yield edit(
            "src/report.py", f"def {place}{number}():\n    print(x)", f"def {place}{number}():"
        )
        if number % 5 == 4:
            yield grep(f"def {place}", f"src/report.py:{number * 9}:def {place}()")
    yield edit("src/report.py", "month // 3", "(month - 1) // 3 + 1")
    yield sh("python -m shop.report --year 2026", "Q4", 1)
    yield sh("git diff --stat", "src/report.py | 2 +-")


@MENDING("Write the tax calculator, test first.")
def red_green_cycles() -> Steps:
    """Fifteen cycles: a test fails, is made to pass, and the code is tidied up."""
    for number in range(15):
        yield edit("tests/test_tax.py", f"# case {number}", f"def test_case_{number}(): ...")
        said = (
            f"FAILED tests/test_tax.py::test_case_{number} - NotImplementedError\n"
            f"1 failed, {number} passed in 0.05s"
        )
        yield fails("pytest -q tests/test_tax.py", said)
        yield edit("src/tax.py", f"raise NotImplementedError  # {number}", f"return rate[{number}]")
        yield sh("pytest -q tests/test_tax.py", f"{number + 1} passed in 0.05s")
        if number % 3 == 2:
            yield edit("src/tax.py", f"rate[{number}]", f"RATES[{number}]")
            yield sh("pytest -q tests/test_tax.py", f"{number + 1} passed in 0.05s")
        yield sh(f"git commit -qam 'Tax case {number}'")


@MENDING("Run the whole suite in shards, as one run does not fit in memory, and fix what fails.")
def sharded_suite() -> Steps:
    """Shards that fail for different reasons; those that failed run again."""
    for shard in range(24):
        command = f"pytest -q --shard-id={shard} --num-shards=24"
        if shard % 6 == 4:
            said = (
                f"FAILED tests/test_m{shard}.py::test_a - KeyError: 'k{shard}'\n1 failed, 80 passed"
            )
            yield fails(command, said, 1, 40)
            yield look(f"src/m{shard}.py", f"k{shard}")
            yield edit(f"src/m{shard}.py", f"d['k{shard}']", f"d.get('k{shard}')")
            yield sh(command, "81 passed in 38.20s", 40)
        else:
            yield sh(command, f"{80 + shard % 3} passed in 39.{shard}s", 40)
    for shard in range(24):
        yield sh(f"pytest -q --shard-id={shard} --num-shards=24", "81 passed in 38.20s", 40)


@MENDING("Fuzz the parser and fix what the fuzzer finds.")
def go_fuzz() -> Steps:
    """A fuzzer finds a crasher, it is mended, the fuzzer runs again."""
    for number in range(14):
        said = (
            "--- FAIL: FuzzParse (2.13s)\n    panic: runtime error: index out of range "
            f"[{number}] with length {number}\n    parse.go:{30 + number * 4}\n"
            f"    Failing input written to testdata/fuzz/FuzzParse/{number:08x}"
        )
        yield fails("go test -fuzz=FuzzParse -fuzztime=60s ./parse", said, 1, 30)
        yield sh(f"cat parse/testdata/fuzz/FuzzParse/{number:08x}", f'string("{number}")')
        yield edit("parse/parse.go", f"b[{number}]", f"at(b, {number})")
        yield sh(f"go test -run=FuzzParse/{number:08x} ./parse", "ok  shop/parse 0.01s", 2)
    yield sh("go test -fuzz=FuzzParse -fuzztime=60s ./parse", "elapsed: 1m0s\nPASS", 62)


@MENDING("Get this old C project to build on this machine.")
def old_project_that_does_not_build() -> Steps:
    """One thing after the other is missing."""
    missing = ["zlib", "png", "jpeg", "xml2", "curl", "ssl", "pcre", "lua", "sqlite3", "ffi"]
    for name in missing:
        yield fails(
            "./configure", f"checking for lib{name}... no\nconfigure: error: no {name}", 1, 9
        )
        yield sh(f"apt-cache search lib{name}", f"lib{name}-dev - development files")
        yield sh(f"sudo apt-get install -y lib{name}-dev", f"Setting up lib{name}-dev", 8)
    yield sh("./configure", "config.status: creating Makefile", 20)
    for number in range(8):
        said = f"old.c:{100 + number * 30}: error: implicit declaration of function 'f{number}'"
        yield fails("make", f"{said}\nmake: *** [Makefile:80: old.o] Error 1", 2, 7)
        yield edit("old.c", f"#include <a{number}.h>", f"#include <a{number}.h>\n#include <b.h>")
    yield sh("make", "cc -o old old.o", 12)
    yield write("BUILDING.md", "Install these first: " + ", ".join(missing))
