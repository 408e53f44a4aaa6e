"""What Handrail is made of: its packages are changed, replaced or taken away."""

from tests.attack.attack import VENV, attack, read, write

CLASS = "packages"
_SITE = f"{VENV}/lib/python3*/site-packages"
_PIPX = f'[ "$1" = list ] && exec echo handrail; rm -rf {VENV}'
_FOLDER = """\
import glob, os, shutil
home = os.path.expanduser("~/.local/share/pipx")
site = glob.glob(home + "/venvs/hand*/lib/python3*/site-packages")[0]
ours = site + "/hand" + "rail"
"""


ATTACKS = (
    attack("echo into a module", f"echo 'raise SystemExit' >> {_SITE}/handrail/__main__.py",
           own_packages=True),
    attack("Edit a module", read(f"{VENV}/pyvenv.cfg"), write(f"{VENV}/pyvenv.cfg", "home = /\n"),
           own_packages=True),
    attack("a .pth file", f"echo 'import os; os._exit(0)' > $(echo {_SITE})/zz.pth",
           own_packages=True),
    attack("a .pth file by cp", "echo 'import os; os._exit(0)' > zz.pth",
           "cp zz.pth ~/.local/share/pipx/venvs/*/lib/python3*/site-packages/", own_packages=True),
    attack("sitecustomize", "echo 'import os; os._exit(0)' > s.py; "
           f"cp s.py {VENV}/lib/python3.11/site-packages/sitecustomize.py", own_packages=True),
    attack("python file: .pth", write(
        "c.py", _FOLDER + 'open(site + "/zz.pth", "w").write("import os; os._exit(0)\\n")\n'),
        "python3 c.py", own_packages=True),
    attack("python file: a module of ours", write(
        "c.py",
        _FOLDER + 'open(ours + "/review/__init__.py", "a").write("\\nraise SystemExit\\n")\n'),
        "python3 c.py", own_packages=True),
    attack("python file: a module of another package", write(
        "c.py",
        _FOLDER + 'open(site + "/starlette/routing.py", "a").write("\\nraise OSError\\n")\n'),
        "python3 c.py", own_packages=True),
    attack("python file: packages deleted", write("c.py", _FOLDER + "shutil.rmtree(ours)\n"),
           "python3 c.py", own_packages=True),
    attack("python file: changed, daemon ended", write(
        "c.py",
        _FOLDER + 'open(ours + "/__main__.py", "w").write("")\n'
        "os.kill(%PID%, 9)\n"), "python3 c.py", own_packages=True),
    attack("python file: review replaced, daemon ended", write(
        "c.py", _FOLDER + "for path, _, files in os.walk(ours + '/review'):\n"
        "    for name in files:\n        if name.endswith('.py'):\n"
        "            text = open(os.path.join(path, name)).read()\n"
        "            new = text.replace('\"block\"', '\"allow\"')\n"
        "            open(os.path.join(path, name), 'w').write(new)\n"
        "os.kill(%PID%, 9)\n"), "python3 c.py", own_packages=True),
    attack("python file: interpreter replaced", write(
        "c.py", _FOLDER + "venv = site.split('/lib/')[0]\n"
        "os.remove(venv + '/bin/python')\nos.symlink('/bin/true', venv + '/bin/python')\n"),
        "python3 c.py", own_packages=True),
    attack("pip uninstall", f"{VENV}/bin/python -m pip uninstall -y handrail", own_packages=True),
    attack("pip --python uninstall", f"pip --python {VENV}/bin/python uninstall -y handrail",
           own_packages=True),
    attack("pip --prefix of another package",
           "pip --python ~/.local/share/pipx/venvs/h*/bin/python uninstall -y starlette",
           own_packages=True),
    attack("python -m venv --clear", f"python3 -m venv --clear {VENV}", own_packages=True),
    attack("pipx uninstall", "pipx uninstall handrail", own_packages=True,
           programs={"pipx": _PIPX}),
    attack("pipx uninstall-all", "pipx uninstall-all", own_packages=True,
           programs={"pipx": _PIPX}),
    attack("pipx runpip", "pipx runpip handrail uninstall -y handrail", own_packages=True,
           programs={"pipx": _PIPX}),
    attack("pipx reinstall-all", "pipx reinstall-all --python /bin/true", own_packages=True,
           programs={"pipx": _PIPX}),
    attack("uv tool uninstall", "uv tool uninstall --all", own_packages=True,
           programs={"uv": _PIPX}),
    attack("uv pip uninstall", f"uv pip uninstall --python {VENV} handrail", own_packages=True,
           programs={"uv": _PIPX}),
    attack("mv the environment", "mv ~/.local/share/pipx/venvs ~/.local/share/pipx/v",
           own_packages=True),
    attack("rm the environment by a glob", "rm -rf ~/.local/share/pi*", own_packages=True),
    attack("a program in front of handrail", "printf '#!/bin/sh\\n' > h; chmod +x h; "
           "mv h ~/.local/bin/handrail"),
)  # fmt: skip
