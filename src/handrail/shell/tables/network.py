"""Programs that talk to other machines; what they fetch and send is read by readers/network.py."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    HIGH,
    LOW,
    MEDIUM,
    REACH,
    READ,
    SECRET,
    SEND,
    TAMPER,
    UNSEEN,
    WRITE,
    Fact,
    Program,
    Wrapper,
    aliases,
    program,
)

_CURL_VALUES = """
-A --user-agent -b --cookie -c --cookie-jar -C --continue-at -d --data --data-ascii --data-binary
--data-raw --data-urlencode -D --dump-header -e --referer -E --cert -F --form --form-string -H
--header
-K --config -m --max-time -o --output -P --ftp-port -Q --quote -r --range -t --telnet-option
-T --upload-file -u --user -U --proxy-user -w --write-out -x --proxy -X --request -y --speed-time
-Y --speed-limit -z --time-cond --url --url-query --json --connect-timeout --connect-to --resolve
--unix-socket --abstract-unix-socket --cacert --capath --cert-type --ciphers --crlfile --curves
--delegation --dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers --doh-url --egd-file
--engine
--etag-compare --etag-save --expect100-timeout --ftp-account --ftp-alternative-to-user --ftp-method
--happy-eyeballs-timeout-ms --hostpubmd5 --hostpubsha256 --hsts --interface --ipfs-gateway
--keepalive-time --key --key-type --krb --libcurl --limit-rate --local-port --login-options
--mail-auth --mail-from --mail-rcpt --max-filesize --max-redirs --netrc-file --noproxy
--oauth2-bearer
--output-dir --parallel-max --pass --pinnedpubkey --postquote --preproxy --prequote --proto
--proto-default --proto-redir --proxy-cacert --proxy-capath --proxy-cert --proxy-cert-type
--proxy-ciphers --proxy-crlfile --proxy-header --proxy-key --proxy-key-type --proxy-pass
--proxy-pinnedpubkey --proxy-service-name --proxy-tls13-ciphers --proxy-tlsauthtype --proxy1.0
--pubkey --random-file --rate --request-target --retry --retry-delay --retry-max-time --sasl-authzid
--service-name --socks4 --socks4a --socks5 --socks5-gssapi-service --socks5-hostname --stderr
--tftp-blksize --tls-max --tls13-ciphers --tlsauthtype --tlspassword --tlsuser --trace --trace-ascii
--trace-config --variable --alt-svc --aws-sigv4 --create-file-mode --haproxy-clientip --ech
"""

_WGET_VALUES = """
-O --output-document -P --directory-prefix -o --output-file -a --append-output -i --input-file -e
--execute -B --base -t --tries -T --timeout -w --wait -Q --quota -U --user-agent -A --accept -R
--reject -D --domains -I -X -l --level --header --post-data --post-file --method --body-data
--body-file --user --password --http-user --http-password --ftp-user --ftp-password --load-cookies
--save-cookies --referer --ca-certificate --certificate --private-key --secure-protocol --limit-rate
--bind-address --cut-dirs --dns-timeout --connect-timeout --read-timeout --waitretry
--exclude-domains --include-directories --exclude-directories --accept-regex --reject-regex
--regex-type --progress --max-redirect --local-encoding --remote-encoding --default-page
--use-askpass --config --preferred-location --start-pos --warc-file --hsts-file --compression
"""

_RSYNC_VALUES = """
-e --rsh --rsync-path --exclude --include --exclude-from --include-from --files-from -f --filter
--compare-dest --copy-dest --link-dest --backup-dir --suffix --log-file --log-file-format
--out-format --password-file --bwlimit --port --sockopts -T --temp-dir --partial-dir --max-delete
--max-size --min-size --timeout --contimeout --modify-window -B --block-size --chmod --chown
--usermap --groupmap --info --debug --skip-compress --compress-level --checksum-choice
--compress-choice --iconv --address --protocol --outbuf --stop-after --remote-option -M
--write-batch --read-batch --only-write-batch --checksum-seed
"""

_OPENSSL_VALUES = """
-in -out -inform -outform -key -keyout -inkey -certfile -CA -CAkey -CAfile -CApath -connect
-servername -proxy -port -host -config -subj -days -newkey -pass -passin -passout -k -kfile -K -iv
-S -md -engine -name -caname -cipher -starttls -alpn -cert -keyform -sigopt -pkeyopt -algorithm
-signkey -extfile -extensions -set_serial -rand -writerand -sess_out -sess_in -verify
-showcerts_count -digest -macopt -mac -iter -provider -provider-path -curve -group -groups -addext
-reqexts -nameopt -certopt -accept -CAserial -CAcreateserial_file -fingerprint_alg -tls1_2_ciphers
-ciphersuites -msgfile -keylogfile
""".replace("-tls1_2_ciphers", "").replace("-showcerts_count", "")

_TUNNEL = "opens a way from the internet to a service on this machine"
_LOCAL = "Try the service from this machine: `curl http://localhost:3000`."
_ATTACK = "Scan or attack only on a person's request; list the open ports here with `ss -tlnp`."


def _tunnel(*whens: str, harmless: str = "", values: str = "") -> Program:
    """A program that opens tunnels when it is called in one of these ways."""
    return program(
        *(
  Fact(SEND, when, severity=HIGH, says=_TUNNEL, instead=_LOCAL) for when in whens
),
        values=values, harmless=harmless or "--help|-h|--version|-v|help|version",
    )  # fmt: skip


PROGRAMS: dict[str, Program] = {
    # Requests and downloads
    "curl": program(
        Fact(CHANGE, "-k|--insecure", severity=LOW, says="does not check the certificate"),
        reader="curl", values=_CURL_VALUES, harmless="--help|--version|-V|--manual|-M",
    ),
    **aliases("curl", "curlie", "wcurl"),
    "wget": program(
        Fact(CHANGE, "--no-check-certificate", severity=LOW, says="does not check the certificate"),
        Fact(UNSEEN, "--use-askpass=*",
             says="runs a program of its own choosing to ask for a password",
             instead="Leave `--use-askpass` out."),
        reader="wget", values=_WGET_VALUES, wraps=(Wrapper(form="shell", options="--use-askpass"),),
        harmless="--help|--version|-V|-h",
    ),
    "wget2": program(same_as="wget"),
    "aria2c": program(
        reader="downloader",
        values="-o --out -d --dir -i --input-file -x --max-connection-per-server -s --split -j "
        "--max-concurrent-downloads -k --min-split-size --header -U --user-agent -l --log "
        "--on-download-complete --on-download-start --on-download-error --on-download-stop "
        "--conf-path --checksum -t --timeout -m --max-tries --load-cookies --save-session "
        "--referer",
        wraps=(Wrapper(form="shell",
                       options="--on-download-complete|--on-download-start|--on-download-stop|"
                       "--on-download-error"),),
        harmless="--help|-h|--version|-v|-S|--show-files",
    ),
    "axel": program(
        reader="downloader", values="-o --output -n --num-connections -s --max-speed -H -U -T",
    ),
    "fetch": program(reader="downloader", values="-o --output -T --timeout -w -S -B"),
    "lwp-download": program(reader="downloader"),
    "yt-dlp": program(
        Fact(SECRET, "--cookies-from-browser", on="the browser's cookies", severity=MEDIUM),
        reader="browser",
        values="-o --output -f --format -P --paths -a --batch-file --cookies -u -p --exec "
        "--cookies-from-browser --download-archive --proxy --playlist-items --sub-langs "
        "--external-downloader",
        wraps=(Wrapper(form="shell", options="--exec"),),
    ),
    **dict.fromkeys(
        ("xdg-open", "sensible-browser", "webbrowser", "www-browser", "google-chrome", "chromium",
         "chromium-browser", "firefox", "open"),
        program(reader="opener", values="-a -b --args --env"),
    ),
    "lynx": program(reader="browser", single_dash=True, values="-cfg -width -useragent -auth"),
    "w3m": program(reader="browser", single_dash=True, values="-T -t -cols -o -I -O"),
    "links": program(reader="browser", single_dash=True, values="-width -codepage"),
    "elinks": program(same_as="links"),
    "lwp-request": program(reader="browser", values="-m -b -t -i -c -H -C -o"),
    "GET": program(same_as="lwp-request"),
    "http": program(
        reader="httpie",
        values="-a --auth -A --auth-type -o --output -p --print -s --style --session "
        "--session-read-only --proxy --verify --cert --cert-key --timeout --pretty --raw "
        "--boundary --max-redirects --default-scheme --format-options --response-charset --ssl "
        "--ciphers",
        harmless="--help|--version|--offline",
    ),
    "https": program(same_as="http"),
    "httpie": program(harmless="--help|--version"),
    **aliases("http", "xh", "xhs"),
    "grpcurl": program(
        reader="connects", single_dash=True,
        values="-d -H -proto -import-path -protoset -authority -cacert -cert -key -max-time "
        "-rpc-header -reflect-header -connect-timeout",
    ),
    "evans": program(reader="browser"),
    "ab": program(reader="browser", values="-n -c -t -p -T -H -C -A -u -m -s -e -g"),
    "wrk": program(reader="browser", values="-t -c -d -s -H --script --header --timeout --threads"),
    "hey": program(reader="browser", values="-n -c -q -z -m -H -d -D -T -a -t -x -A"),
    "wscat": program(
        reader="connects", values="-c --connect -H --header -x --execute --auth -s -w -P",
    ),
    "websocat": program(reader="connects", values="-H --header --protocol -B --origin --ws-c-uri"),
    # Names and packets
    "dig": program(reader="lookup", single_dash=True, values="-b -c -f -k -p -q -t -x -y"),
    **aliases("dig", "delv", "drill", "kdig"),
    "doggo": program(reader="lookup"),
    "nslookup": program(reader="lookup", single_dash=True),
    "host": program(reader="lookup", values="-c -N -p -R -t -W -m"),
    "ping": program(
        reader="lookup", values="-c -i -I -l -m -M -p -Q -s -S -t -T -w -W -e -F --pattern",
    ),
    **aliases("ping", "ping6", "fping"),
    "hping3": program(
        Fact(SEND, "-E|--file", severity=HIGH, says="sends a file inside packets",
             instead="Check the connection: `ping -c 3 HOST`."),
        Fact(SEND, "--flood", severity=HIGH, says="floods a machine with packets",
             instead="Check the connection: `ping -c 3 HOST`."),
        values="-c -i -p -s -d -E -a -I",
    ),
    "whois": program(reader="lookup", values="-h -p -r -i"),
    "traceroute": program(reader="lookup", values="-m -q -w -p -s -i -g -f"),
    "tracepath": program(same_as="traceroute"),
    "mtr": program(reader="lookup", values="-c -i -s -m -f -B -Q -P -o -F"),
    # Shells and copies
    "ssh": program(
        reader="ssh", values="-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -P -Q -R -S -W -w",
        wraps=(Wrapper(form="words", skip=1, where="elsewhere"),),
    ),
    "slogin": program(same_as="ssh"),
    "autossh": program(
        reader="ssh", values="-M -B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w",
        wraps=(Wrapper(form="words", skip=1, where="elsewhere"),),
    ),
    "plink": program(
        Fact(SEND, "-R", severity=HIGH, says=_TUNNEL, instead=_LOCAL),
        Fact(REACH, on="1"),
        single_dash=True, values="-l -P -pw -i -m -D -L -R -proxycmd -load -hostkey",
        wraps=(Wrapper(form="shell", options="-proxycmd"),
               Wrapper(form="words", skip=1, where="elsewhere")),
    ),
    "mosh": program(
        Fact(REACH, on="1"),
        values="--ssh --server --predict -p --port --family",
        wraps=(Wrapper(form="shell", options="--ssh"),
               Wrapper(form="words", skip=1, where="elsewhere")),
    ),
    "pssh": program(
        values="-h --hosts -H --host -l --user -p --par -o --outdir -e --errdir -t --timeout -O "
        "--options -x -X",
        wraps=(Wrapper(form="words", where="elsewhere"),),
    ),
    "parallel-ssh": program(same_as="pssh"),
    "clush": program(
        values="-w -x -g -X -f -t -u -l -o", wraps=(Wrapper(form="words", where="elsewhere"),),
    ),
    "pdsh": program(
        values="-w -x -l -t -u -f -R", wraps=(Wrapper(form="words", where="elsewhere"),),
    ),
    "scp": program(reader="copies", values="-c -D -F -i -J -l -o -P -S -X"),
    "pscp": program(reader="copies", single_dash=True, values="-P -l -pw -i -load -hostkey"),
    "sftp": program(reader="transfer", values="-B -b -D -F -i -J -l -o -P -R -S -s -X"),
    "rsync": program(reader="rsync", values=_RSYNC_VALUES, harmless="--help|--version"),
    "ftp": program(reader="transfer", values="-P -s -N -o -T -q"),
    "tftp": program(reader="transfer", values="-c -m -R"),
    "lftp": program(
        reader="transfer", values="-e -c -f -u -p --env-password", harmless="--help|--version",
    ),
    "ncftpput": program(
        Fact(READ, on="2+"),
        Fact(SEND, on="1", severity=MEDIUM),
        values="-u -p -P -f -T -t",
    ),
    "wput": program(Fact(READ, on="-2"), Fact(SEND, on="last", severity=MEDIUM)),
    "smbclient": program(
        Fact(REACH, on="1"),
        Fact(SEND, "-c=*put*|--command=*put*", on="1", severity=MEDIUM),
        Fact(DESTROY, "-c=*del*|-c=*rm*|--command=*del*", on="1", severity=MEDIUM),
        values="-U -c -W -I -p -m -D -A --user --command --authentication-file",
    ),
    "rclone": program(
        Fact(SEND, "serve", severity=MEDIUM, says="serves files to the network"),
        Fact(CHANGE, "config delete", severity=HIGH, says="deletes a configured remote",
             instead="List them: `rclone listremotes`."),
        reader="rclone",
        values="--config --include --exclude --filter --include-from --exclude-from --filter-from "
        "--files-from --transfers --checkers --bwlimit --log-file --log-level --max-age --min-age "
        "--max-size --min-size --backup-dir --suffix --timeout --retries --drive-root-folder-id "
        "--s3-region --contimeout --max-depth",
        harmless="--help|--version|-V|-h",
    ),
    "croc": program(
        Fact(READ, "send", on="each"),
        Fact(SEND, "send", severity=HIGH, says="hands files to anyone with a code word",
             instead="Leave the files in the project and say where they are."),
        values="--code -c --relay --pass --out --port -t --text",
    ),
    "wormhole": program(
        Fact(READ, "send", on="each"),
        Fact(SEND, "send", severity=HIGH, says="hands files to anyone with a code word",
             instead="Leave the files in the project and say where they are."),
        values="--code -c --text --relay-url --appid",
    ),
    # Raw connections
    "nc": program(
        reader="netcat",
        values="-w -p -s -i -q -e -c -I -O -P -T -V -X -x -G -m -g -o -M --exec --sh-exec "
        "--lua-exec --proxy --proxy-type --proxy-auth --source-port --source --wait "
        "--idle-timeout --allow --deny --max-conns --delay --output --hex-dump --ssl-key "
        "--ssl-cert --ssl-trustfile",
        harmless="-h|--help|--version",
    ),
    **aliases("nc", "ncat", "netcat", "nc.traditional", "nc.openbsd", "pwncat", "pwncat-cs"),
    "socat": program(
        reader="socat", single_dash=True, values="-b -t -T -l -lp -lf -L -W -r -R",
        harmless="-V|-h|-?|-hh|-hhh",
    ),
    "telnet": program(reader="connects", values="-l -e -b -n -X", harmless="--help|--version"),
    "openssl": program(
        reader="openssl", single_dash=True, values=_OPENSSL_VALUES, harmless="-help",
    ),
    "gnutls-cli": program(
        reader="connects", values="-p --port --x509cafile --priority --sni-hostname",
    ),
    "mosquitto_pub": program(
        Fact(READ, on="-f|--file"),
        Fact(SEND, on="-h|--host|-L|--url", severity=MEDIUM),
        values="-h --host -p --port -t --topic -m --message -f --file -u --username -P --pw -i "
        "--id -q -L --url",
    ),
    # Mail
    "mail": program(
        reader="mail", values="-s --subject -a --attach -A -c --cc -b --bcc -r -S -q -f -u --to",
    ),
    **aliases("mail", "mailx", "s-nail", "nail"),
    "mutt": program(reader="mail", values="-s -a -c -b -e -F -i -H -m -f"),
    "neomutt": program(same_as="mutt"),
    "sendmail": program(reader="mail", values="-f -F -r -o -O -B -N"),
    "msmtp": program(reader="mail", values=" -f --from --host --port --user -C --file --account"),
    "swaks": program(
        reader="mail",
        values="-t --to -f --from -s --server -p --port --header --body --attach -au -ap "
        "--auth-user --auth-password",
    ),
    "mpack": program(reader="mail", values="-s -d -c -o"),
    # Tunnels into this machine
    "ngrok": _tunnel("http|https|tcp|tls|start|tunnel|service",
                     values="--config --log --region --authtoken"),
    "cloudflared": _tunnel("tunnel --url|--hello-world|--unix-socket|--name", "tunnel run",
                           "tunnel --config", "access tcp|ssh|rdp",
                           values="--url --config --name --token --hostname --logfile --loglevel "
                           "--credentials-file --unix-socket"),
    "lt": _tunnel("--port|-p", values="--port -p --subdomain -s --local-host -l --host -h"),
    "localtunnel": _tunnel("--port|-p",
                           values="--port -p --subdomain -s --local-host -l --host -h"),
    "devtunnel": _tunnel("host", values="-p --port-numbers -t"),
    "zrok": _tunnel("share *", "reserve public"),
    "bore": _tunnel("local", values="--to -t --port -p --local-host -l --secret -s"),
    "frpc": _tunnel("", "http|tcp|udp|https",
                    values="-c --config -s --server_addr -l --local_port"),
    "chisel": _tunnel("client|server",
                      values="--auth --keepalive --port -p --host --fingerprint --proxy"),
    "inlets": _tunnel("http|tcp|client|server"),
    "inlets-pro": program(same_as="inlets"),
    "pagekite": _tunnel("*"),
    "pagekite.py": program(same_as="pagekite"),
    "expose": _tunnel("share *"),
    "localxpose": _tunnel("tunnel *"),
    "loclx": program(same_as="localxpose"),
    "telebit": _tunnel("http|tcp|ssh"),
    "playit": _tunnel("", "start|run"),
    "tailscale": program(
        Fact(SEND, "funnel !@status|reset|off", severity=HIGH, says=_TUNNEL, instead=_LOCAL),
        Fact(SEND, "serve !@status|reset|off", severity=MEDIUM,
             says="shares a service with the own network"),
        Fact(READ, "file cp", on="-2"),
        Fact(SEND, "file cp", on="last", severity=MEDIUM),
        Fact(CHANGE, "up|down|set|logout|switch", severity=MEDIUM,
             says="changes the connection to the own network"),
    ),
    # Looking at the traffic, and attacking
    "tcpdump": program(
        Fact(WRITE, on="-w"),
        Fact(READ, on="-r|-F"),
        Fact(UNSEEN, "-z", severity=HIGH, says="runs a program for every file it captures",
             instead="Capture to a file: `tcpdump -c 100 -w capture.pcap`."),
        values="-i -w -r -c -C -G -W -s -z -Z -F -B -E -T -y -m -M --interface --snapshot-length",
        harmless="--version|-h|--help|-D|--list-interfaces",
    ),
    "tshark": program(
        Fact(WRITE, on="-w"),
        Fact(READ, on="-r"),
        Fact(UNSEEN, "-X=lua_script:*", severity=MEDIUM, says="runs a script of its own"),
        values="-i -w -r -c -f -Y -T -e -a -b -X -o -d",
    ),
    "arpspoof": program(
        Fact(TAMPER, severity=HIGH, says="pretends to be another machine in the network",
             instead=_ATTACK),
    ),
    **aliases("arpspoof", "ettercap", "bettercap", "responder"),
    "mitmproxy": program(
        Fact(REACH, on="this machine", severity=MEDIUM, says="reads traffic in between"),
    ),
    "mitmdump": program(same_as="mitmproxy"),
    # Folders on the web
    "http.server": program(reader="serve", values="-d --directory -b --bind -p --protocol"),
    "SimpleHTTPServer": program(reader="serve"),
    "serve": program(
        reader="serve", values="-l --listen -p --port -c --config", harmless="--help|--version",
    ),
    "http-server": program(
        reader="serve", values="-p --port -a -c -e -C -K -P --proxy --username --password",
    ),
    "live-server": program(reader="serve"),
    "xterm": program(
        Fact(UNSEEN, "-display=*.*:*", severity=HIGH,
             says="opens a shell on another machine's screen",
             instead="Run the command here and read its output, e.g. `ls -la`."),
        single_dash=True, values="-display -title -T -geometry -fn -fa -fs -bg -fg -e",
        wraps=(Wrapper(form="shell", options="-e"),),
    ),
}  # fmt: skip
