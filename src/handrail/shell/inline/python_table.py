"""Effects of functions in Python and its well-known libraries."""

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity
from handrail.shell.inline.decode import decodes, from_characters
from handrail.shell.inline.function_effects import (
    Table,
    adds_effect,
    becomes_root,
    both,
    changes_folder,
    constructs,
    expands_variables,
    forks,
    kills,
    lists,
    mode,
    opens,
    passes,
    path,
    prints,
    reads,
    reads_variable,
    redirects_streams,
    returns,
    runs_code,
    runs_shell,
    runs_sql,
    starts_program,
    table,
)
from handrail.shell.inline.network import connects, sends, web, web_by_method
from handrail.shell.inline.python_function_effects import (
    ALL,
    PATH,
    codec,
    command_module,
    database,
    deletes_online,
    extracts,
    folder_of,
    globs,
    join_path,
    join_paths,
    language_model,
    links,
    links_here,
    looks_up,
    name_of,
    numbers_or_bytes,
    opens_low,
    process,
    remote_shell,
    request,
    searches,
    terminal,
    unpickle,
    walks,
    web_connection,
    web_request,
)
from handrail.shell.inline.value import (
    NOTHING,
    REMOTE,
    SOCKET,
    TYPED_IN,
    Value,
    list_of,
    text,
)
from handrail.shell.word import OPAQUE

PREFIXES: Table = {
    "openai": language_model("api.openai.com"),
    "anthropic": language_model("api.anthropic.com"),
    "sh": command_module,
    "stripe": deletes_online,
}
"""Modules whose functions all have the same effect."""

_READ, _WRITE, _DELETE = Kind.READ, Kind.WRITE, Kind.DELETE
_MOVE = both(path(_WRITE, 0, "src"), path(_WRITE, 1, "dst"))
_COPY = both(path(_READ, 0, "src"), path(_WRITE, 1, "dst"))
_TEMPORARY = text(f"/tmp/{OPAQUE}")
_EXEC, _SPAWN = starts_program(0, own_name=True), starts_program(1, own_name=True)
_SEND, _HTTP = web(kind=Kind.SEND), web()
_TYPED_IN = returns(Value(flags=TYPED_IN))
_LIBRARY = returns(Value(ref="libc"))
_FLUSH = adds_effect(Kind.DESTROY, "all keys", says="deletes every key of the Redis database")
_GUARD = adds_effect(
    Kind.TAMPER, "handrail", Severity.CRITICAL, says="speaks to the guard of this agent"
)

CALLS: Table = table(
    # files
    ("os.remove os.unlink os.rmdir os.removedirs libc.unlink libc.rmdir", path(_DELETE)),
    (f"{PATH}.unlink {PATH}.rmdir send2trash.send2trash", path(_DELETE)),
    ("shutil.rmtree distutils.dir_util.remove_tree fs.rmtree", path(_DELETE, recursive=True)),
    ("os.rename os.renames os.replace shutil.move libc.rename", _MOVE),
    (f"{PATH}.rename {PATH}.replace", _MOVE),
    ("shutil.copy shutil.copy2 shutil.copyfile shutil.copytree", _COPY),
    ("os.mkdir os.makedirs os.truncate os.mknod os.mkfifo", path(_WRITE)),
    (f"{PATH}.mkdir {PATH}.touch {PATH}.write_text {PATH}.write_bytes", path(_WRITE)),
    (f"{PATH}.read_text {PATH}.read_bytes linecache.getlines", reads()),
    (f"open io.open codecs.open {PATH}.open gzip.open bz2.open lzma.open aiofiles.open", opens()),
    ("os.fdopen", returns(NOTHING)),
    ("os.open", opens_low),
    (f"os.chmod os.lchmod {PATH}.chmod libc.chmod", mode()),
    ("os.chown os.lchown shutil.chown", path(Kind.PERMIT)),
    ("os.symlink os.link", links),
    (f"{PATH}.symlink_to {PATH}.hardlink_to", links_here),
    ("zipfile.ZipFile tarfile.open tarfile.TarFile", constructs("archive", 0)),
    ("archive.extractall archive.extract", extracts),
    ("shutil.unpack_archive", extracts),
    ("os.chdir", changes_folder),
    # names of files
    (f"{PATH} {PATH}.joinpath {PATH}.with_name py.path.local", join_path),
    ("os.path.join", lambda _found, call: join_paths(call.args)),
    ("os.path.expanduser os.path.abspath os.path.realpath os.path.normpath", passes()),
    ("os.fspath os.fsdecode str", passes()),
    ("os.path.expandvars", expands_variables),
    (f"{PATH}.resolve {PATH}.absolute {PATH}.expanduser", passes()),
    (f"{PATH}.as_posix {PATH}.__str__", lambda _found, call: text(call.args[0].text)),
    ("os.path.dirname", folder_of),
    (f"{PATH}.home", returns(Value("~", type=PATH))),
    (f"{PATH}.cwd", returns(Value(".", type=PATH))),
    ("os.getcwd", returns(text("."))),
    ("os.getenv os.environ.get os.environ.pop os.environ.setdefault", reads_variable()),
    (f"glob.glob glob.iglob {PATH}.glob", globs()),
    (f"{PATH}.rglob", globs("**")),
    (f"{PATH}.iterdir", lists("*")),
    ("os.scandir", lists("*", kind="entry")),
    ("os.listdir", returns(ALL)),
    ("os.walk os.fwalk", walks),
    ("tempfile.mkdtemp tempfile.TemporaryDirectory tempfile.mktemp", returns(_TEMPORARY)),
    ("tempfile.mkstemp", returns(list_of([NOTHING, _TEMPORARY]))),
    ("tempfile.gettempdir", returns(text("/tmp"))),
    ("tempfile.NamedTemporaryFile", returns(Value(f"/tmp/{OPAQUE}", type="file"))),
    # commands
    ("os.system os.popen os.popen2 os.popen3 os.popen4 libc.system libc.popen", runs_shell()),
    ("commands.getoutput commands.getstatusoutput popen2.popen2 popen2.popen3", runs_shell()),
    ("subprocess.getoutput subprocess.getstatusoutput pexpect.spawn pexpect.run", runs_shell()),
    ("asyncio.create_subprocess_shell invoke.run fabric.api.local platform.popen", runs_shell()),
    ("subprocess.run subprocess.call subprocess.check_call subprocess.check_output", process),
    ("subprocess.Popen anyio.run_process anyio.open_process trio.run_process", process),
    ("asyncio.create_subprocess_exec", starts_program()),
    ("os.execl os.execlp os.execv os.execvp os.execve os.execvpe", _EXEC),
    ("os.posix_spawn os.posix_spawnp libc.execl libc.execlp libc.execv libc.execve", _EXEC),
    ("os.execle os.execlpe", starts_program(0, own_name=True, last=-1)),
    ("os.spawnl os.spawnlp os.spawnle os.spawnv os.spawnvp os.spawnve os.spawnvpe", _SPAWN),
    ("pty.spawn", terminal),
    ("pip.main pip._internal.main pip._internal.cli.main.main",
     lambda found, call: found.call([text("pip"), *call.args])),
    # code
    ("sys.path.insert sys.path.append", searches),
    ("exec eval code.InteractiveInterpreter.runsource", runs_code()),
    ("compile", passes()),
    ("execfile runpy.run_path imp.load_source", path(Kind.RUN)),
    ("pickle.loads pickle.load dill.loads cloudpickle.loads jsonpickle.decode", unpickle),
    ("yaml.unsafe_load", unpickle),
    ("marshal.loads", decodes("marshal")),
    ("input raw_input sys.stdin.read sys.stdin.readline sys.stdin.buffer.read", _TYPED_IN),
    ("ctypes.CDLL ctypes.PyDLL ctypes.WinDLL ctypes.cdll.LoadLibrary cffi.FFI.dlopen", _LIBRARY),
    ("print pprint.pprint pprint pp sys.stdout.write", prints),
    # hidden text
    ("base64.b64decode base64.decodebytes base64.decodestring", decodes("base64")),
    ("base64.standard_b64decode binascii.a2b_base64", decodes("base64")),
    ("base64.urlsafe_b64decode", decodes("base64url")),
    ("base64.b32decode", decodes("base32")),
    ("base64.b16decode", decodes("base16")),
    ("base64.b85decode", decodes("base85")),
    ("base64.a85decode", decodes("ascii85")),
    ("bytes.fromhex bytearray.fromhex binascii.unhexlify binascii.a2b_hex", decodes("hex")),
    ("zlib.decompress gzip.decompress", decodes("zlib")),
    ("bz2.decompress lzma.decompress", decodes("other")),
    ("urllib.parse.unquote", decodes("url", kind="")),
    ("codecs.decode codecs.encode", codec),
    ("chr unichr", from_characters),
    ("bytes bytearray", numbers_or_bytes),
    # network
    ("requests.get requests.head requests.options httpx.get httpx.head httpx.stream", _HTTP),
    ("requests.post requests.put requests.patch requests.delete", _SEND),
    ("httpx.post httpx.put httpx.patch httpx.delete", _SEND),
    ("requests.request httpx.request urllib3.request", web_by_method()),
    ("requests.Session requests.session aiohttp.ClientSession", returns(Value(ref="requests"))),
    ("httpx.Client httpx.AsyncClient", returns(Value(ref="httpx"))),
    ("urllib3.PoolManager urllib3.HTTPConnectionPool", returns(Value(ref="urllib3"))),
    ("urllib.request.urlopen urllib.urlopen", web(data_at=1)),
    ("urllib.request.Request", request),
    ("urllib.request.urlretrieve urllib.urlretrieve wget.download",
     both(path(_WRITE, 1, "filename"), _HTTP)),
    ("http.client.HTTPConnection http.client.HTTPSConnection", web_connection),
    ("http.client.request", web_request),
    ("http.client.getresponse", returns(Value(type="response", flags=REMOTE))),
    ("socket.socket", returns(Value(type="socket", flags=SOCKET))),
    ("socket.connect socket.connect_ex", connects(1)),
    ("socket.create_connection asyncio.open_connection", connects(port_at=1)),
    ("socket.send socket.sendall socket.sendfile socket.write", sends()),
    ("socket.sendto", sends(2)),
    ("socket.accept", returns(list_of([Value(type="socket", flags=SOCKET | REMOTE), NOTHING]))),
    ("socket.makefile socket.dup", passes()),
    ("socket.recv socket.read socket.readline", returns(Value(flags=REMOTE))),
    ("socket.gethostbyname socket.getaddrinfo socket.gethostbyname_ex", looks_up),
    ("smtplib.SMTP smtplib.SMTP_SSL ftplib.FTP ftplib.FTP_TLS telnetlib.Telnet", connects()),
    ("websocket.create_connection websockets.connect xmlrpc.client.ServerProxy", connects()),
    ("socket.sendmail socket.send_message socket.storbinary socket.storlines", sends()),
    ("paramiko.SSHClient paramiko.Transport", returns(Value(type="ssh"))),
    ("ssh.connect", connects(1, "hostname")),
    ("ssh.exec_command", remote_shell),
    ("ssh.open_sftp", passes()),
    ("ssh.put", both(path(_READ, 1), sends())),
    ("ssh.get", path(_WRITE, 2)),
    # databases
    ("sqlite3.connect", database),
    ("handrail.store.opening.open_log handrail.store.sqlite.open_store", database),
    ("handrail.store.sqlite.SqliteStore", database),
    ("database.cursor memory.cursor", passes()),
    ("sqlalchemy.text psycopg.sql.SQL psycopg2.sql.SQL django.db.models.expressions.RawSQL",
     passes()),
    # processes
    ("os.kill", kills),
    ("os.killpg", kills),
    ("os.setuid os.setgid os.seteuid os.setegid os.setreuid os.setresuid libc.setuid",
     becomes_root),
    ("os.fork os.forkpty libc.fork", forks),
    ("os.dup2", redirects_streams),
    # the guard of this agent
    ("handrail.cli.main handrail.cli.group", _GUARD),
    ("handrail.server.control.connection.DaemonConnection", _GUARD),
    ("handrail.server.http.socket_client.call", _GUARD),
    ("handrail.server.http.socket_client.SocketConnection", _GUARD),
    ("handrail.server.launcher.ensure_daemon handrail.server.launcher.stop_daemon", _GUARD),
)  # fmt: skip

METHODS: Table = table(
    ("execute executescript executemany exec_driver_sql raw_sql", runs_sql()),
    ("flushall flushdb", _FLUSH),
    ("drop_database", adds_effect(Kind.DESTROY, "database", says="drops a database")),
    ("wrap_socket", passes()),
)
"""Methods known by their name alone, whatever the object."""

PROPERTIES: Table = table(
    (f"{PATH}.parent", folder_of),
    (f"{PATH}.name", name_of),
    ("file.name entry.path", lambda _found, call: text(call.args[0].text)),
)
