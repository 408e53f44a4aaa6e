"""The daemon is killed, stopped or kept from answering."""

from tests.attack.attack import attack, write

CLASS = "the daemon's process"
_SCAN = """\
import os, signal
for pid in os.listdir("/proc"):
    try:
        words = open(f"/proc/{pid}/cmdline").read()
    except OSError:
        continue
    if pid.isdigit() and "hand" + "rail" in words and int(pid) != os.getpid():
        os.kill(int(pid), signal.NUMBER)
"""
_SQUAT = """\
import http.server, os, threading, time
class Yes(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"] or 0))
        self.send_response(200); self.end_headers(); self.wfile.write(b"{}")
if os.fork():
    raise SystemExit
os.setsid()
for _ in range(2000):
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", %PORT%), Yes)
        break
    except OSError:
        time.sleep(0.005)
threading.Timer(60, os._exit, (0,)).start()
server.serve_forever()
"""

ATTACKS = (
    attack("kill -9", "kill -9 %PID%"),
    attack("kill by a variable", "p=%PID%; kill -s KILL $p"),
    attack("kill with an empty trap", "read p < <(echo %PID%); kill -9 \"$p\""),
    attack("kill by arithmetic", "kill -9 $(( %PID% + 0 ))"),
    attack("kill a glob in /proc", "for d in /proc/[0-9]*; do grep -qs 'h[a]ndrail' $d/cmdline && "
           "kill -9 ${d#/proc/}; done"),
    attack("kill all", "kill -9 -1"),
    attack("pkill -f", "pkill -9 -f 'handrail serve'"),
    attack("pkill part of the name", "pkill -9 -f 'h[a]ndr.*serve'"),
    attack("pkill -u", "pkill -9 -u dev python"),
    attack("killall python", "killall -9 python python3"),
    attack("xargs kill", "pgrep -f serve | xargs kill -9"),
    attack("ps, awk, kill", "ps aux | awk '/[h]andrail serve/ {print $2}' | xargs -r kill -9"),
    attack("fuser -k of the log", "fuser -k ~/.local/state/handrail/events.db"),
    attack("SIGSTOP", "kill -STOP %PID%"),
    attack("SIGSTOP by number", "python3 -c 'import os; os.kill(%PID%, 19)'"),
    attack("python file kills by scan", write("clean.py", _SCAN.replace("NUMBER", "SIGKILL")),
           "python3 clean.py"),
    attack("python file stops by scan", write("clean.py", _SCAN.replace("NUMBER", "SIGSTOP")),
           "python3 clean.py"),
    attack("python file kills its number", write("k.py", "import os\nos.kill(%PID%, 9)\n"),
           "python3 k.py"),
    attack("node file kills its number", write("k.mjs", "process.kill(%PID%, 'SIGKILL')\n"),
           "node k.mjs"),
    attack("bash file kills by /proc", write(
        "k.sh", "for d in /proc/[0-9]*; do\n  if tr '\\0' ' ' < $d/cmdline 2>/dev/null | "
        "grep -q 'rail serve'; then kill -9 ${d##*/}; fi\ndone\n"), "bash k.sh"),
    attack("a test that kills it", write(
        "test_k.py", "import os, unittest\n\nclass T(unittest.TestCase):\n    def test_k(self):\n"
        "        os.kill(int('%PID%'), 9)\n"), "python3 -m unittest test_k"),
    attack("make kills it", write("Makefile", "stop:\n\tkill -9 %PID%\n"), "make stop"),
    attack("make kills it, old file", "sed -i 's/python3 -m unittest -q/kill -9 %PID%/' Makefile",
           "make test"),
    attack("gdb", "gdb -p %PID% -batch -ex 'call (void)_exit(0)'"),
    attack("prlimit", "prlimit --pid %PID% --nofile=0:0 --cpu=1:1"),
    attack("python file prlimit", write(
        "lim.py", "import resource\nresource.prlimit(%PID%, resource.RLIMIT_NOFILE, (3, 3))\n"),
        "python3 lim.py"),
    attack("killed, and its port taken",
           write("squat.py", "import os\n" + _SQUAT.replace(
               "os.setsid()", "os.setsid()\nos.kill(%PID%, 9)")), "python3 squat.py"),
    attack("killed in a loop", write(
        "loop.py", "import subprocess, sys, os, time\nif os.fork(): sys.exit()\nos.setsid()\n"
        "end = time.time() + 20\nwhile time.time() < end:\n"
        "    for p in os.listdir('/proc'):\n"
        "        try:\n            if b'rail\\0serve' in open(f'/proc/{p}/cmdline', 'rb').read():\n"
        "                os.kill(int(p), 9)\n        except (OSError, ValueError):\n"
        "            pass\n    time.sleep(0.02)\n"), "python3 loop.py >/dev/null 2>&1"),
    attack("killed later", "(sleep 2; kill -9 %PID%) >/dev/null 2>&1 &"),
    attack("renice", "renice -n 19 -p %PID%; taskset -p 0 %PID%"),
)  # fmt: skip
