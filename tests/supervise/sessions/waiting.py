"""Sessions that wait: for a pipeline, a machine, a build, a log, a job."""

from tests.supervise.sessions.session import (
    Sessions,
    SessionStep,
    Steps,
    edit,
    fails,
    grep,
    look,
    sh,
    timed_out,
)

WAITING = Sessions()


# A pipeline


def _checks(unit: str, lint: str = "pass", e2e: str = "pending", minutes: int = 0) -> str:
    took = {"pass": "1m12s", "fail": "2m4s", "pending": "0"}
    rows = [("build", "pass"), ("lint", lint), ("unit", unit), ("e2e", e2e)]
    return "\n".join(
        f"{name}\t{state}\t{took[state]}\thttps://github.com/acme/shop/actions/runs/90{minutes}/job/1"
        for name, state in rows
    )


@WAITING("Get the checks of pull request 214 green and tell me when they are.")
def gh_pr_checks_until_green() -> Steps:
    """The checks of a pull request are polled, with no sleep in the command."""
    yield sh(
        "gh pr view 214 --json title,headRefName", '{"title":"Round totals","headRefName":"r"}'
    )
    for attempt in range(3):
        for _ in range(14):
            yield fails("gh pr checks 214", _checks("pending", minutes=attempt), 8)
        yield fails("gh pr checks 214", _checks("fail", minutes=attempt))
        yield sh(
            f"gh run view 90{attempt} --log-failed | tail -40",
            f"unit\tpytest\tFAILED tests/test_total.py::test_{attempt} - assert {attempt} == 9",
        )
        yield look("src/total.py", f"def total(): ...  # {attempt}")
        yield edit("src/total.py", f"round(x, {attempt})", f"round(x, {attempt + 2})")
        yield sh("pytest -q tests/test_total.py", f"{attempt + 3} passed in 0.2s", 3)
        yield sh(f"git commit -qam 'Round case {attempt}' && git push", "   a1..b2  r -> r", 2)
    for _ in range(12):
        yield fails("gh pr checks 214", _checks("pending", minutes=4), 8)
    yield sh("gh pr checks 214", _checks("pass", e2e="pass", minutes=4))


@WAITING("The release workflow is running. Watch it, and fix what breaks.")
def gh_run_watch_that_times_out() -> Steps:
    """A watch is cut off by the host after two minutes, and started again."""
    for run in ("7710", "7735", "7790"):
        yield sh("gh run list --limit 3", f"*\tRelease\tmain\tpush\t{run}\t1m\t2026-11-18")
        for _ in range(9):
            yield timed_out(f"gh run watch {run} --exit-status")
            yield sh(f"gh run view {run} --json status,conclusion", '{"status":"in_progress"}')
        yield fails(f"gh run watch {run} --exit-status", f"X main Release · {run}\nX job wheels")
        yield sh(f"gh run view {run} --log-failed", f"wheels\tauditwheel: cannot repair {run}")
        yield edit(".github/workflows/release.yml", f"image: m{run}", f"image: n{run}")
        yield sh(f"git commit -qam 'Image for {run}' && git push", "main -> main", 2)
    yield sh("gh run watch 7801 --exit-status", "✓ main Release · 7801", 90)


@WAITING("Run the GitLab pipeline on my branch and merge when it is green.")
def glab_pipeline() -> Steps:
    """A pipeline whose jobs go on one after the other."""
    jobs = ["prepare", "compile", "unit", "integration", "package", "deploy-review"]
    yield sh("git push -u origin fast-cart", "branch 'fast-cart' set up to track", 2)
    for done in range(len(jobs)):
        for again in range(8):
            rows = [
                f"({'success' if n < done else 'running' if n == done else 'created'}) • {job}"
                for n, job in enumerate(jobs)
            ]
            yield sh("glab ci status", f"Pipeline state: running\n0{again}m\n" + "\n".join(rows), 1)
        if done in (2, 3):
            yield sh(f"glab ci trace {jobs[done]}", f"ran {done} suites\nJob succeeded", 5)
    yield sh("glab ci status", "Pipeline state: success")


# A machine


@WAITING("Upgrade the kernel of the build VM, reboot it, and check that all services come back.")
def ssh_after_a_reboot() -> Steps:
    """A machine restarts three times, and takes its time."""
    ssh = "ssh -o ConnectTimeout=5 -p 2222 vagrant@127.0.0.1"
    yield sh("vagrant status", "default running (virtualbox)")
    for kernel in ("6.1.0-18", "6.1.0-22", "6.6.13"):
        yield sh(f"{ssh} uname -r", f"old, before {kernel}")
        yield sh(f"{ssh} sudo apt-get install -y linux-image-{kernel}", f"Setting up {kernel}", 40)
        yield sh("vagrant reload --no-provision", "==> default: Booting VM...", 20)
        for _ in range(6):
            said = "ssh: connect to host 127.0.0.1 port 2222: Connection refused"
            yield fails(f"{ssh} uptime", said, 255, 1)
        for _ in range(6):
            said = "kex_exchange_identification: read: Connection reset by peer"
            yield fails(f"{ssh} uptime", said, 255, 5)
        for _ in range(3):
            yield fails(f"{ssh} uptime", "Connection timed out during banner exchange", 255, 5)
        yield sh(f"{ssh} uptime", "up 0 min, 1 user", 1)
        yield sh(f"{ssh} uname -r", kernel)
        for unit in ("nginx", "postgresql", "worker"):
            yield sh(f"{ssh} systemctl is-active {unit}", f"active since {kernel}")


@WAITING("Bring up the stack with docker compose and run the smoke tests.")
def health_of_a_starting_stack() -> Steps:
    """A service that is not up yet is asked again and again."""
    for service, port in (("db", 5432), ("search", 9200), ("api", 8080), ("web", 3000)):
        yield sh(f"docker compose up -d {service}", f"Container shop-{service}-1  Started", 6)
        for _ in range(9):
            said = f"curl: (7) Failed to connect to localhost port {port} after 0 ms"
            yield fails(f"curl -sf localhost:{port}/health", said, 7)
        for _ in range(4):
            said = "curl: (22) The requested URL returned error: 503"
            yield fails(f"curl -sf localhost:{port}/health", said, 22)
        yield sh(f"docker compose logs --tail 5 {service}", f"{service}-1 | ready on {port}")
        yield sh(f"curl -sf localhost:{port}/health", f'{{"{service}":"ok"}}')
        yield sh(f"pytest -q smoke/test_{service}.py", f"{port % 7} passed in 1.2s", 3)


# A build


@WAITING("The image takes ages to build. Build it and find out which layer is slow.")
def slow_docker_build() -> Steps:
    """The output of a task in the background is read until it ends."""
    layers = ["apt-get update", "apt-get install", "pip install torch", "COPY . .", "npm ci"]
    given: dict[str, object] = {
        "command": "docker build --progress=plain -t shop .",
        "run_in_background": True,
    }
    yield SessionStep("Bash", given, "Command running in background with ID: b1")
    for number, layer in enumerate(layers):
        new = f"#{number + 5} [{number + 2}/6] RUN {layer}"
        yield SessionStep("BashOutput", {"bash_id": "b1"}, f"<status>running</status>\n{new}")
        for _ in range(9):
            yield SessionStep("BashOutput", {"bash_id": "b1"}, "<status>running</status>")
    yield SessionStep("BashOutput", {"bash_id": "b1"}, "<status>completed</status>\nexit 0")
    yield look("Dockerfile", "FROM python:3.12")
    yield edit("Dockerfile", "COPY . .\nRUN npm ci", "COPY package*.json .\nRUN npm ci\nCOPY . .")
    yield sh("docker build -q -t shop .", "sha256:77aa", 110)
    yield sh("docker history shop", "77aa 2 minutes ago RUN npm ci 210MB")


# A log


def _log_line(number: int) -> str:
    minute, second = divmod(number * 7, 60)
    return f"2026-11-18 10:{minute:02}:{second:02} INFO worker-{number % 4} job {number} done"


@WAITING("Watch the import in logs/import.log and tell me if anything goes wrong.")
def tail_of_a_log() -> Steps:
    """A person asked for somebody to watch; there is nothing else to do."""
    for number in range(90):
        known = number if number % 5 else number - 1
        lines = [_log_line(max(0, known - back)) for back in range(8, -1, -1)]
        yield sh("tail -n 9 logs/import.log", "\n".join(lines))


@WAITING("Keep an eye on the nightly import for the next half hour; it hung yesterday.")
def tail_of_a_quiet_log() -> Steps:
    """For long times nothing new is written."""
    said = "10:00:00 INFO loading customers"
    for number in range(60):
        if number % 12 == 11:
            said = f"10:{number}:00 INFO loaded part {number // 12}"
        yield sh("tail -n 1 logs/import.log", said)


@WAITING("The worker restarts every few minutes. Watch its journal and find out why.")
def journal_of_a_unit() -> Steps:
    """The journal, the state of the unit and the memory are looked at by turns."""
    for number in range(18):
        yield sh(
            "journalctl -u worker -n 20 --no-pager",
            f"Nov 18 10:{number:02}:04 box worker[{4000 + number // 4}]: batch {number // 2} done",
        )
        yield sh(
            "systemctl status worker --no-pager",
            f"● worker.service\n Active: active (running) since 10:00; {number}min ago\n"
            f" Main PID: {4000 + number // 4}\n Memory: {200 + 13 * number}.0M",
        )
        if number % 6 == 5:
            yield sh('journalctl -u worker --since "10 min ago" -p err', "oom-kill: worker")
            yield grep("cache", f"src/worker.py:{number}: cache = {{}}")
    yield look("src/worker.py", "cache = {}")
    yield edit("src/worker.py", "cache = {}", "cache = LRUCache(1000)")
    yield sh("pytest -q tests/test_worker.py", "4 passed in 0.9s", 2)
    for number in range(12):
        yield sh("journalctl -u worker -n 3 --no-pager", f"Nov 18 11:{number:02}:00 batch ok")


# A job


@WAITING("Submit the training job to slurm and collect its metrics when it is finished.")
def squeue_until_done() -> Steps:
    """A job is pending for long, and then it runs for long."""
    yield sh("sbatch train.sbatch", "Submitted batch job 4711")
    head = "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n"
    for _ in range(25):
        yield sh("squeue -j 4711", f"{head}4711 gpu train ada PD 0:00 1 (Priority)")
    for minute in range(25):
        yield sh("squeue -j 4711", f"{head}4711 gpu train ada R {minute}:10 1 node07")
        if minute % 5 == 0:
            yield sh("tail -n 2 slurm-4711.out", f"epoch {minute} loss {9 / (minute + 1):.3f}")
    yield sh("squeue -j 4711", head)
    yield sh("sacct -j 4711 --format=State,Elapsed", "COMPLETED 00:25:40")


@WAITING("Roll out the new version to the kind cluster and make sure that all pods are ready.")
def kubectl_get_pods() -> Steps:
    """Pods come up one by one."""
    yield sh("kubectl --context kind-dev apply -f k8s/", "deployment.apps/shop configured", 2)
    for ready in range(6):
        for age in range(9):
            rows = [
                f"shop-{n} {'1/1 Running' if n < ready else '0/1 ContainerCreating'} 0 {age}m"
                for n in range(6)
            ]
            yield sh("kubectl --context kind-dev get pods", "\n".join(rows))
        yield sh(f"kubectl --context kind-dev logs shop-{ready} --tail=3", f"pod {ready} listens")
    yield sh("kubectl --context kind-dev rollout status deploy/shop", "successfully rolled out", 4)


@WAITING("Does the server leak memory? Put load on it and sample its size for an hour.")
def samples_of_a_process() -> Steps:
    """The same number is read once a minute."""
    yield sh("python -m shop.server & echo $!", "4242", 1)
    yield sh("hey -z 60m -c 4 http://localhost:8000/ > load.txt &", "", 1)
    for minute in range(60):
        yield sh("ps -o rss= -p 4242", f"{180_000 + 40 * (minute // 3)}")
    yield sh("python tools/plot.py samples.csv", "slope 0.01 MB/min", 2)


# Written after the first fixes, to see whether they hold for others, too


@WAITING("The import writes logs/import.log. Tell me when it is through, or what it says.")
def log_that_is_read_with_a_tool() -> Steps:
    """Not `tail`, but the tool that reads files, and `grep`."""
    for number in range(30):
        yield look("logs/import.log", f"INFO loading part {number // 5}")
        if number % 2:
            yield sh("grep -c ERROR logs/import.log", "0")


@WAITING("Drain the queue and tell me when all mails are out.")
def queue_in_a_database() -> Steps:
    """The number of rows stays the same for a while, then falls."""
    for number in range(45):
        query = "select count(*) from mail where sent is null"
        yield sh(f'psql -At shop -c "{query}"', f"{9000 - 800 * (number // 6)}")


@WAITING("Deploy to the staging box and make sure that nginx comes up.")
def unit_on_another_machine() -> Steps:
    """A unit there is not up yet."""
    yield sh("scp dist/shop.tgz staging:/srv/shop/", "shop.tgz 100%", 4)
    for attempt in range(4):
        for _ in range(9):
            yield fails("ssh staging systemctl is-active nginx", "activating", 3, 1)
        yield sh("ssh staging journalctl -u nginx -n 5", f"started worker {attempt}", 1)


@WAITING("The nightly job runs on the build server; wait for it and fetch the report.")
def page_of_a_job() -> Steps:
    """The state of a job is on a page."""
    for number in range(45):
        state = "running" if number < 44 else "success"
        yield sh("curl -s https://ci.example.com/job/42/api | jq -r .state", state, 1)


@WAITING("Export all orders; it takes an hour. Watch the file grow.")
def file_that_grows() -> Steps:
    """An export in the background, which pauses now and then."""
    yield sh("nohup python export.py > export.out 2>&1 &", "[1] 4711", 1)
    for number in range(40):
        yield sh("wc -l orders.csv", f"{120 * (number // 4)} orders.csv")
        if number % 8 == 7:
            yield sh("du -h orders.csv", f"{number // 8}M orders.csv")
