"""Stores of secrets, keys and certificates, and the tools that steal them."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    HIGH,
    LOW,
    MEDIUM,
    PERSIST,
    READ,
    SECRET,
    SEND,
    UNSEEN,
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)

_ENVIRONMENT = "the environment"
_ASK = "Leave attacks to people; `id` and `ls -la` show your own rights."


def _prints(when: str, says: str, instead: str, on: str = "") -> Fact:
    return Fact(SECRET, when, on=on, severity=HIGH, says=says, instead=instead)


def _loses(when: str, says: str, instead: str) -> Fact:
    return Fact(DESTROY, when, severity=HIGH, says=says, instead=instead)


_ATTACK = program(
    Fact(UNSEEN, severity=HIGH, says="is a tool to break in or to steal credentials", instead=_ASK),
    harmless="--help|-h|--version",
)  # fmt: skip
_CAPTURE = program(
    Fact(SECRET, on="the screen", severity=MEDIUM, says="takes a picture of the screen"),
    Fact(WRITE, on="each"),
    harmless="--help|--version",
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    # The environment
    "printenv": program(reader="environment", harmless="--help|--version"),
    "set": program(
        Fact(SECRET, "!@* !-e|-u|-x|-o|-E|-f|-v|-n|-a|-m|-b|-h|-p|-C|-T|-B|-H|-P|-i|-k|-t",
             on=_ENVIRONMENT, severity=LOW, says="prints all variables"),
    ),
    "declare": program(
        Fact(SECRET, "-p|-x !@*=*", on=_ENVIRONMENT, severity=LOW, says="prints all variables"),
    ),
    "export": program(
        Fact(SECRET, "-p", on=_ENVIRONMENT, severity=LOW, says="prints all variables"),
    ),
    "compgen": program(
        Fact(SECRET, "-v|-e", on="names of variables", severity=LOW),
        values="-A -W -P -S -X -F -C -G",
    ),
    # Key chains and password stores
    "security": program(
        _prints("find-generic-password|find-internet-password -w|-g",
                "prints a password from the key chain",
                "List the key chains: `security list-keychains`."),
        Fact(SECRET, "find-generic-password|find-internet-password !-w|-g", severity=HIGH,
             says="looks up a password in the key chain",
             instead="List the key chains: `security list-keychains`."),
        _prints("dump-keychain", "prints the whole key chain",
                "List the key chains: `security list-keychains`."),
        _prints("export", "exports keys and certificates",
                "List identities: `security find-identity -v`."),
        _prints("unlock-keychain", "unlocks the key chain",
                "List the key chains: `security list-keychains`."),
        _loses("delete-*", "deletes entries of the key chain",
               "List the key chains: `security list-keychains`."),
        Fact(PERSIST, "add-trusted-cert|authorizationdb|trust-settings-import", severity=HIGH,
             says="changes which certificates or rights this machine trusts",
             instead="List identities: `security find-identity -v`."),
        Fact(CHANGE, "add-*-password|import|set-keychain-settings|create-keychain", severity=MEDIUM,
             says="changes the key chain"),
        values="-a -s -l -k -D -G -j -o -f -P -t -p -T -c -r -d -Z",
    ),
    "secret-tool": program(
        _prints("lookup|search --all|--unlock", "prints secrets from the key ring",
                "Let the program look it up itself."),
        _prints("lookup", "prints a secret from the key ring",
                "Let the program look it up itself."),
        _loses("clear", "deletes secrets from the key ring", "Ask a person to clear it."),
    ),
    "kwallet-query": program(
        _prints("-r|--read-password", "prints a password",
                "List them: `kwallet-query -l kdewallet`."),
        values="-f -r -w",
    ),
    "keyctl": program(
        _prints("print|read|pipe|dh_compute", "prints a key of the kernel's key ring",
                "List them: `keyctl show`."),
        _loses("clear|purge|revoke|invalidate|unlink|reap", "deletes keys of the kernel's key ring",
               "List them: `keyctl show`."),
    ),
    "pass": program(
        _prints("show|-c|clip|otp !--help", "prints a password", "List the names: `pass ls`."),
        _prints("@*/* !@git|insert|generate|edit|ls|find|init|mv|cp|rm|import", "prints a password",
                "List the names: `pass ls`."),
        _loses("rm|remove|delete", "deletes a password", "List the names: `pass ls`."),
        _prints("grep", "searches in all passwords", "List the names: `pass ls`."),
        values=" -p --path", harmless="--help|--version",
    ),
    "gopass": program(same_as="pass"),
    "op": program(
        _prints("read", "prints the secret {target}",
                "Run the program with it: `op run -- command`.", on="1"),
        _prints("item get", "prints the secret {target}", "List the names: `op item list`.",
                on="1"),
        _prints("document get", "prints the document {target}",
                "List the names: `op document list`.", on="1"),
        _prints("inject", "writes secrets into a text",
                "Run the program with it: `op run -- command`."),
        _prints("signin --raw", "prints a session's key",
                "Run the program with it: `op run -- command`."),
        _prints("connect|service-account token|create", "makes a key for the whole vault",
                "List the names: `op item list`."),
        _loses("item|vault|document|user|group|connect delete|revoke", "deletes an entry",
               "List the names: `op item list`."),
        values="--vault --account --session --fields --format --out-file -o --in-file -i --tags "
        "--categories --env-file",
    ),
    "bw": program(
        _prints("get password|item|notes|totp|username|attachment|exposed|template",
                "prints a secret", "List the names: `bw list folders`."),
        _prints("export", "exports every password", "List the names: `bw list folders`."),
        _prints("list items", "prints every entry with its password",
                "List the folders: `bw list folders`."),
        _prints("unlock --raw", "prints a session's key", "Check it: `bw status`."),
        _loses("delete", "deletes an entry", "List the folders: `bw list folders`."),
        values="--session --organizationid --folderid --collectionid --search --output --format "
        "--password",
    ),
    "bws": program(
        _prints("secret get|list", "prints secrets",
                "Run the program with them: `bws run -- command`."),
        _loses("secret|project delete", "deletes secrets", "Look first: `bws project list`."),
        values="-t --access-token", wraps=(Wrapper(form="words", when="run"),),
    ),
    "lpass": program(
        _prints("show", "prints a secret", "List the names: `lpass ls`."),
        _prints("export", "exports every password", "List the names: `lpass ls`."),
        _loses("rm", "deletes an entry", "List the names: `lpass ls`."),
    ),
    "keepassxc-cli": program(
        _prints("show|export|clip|attachment-export", "prints a secret",
                "List the names: `keepassxc-cli ls FILE`."),
        _loses("rm|rmdir", "deletes an entry", "List the names: `keepassxc-cli ls FILE`."),
        values="-k --key-file -a --attributes -y --yubikey",
    ),
    "doppler": program(
        _prints("secrets get|download", "prints secrets",
                "List the names: `doppler secrets --only-names`."),
        _prints("secrets !--only-names !@delete|set|upload|notes|substitute", "prints all secrets",
                "List the names: `doppler secrets --only-names`."),
        _loses("secrets|projects|configs|environments delete|unset", "deletes secrets",
               "List the names: `doppler secrets --only-names`."),
        harmless="--help|-h|--version",
    ),
    "infisical": program(
        _prints("secrets|export !@set|delete|folders|generate-example-env", "prints secrets",
                "Run the program with them: `infisical run -- command`."),
        _loses("secrets delete", "deletes secrets",
               "Run the program with them: `infisical run -- command`."),
        _loses("secrets folders delete", "deletes a folder of secrets",
               "List them: `infisical secrets folders get`."),
        _prints("user get token", "prints a token",
                "Run the program with them: `infisical run -- command`."),
        harmless="--help|-h|--version",
    ),
    "chamber": program(
        _prints("read|export|env", "prints secrets", "List the names: `chamber list SERVICE`."),
        _loses("delete", "deletes secrets", "List the names: `chamber list SERVICE`."),
    ),
    "aws-vault": program(
        _prints("export", "prints credentials",
                "Run the program with them: `aws-vault exec PROFILE -- command`."),
        _loses("remove|rm|clear|rotate", "removes credentials", "List them: `aws-vault list`."),
    ),
    "teller": program(
        _prints("env|sh|export|yaml|show", "prints secrets",
                "Run the program with them: `teller run -- command`."),
        _loses("delete", "deletes secrets", "Run it with them: `teller run -- command`."),
    ),
    "sops": program(
        Fact(READ, on="each"),
        _prints("-d|--decrypt", "prints the decrypted secrets",
                "Run the program with them: `sops exec-env FILE command`."),
        _prints("decrypt", "prints the decrypted secrets of {target}",
                "Run the program with them: `sops exec-env FILE command`.", on="each"),
        Fact(WRITE, "-i|--in-place", on="each"),
        Fact(WRITE, on="--output"),
        values="--age --pgp --kms --input-type --output-type --output --extract --set --config",
    ),
    "age": program(
        Fact(READ, on="each"),
        Fact(READ, on="-i|--identity"),
        Fact(WRITE, on="-o|--output"),
        Fact(SECRET, "-d|--decrypt", severity=MEDIUM, says="decrypts a file"),
        values="-i --identity -r --recipient -R --recipients-file -o --output",
    ),
    "rage": program(same_as="age"),
    "age-keygen": program(
        Fact(WRITE, on="-o|--output"),
        Fact(READ, "-y", on="each"),
        values="-o --output",
    ),
    "git-crypt": program(
        _prints("export-key", "writes the repository's key into a file",
                "Look at it: `git-crypt status`."),
        Fact(SECRET, "unlock", severity=MEDIUM, says="decrypts the repository"),
    ),
    # Keys
    "gpg": program(
        _prints("--export-secret-keys|--export-secret-subkeys|--export-ssh-key",
                "exports secret keys", "Export the public one: `gpg --export --armor NAME`."),
        _loses("--delete-secret-keys|--delete-secret-key|--delete-secret-and-public-keys|"
               "--delete-secret-and-public-key", "deletes secret keys",
               "List them: `gpg --list-secret-keys`."),
        Fact(SECRET, "-d|--decrypt", severity=MEDIUM, says="decrypts a file"),
        Fact(READ, "!--export|--list-keys|--list-secret-keys|-k|-K|--edit-key", on="each"),
        Fact(READ, on="--passphrase-file"),
        Fact(WRITE, on="-o|--output"),
        Fact(SEND, "--send-keys", severity=MEDIUM, says="publishes keys"),
        Fact(CHANGE, "--delete-keys|--delete-key|--gen-revoke|--import-ownertrust", severity=MEDIUM,
             says="changes the key ring"),
        values="-r --recipient -u --local-user -o --output --homedir --passphrase "
        "--passphrase-file --passphrase-fd --keyserver --default-key --pinentry-mode "
        "--trust-model -z --cipher-algo --digest-algo --status-fd",
        harmless="--help|--version|-h",
    ),
    "gpg2": program(same_as="gpg"),
    "ssh-keygen": program(
        Fact(WRITE, "!-l|-y|-F|-R|-B|-L|-e|-i|-H|-Y|-p|-c", on="-f",
             says="writes the key {target}"),
        Fact(READ, "-y|-p|-c|-e|-i", on="-f"),
        Fact(WRITE, "-p|-c", on="-f"),
        Fact(WRITE, "-R", on="-f"),
        Fact(UNSEEN, "-D", severity=HIGH, says="loads a library into ssh-keygen",
             instead="Look at a key: `ssh-keygen -l -f ~/.ssh/id_ed25519.pub`."),
        values="-f -t -b -C -N -P -m -I -s -n -O -V -z -D -R -F -w -Y -a -r -Z -M -E",
    ),
    "ssh-add": program(
        _loses("-D", "removes every key from the agent", "List them: `ssh-add -l`."),
        Fact(UNSEEN, "-s", severity=HIGH, says="loads a library into the agent",
             instead="List the keys: `ssh-add -l`."),
        Fact(CHANGE, "!-l|-L|-d|-D", severity=LOW, says="gives a key to the agent"),
        values="-t -s -e -E -h -H -T",
    ),
    "ssh-copy-id": program(
        Fact(PERSIST, "!-n", on="last", severity=HIGH,
             says="lets a key log in to {target} from now on",
             instead="Preview it: `ssh-copy-id -n {target}`."),
        values="-i -p -o -F -t", harmless="-h|-?",
    ),
    "kdestroy": program(Fact(DESTROY, severity=MEDIUM, says="throws the login ticket away")),
    "keytool": program(
        Fact(READ, on="-srckeystore"),
        Fact(READ, "-exportcert|-export|-exportseckey", on="-keystore"),
        Fact(WRITE, on="-destkeystore"),
        Fact(WRITE, "-exportcert|-export|-certreq|-genkeypair|-importkeystore", on="-file"),
        Fact(SECRET, "-importkeystore", severity=MEDIUM,
             says="copies keys from one store to another"),
        _loses("-delete", "deletes a key", "List them: `keytool -list -keystore FILE`."),
        single_dash=True,
        values="-keystore -alias -storepass -keypass -file -srckeystore -destkeystore -storetype "
        "-dname -keyalg -validity",
    ),
    "certutil": program(
        Fact(PERSIST, "-A -t=*C*|-t=*T*", severity=HIGH,
             says="makes this user trust a new certificate authority",
             instead="List them: `certutil -L -d sql:$HOME/.pki/nssdb`."),
        _loses("-D|-F", "deletes certificates or keys",
               "List them: `certutil -L -d sql:$HOME/.pki/nssdb`."),
        Fact(READ, on="-d|-i|-f"),
        Fact(WRITE, on="-o"),
        values="-d -n -t -i -o -f -k",
    ),
    "pk12util": program(
        Fact(READ, on="-d|-i"),
        Fact(WRITE, on="-o"),
        _prints("-o", "exports keys from the certificate store",
                "List them: `certutil -L -d FOLDER`."),
        values="-i -o -d -n -k -w -W -K",
    ),
    "mkcert": program(
        Fact(PERSIST, "-install", severity=MEDIUM,
             says="makes this machine trust a local certificate authority"),
        Fact(WRITE, on="-cert-file|-key-file|-p12-file"),
        values="-cert-file -key-file -p12-file -csr", single_dash=True,
    ),
    # Clipboard and screen
    "pbpaste": program(Fact(SECRET, on="the clipboard", severity=LOW)),
    "wl-paste": program(same_as="pbpaste"),
    "xclip": program(
        Fact(SECRET, "-o|-out", on="the clipboard", severity=LOW),
        Fact(READ, on="each"),
        values="-selection -sel -l -loops -d -display -t -target", single_dash=True,
    ),
    "xsel": program(Fact(SECRET, "-o|--output", on="the clipboard", severity=LOW)),
    "screencapture": _CAPTURE,
    "scrot": _CAPTURE,
    "maim": _CAPTURE,
    "grim": _CAPTURE,
    "gnome-screenshot": _CAPTURE,
    "spectacle": _CAPTURE,
    "flameshot": _CAPTURE,
    "xwd": _CAPTURE,
    "imagesnap": _CAPTURE,
    "import": program(
        Fact(SECRET, "-window", on="the screen", severity=MEDIUM,
             says="takes a picture of the screen"),
        Fact(WRITE, on="last"),
        single_dash=True, values="-window -display -resize -quality -crop -delay",
    ),
    "nmcli": program(
        _prints("-s|--show-secrets", "prints the passwords of networks",
                "List them: `nmcli connection show`."),
        _prints("device|dev|d wifi show-password", "prints the network's password",
                "List them: `nmcli connection show`."),
    ),
    "fswebcam": _CAPTURE,
    "arecord": program(
        Fact(SECRET, on="the microphone", severity=MEDIUM, says="records sound"),
        Fact(WRITE, on="each"),
        harmless="-l|-L|--help|--version",
    ),
    "xinput": program(
        Fact(SECRET, "test|test-xi2", on="the keyboard", severity=HIGH,
             says="reads every key press", instead="List the devices: `xinput list`."),
    ),
    "logkeys": _ATTACK,
    # Tools to break in
    **dict.fromkeys(
        """
        mimipy lazagne laZagne laZagne.py linpeas linpeas.sh winpeas linenum LinEnum.sh lse.sh
        linux-exploit-suggester linux-exploit-suggester.sh pspy pspy64 patator crowbar
        thc-hydra msfvenom msfconsole msfdb sqlmap nikto wpscan commix beef-xss setoolkit
        crackmapexec cme netexec nxc evil-winrm impacket-secretsdump secretsdump.py psexec.py
        wmiexec.py smbexec.py
        responder.py bloodhound-python kerbrute rubeus certipy certipy-ad ligolo-agent ligolo-ng
        sliver-client
        sliver-server empire weevely aircrack-ng airodump-ng aireplay-ng reaver wifite bully
        slowloris
        goldeneye xmrig minerd cpuminer xmr-stak cgminer t-rex nbminer lolMiner ethminer
        phoenixminer
        keyhunter dumpcreds firefox_decrypt firefox_decrypt.py chromepass hackbrowserdata
        HackBrowserData pypykatz spray gtfobins-exploit dirtycow pwnkit zip2john ssh2john
        ssh2john.py
        keepass2john office2john.py
        """.split(),
        _ATTACK,
    ),
}  # fmt: skip
