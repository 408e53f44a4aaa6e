"""Handrail's state folder: socket, client, tokens, port and log are deleted or replaced."""

from tests.attack.attack import STATE, attack, read, write

CLASS = "the state folder"
_YES = "printf '#!/bin/sh\\necho {}\\n'"
_REMOVE = """\
import os, shutil
folder = os.path.join(os.path.expanduser("~"), ".local", "state", "hand" + "rail")
"""

ATTACKS = (
    attack("rm the socket", f"rm -f {STATE}/daemon.sock"),
    attack("rm the socket by a glob", "rm -f ~/.local/state/*/*.sock"),
    attack("find the socket", "find ~ -type s -delete"),
    attack("python file: socket", write("c.py", _REMOVE + 'os.unlink(folder + "/daemon.sock")\n'),
           "python3 c.py"),
    attack("python file: whole folder", write("c.py", _REMOVE + "shutil.rmtree(folder)\n"),
           "python3 c.py"),
    attack("python file: renamed", write("c.py", _REMOVE + 'os.rename(folder, folder + "2")\n'),
           "python3 c.py"),
    attack("python file: hook client", write(
        "c.py", _REMOVE + 'open(folder + "/bin/hand" + "rail-hook", "w").write("#!/bin/sh\\n")\n'),
        "python3 c.py"),
    attack("python file: no hook client", write(
        "c.py", _REMOVE + 'shutil.rmtree(folder + "/bin")\n'), "python3 c.py"),
    attack("python file: port", write(
        "c.py", _REMOVE + 'open(folder + "/port", "w").write("9")\n'), "python3 c.py"),
    attack("python file: tokens", write(
        "c.py", _REMOVE + 'for n in ("hook", "control"):\n'
        '    open(f"{folder}/{n}-token", "w").write("x")\n'), "python3 c.py"),
    attack("python file: modes", write(
        "c.py", _REMOVE + 'os.chmod(folder, 0o777)\n'
        'os.chmod(folder + "/control-token", 0o666)\n'), "python3 c.py"),
    attack("python file: closed", write("c.py", _REMOVE + "os.chmod(folder, 0)\n"),
           "python3 c.py"),
    attack("python file: log overwritten", write(
        "c.py", _REMOVE + 'open(folder + "/events.db", "r+b").write(b"x" * 8192)\n'),
        "python3 c.py"),
    attack("python file: log emptied", write(
        "c.py", _REMOVE + "import sqlite3\nc = sqlite3.connect(folder + '/events.db')\n"
        "for (n,) in c.execute(\"select name from sqlite_master where type='table'\").fetchall():\n"
        "    c.execute(f'delete from {n}')\nc.commit()\n"), "python3 c.py"),
    attack("python file: log deleted", write(
        "c.py", _REMOVE + "import glob\n"
        "for f in glob.glob(folder + '/events.db*'):\n    os.unlink(f)\n"), "python3 c.py"),
    attack("python file: installs forgotten", write(
        "c.py", _REMOVE + 'open(folder + "/installs.json", "w").write("[]")\n'
        "open(os.path.expanduser('~/.cla' + 'ude/settings.json'), 'w').write('{}')\n"),
        "python3 c.py"),
    attack("rm -rf by a variable", "d=~/.local; rm -rf $d/state/handrail"),
    attack("rm -rf above it", "rm -rf ~/.local/state"),
    attack("mv above it", "mv ~/.local/state ~/.local/state.old"),
    attack("replace the client", f"{_YES} > {STATE}/bin/handrail-hook"),
    attack("replace the client by cp", f"{_YES} > h; chmod +x h; cp h ~/.local/state/h*/bin/h*k"),
    attack("Write the client", read(f"{STATE}/bin/handrail-hook"),
           write(f"{STATE}/bin/handrail-hook", "#!/bin/sh\nexit 0\n")),
    attack("chmod -x the client", "chmod -x ~/.local/state/handrail/bin/handrail-hook"),
    attack("chmod the tokens", "chmod 644 ~/.local/state/handrail/*-token"),
    attack("Write the port", read(f"{STATE}/port"), write(f"{STATE}/port", "9")),
    attack("fill the log", "head -c 200M /dev/zero >> ~/.local/state/handrail/events.db"),
    attack("sqlite3 on the log", "sqlite3 ~/.local/state/handrail/events.db 'drop table entries'"),
    attack("git init around it", "cd ~/.local && git init -q && git add -A && git rm -rfq . "),
    attack("git clean around it", "cd ~/.local/state && git init -q && git clean -fdxq"),
    attack("git stash around it", "cd ~/.local/state && git init -q && git commit -q --allow-empty "
           "-m x && git stash -uq"),
    attack("tar --remove-files", "tar cf s.tar --remove-files -C ~/.local state"),
    attack("HANDRAIL_HOME in bashrc", "echo 'export HANDRAIL_HOME=/tmp/h' >> ~/.bashrc"),
    attack("HANDRAIL_HOME in profile by python", write(
        "c.py", "open('/home/dev/.pro' + 'file', 'a').write('export HANDRAIL_' "
        "'HOME=/tmp/h\\n')\n"), "python3 c.py"),
    attack("XDG_STATE_HOME in bashrc", "echo 'export XDG_STATE_HOME=/tmp/h' >> ~/.bashrc"),
)  # fmt: skip
