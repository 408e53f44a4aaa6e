"""Sessions that measure, explore, or only read."""

from tests.supervise.sessions.session import (
    Sessions,
    SessionStep,
    Steps,
    edit,
    fails,
    grep,
    look,
    sh,
    write,
)

EXPLORING = Sessions()


@EXPLORING("Make the price calculation at least twice as fast.")
def performance_tuning() -> Steps:
    """The same benchmark after each change, and several times for the noise."""
    took = 812
    for number in range(15):
        yield edit("src/price.py", f"loop{number}", f"vector{number}")
        for again in range(3):
            noise = took - again * 3
            yield sh("python bench/price.py", f"price: {noise} ms ± 9 ms\n1000 rounds", 12)
        if number % 4 == 3:
            yield sh("git checkout src/price.py", "Updated 1 path from the index")
            yield sh("python bench/price.py", f"price: {took} ms ± 8 ms\n1000 rounds", 12)
        else:
            took -= 40
            yield sh("pytest -q tests/test_price.py", "18 passed in 0.70s", 2)
    yield sh("git commit -qam 'Faster prices'")


@EXPLORING("Find good values for the cache: run the load test for several sizes.")
def parameter_sweep() -> Steps:
    """One program with one number that changes."""
    for size in (64, 128, 256, 512, 1024, 2048, 4096, 8192):
        for ttl in (10, 30, 60, 120, 300, 600):
            yield sh(
                f"python load.py --cache {size} --ttl {ttl}",
                f"hit rate {0.5 + size / 20000 + ttl / 9000:.3f}",
                20,
            )
    yield write("RESULTS.md", "| size | ttl | hit rate |\n")


@EXPLORING("Clean the address data: no duplicates, valid zip codes, one spelling per city.")
def data_cleaning() -> Steps:
    """A script is changed and run again; counts go down."""
    rows = 120_431
    for number in range(16):
        yield sh(
            f"python - <<'E'\nimport pandas as pd\nd = pd.read_csv('data/a.csv')\n"
            f"print(d.iloc[:, {number}].value_counts().head())\nE",
            f"Berlin {9000 - number}\nberlin {40 + number}",
            2,
        )
        yield edit("clean.py", f"# rule {number}", f"d = rule{number}(d)")
        if number % 5 == 2:
            said = f"KeyError: 'zip{number}'"
            yield fails("python clean.py data/a.csv out.csv", said, 1, 3)
            yield edit("clean.py", f"'zip{number}'", "'zip'")
        rows -= 517 + number
        yield sh("python clean.py data/a.csv out.csv", f"{rows} rows, {number} rules", 6)
        yield sh("head -3 out.csv", "name,zip,city\nAda,10115,Berlin\nBob,20095,Hamburg")
        yield sh("python check.py out.csv", f"{rows % 400} problems", 2)


@EXPLORING("Work through the notebook: load, explore and model the churn data.")
def notebook_work() -> Steps:
    """Cells are added, and the whole notebook is executed again and again."""
    run = "jupyter nbconvert --execute --inplace churn.ipynb"
    for number in range(18):
        given: dict[str, object] = {
            "notebook_path": "churn.ipynb",
            "cell_id": f"c{number}",
            "new_source": f"model{number} = fit(df, {number})",
        }
        yield SessionStep("NotebookEdit", given, f"Updated cell c{number}")
        if number % 6 == 3:
            said = f"CellExecutionError: NameError: name 'df{number}' is not defined"
            yield fails(run, said, 1, 14)
            given = given | {"new_source": f"model{number} = fit(df, 0)"}
            yield SessionStep("NotebookEdit", given, f"Updated cell c{number}")
        yield sh(run, "[NbConvertApp] Writing 48211 bytes to churn.ipynb", 20)
        yield sh("python tools/last_output.py churn.ipynb", f"auc {0.7 + number / 100:.2f}")


@EXPLORING("Set up queues, buckets and roles in the localstack sandbox with terraform.")
def terraform_in_a_sandbox() -> Steps:
    """Plan and apply against a stand-in on this machine."""
    yield sh("docker compose up -d localstack", "Container localstack  Started", 8)
    yield sh("tflocal init", "Terraform has been successfully initialized!", 6)
    for number in range(13):
        yield edit("main.tf", f"# resource {number}", f'resource "aws_sqs_queue" "q{number}" {{}}')
        yield sh("tflocal validate", "Success! The configuration is valid.", 1)
        if number % 4 == 1:
            said = f'Error: Unsupported argument\n  on main.tf line {number * 6}: "fifo{number}"'
            yield fails("tflocal plan -out=p.tfplan", said, 1, 4)
            yield edit("main.tf", f"fifo{number}", f"fifo_queue{number}")
        yield sh("tflocal plan -out=p.tfplan", f"Plan: 1 to add, 0 to change. q{number}", 4)
        yield sh("tflocal apply p.tfplan", f"Apply complete! Resources: {number + 1} added", 6)
        yield sh("awslocal sqs list-queues", f'{{"QueueUrls": ["q0", "q{number}"]}}', 1)


@EXPLORING("Review pull request 88 thoroughly and write down what you find. Do not change code.")
def code_review() -> Steps:
    """Nothing is changed for eighty steps, as asked."""
    yield sh("gh pr view 88", "title: New pricing engine")
    yield sh("gh pr diff 88", "diff --git a/src/price.py b/src/price.py", 1)
    for number in range(26):
        yield look(f"src/pricing/m{number}.py", f"class Rule{number}: ...")
        yield grep(f"Rule{number}", f"src/pricing/all.py:{number}: Rule{number}()")
        if number % 3 == 0:
            yield look(f"tests/pricing/test_m{number}.py", f"def test_rule{number}(): ...")
        if number % 4 == 1:
            yield look("src/pricing/all.py", "RULES = [...]")
            yield sh(
                f"git log --oneline -3 -- src/pricing/m{number}.py", f"{number}ab Rule {number}"
            )
    yield write("review-88.md", "1. Rule7 rounds twice.\n2. Rule9 has no test.\n")


@EXPLORING("Explain how a request travels through this code base.")
def reading_a_large_code_base() -> Steps:
    """A question: there is nothing to write at all."""
    for number in range(30):
        yield grep(f"handler_{number}", f"src/web/h{number}.py:{number}:def handler_{number}")
        yield look(f"src/web/h{number}.py", f"def handler_{number}(): return next_{number}()")
        if number % 2:
            yield SessionStep("Glob", {"pattern": f"src/**/next_{number}*.py"}, f"src/n{number}.py")


@EXPLORING("Read the 6,000 lines of legacy/core.c and list its global state.")
def one_large_file_in_parts() -> Steps:
    """One file, part by part, and some parts twice."""
    for part in range(30):
        yield look("legacy/core.c", f"static int g{part};", offset=part * 200 + 1)
        if part % 4 == 3:
            yield grep(f"g{part}", f"legacy/core.c:{part * 200 + 9}: g{part}++")
    for part in range(0, 30, 6):
        yield look("legacy/core.c", f"static int g{part};", offset=part * 200 + 1)
    yield write("GLOBALS.md", "\n".join(f"- g{part}" for part in range(30)))


@EXPLORING("Which customers were billed twice in October? The dump is in billing.db.")
def questions_to_a_database() -> Steps:
    """Query after query, some with mistakes, some without a result."""
    for number in range(40):
        query = f"select id, sum(amount) from bill where day = '2026-10-{number % 30 + 1:02}'"
        if number % 9 == 4:
            said = f"Parse error near line 1: no such column: total{number}"
            yield fails(f'sqlite3 billing.db "{query} group by total{number}"', said)
        elif number % 4 == 1:
            yield sh(f'sqlite3 billing.db "{query} and amount > {number}"', "")
        else:
            yield sh(f'sqlite3 billing.db "{query} limit {number}"', f"{number}|{number * 12}")
    yield write("double-billing.md", "Customers 4, 17 and 23.\n")


@EXPLORING("Find every place that touches money; use helpers for the folders.")
def helpers_that_read_the_same() -> Steps:
    """Four sub-agents look at the same shared files."""
    for number in range(12):
        for agent in ("a1", "a2", "a3", "a4"):
            yield look(f"src/shared/s{number}.py", f"money {number}", agent=agent)
            if number % 3 == 0:
                yield grep("Decimal", f"src/shared/s{number}.py:1: Decimal", agent=agent)
    yield write("MONEY.md", "All places.\n")
