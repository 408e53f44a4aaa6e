#!/bin/sh
# Passes a message of Claude Code's hooks to Handrail's daemon, and the answer back.
#   handrail-hook EVENT [read|change [SECONDS]]   change: no answer means that the call is refused
#   handrail-hook ensure                          start the daemon if it does not run
# Written by `handrail install`; it is made anew there, so do not change it here.
socket=@SOCKET@
log=@LOG@
port=@PORT@
event=${1:-}
mode=${2:-}
# A call may be held by a person; nothing else takes long.
case $event in PreToolUse) seconds=${3:-590} ;; *) seconds=12 ;; esac
folder=${socket%/*}
attended=${CLAUDE_CODE_SESSION_ATTENDED:-}
if [ -z "$attended" ] && [ "${CLAUDE_CODE_ENTRYPOINT:-}" = cli ]; then
    attended=1 # what older versions have to say about it
fi
proxy=
case ",${NO_PROXY:-},${no_proxy:-}," in
    *,127.0.0.1,* | *,'*',*) ;;
    *) proxy=${HTTP_PROXY:-${http_proxy:-${HTTPS_PROXY:-${https_proxy:-}}}} ;;
esac

# Absolute names, no ~/.curlrc, no proxy: a project's settings can change this environment.
ask() {
    @CURL@ -q --silent --show-error --fail --noproxy '*' --unix-socket "$socket" "$@" 2>&1
}

# In /tmp somebody else could wait for our messages.
foreign() {
    [ -e "$folder" ] || return 1
    [ -O "$folder" ] || return 0
    case $folder in
        /tmp/handrail-*) [ -L "$folder" ] ;;
        *) return 1 ;;
    esac
}

# A look that starts no program: it is taken after every turn of an agent. Where there is no /proc
# it tells nothing. (The zeros between the words of a command line are not read.)
alive() {
    pid='' line=''
    [ -S "$socket" ] && { read -r pid <"${log%/*}/daemon.lock"; } 2>/dev/null
    pid=${pid#'{"pid":'}
    pid=${pid%'}'}
    case $pid in '' | *[!0-9]*) return 1 ;; esac
    { read -r line <"/proc/$pid/cmdline"; } 2>/dev/null
    case $line in *handrailserve*) ;; *) return 1 ;; esac
}

# 7: nobody listens. One that listens and does not answer is not helped by a second one.
# 52, 56: whoever listened there has just been killed, so the next try finds nobody.
running() {
    for _ in 1 2 3; do
        foreign || ask --max-time 2 http://handrail/healthz >/dev/null
        found=$?
        case $found in 52 | 56) ;; *) break ;; esac
    done
    [ "$found" -ne 7 ]
}

# Whoever listens there while the daemon cannot start would be asked in its place. Where the socket
# leads somewhere, it is the guardian.
squatted() {
    running && return 1
    @CURL@ -q --silent --noproxy '*' --max-time 2 "http://127.0.0.1:$port/" >/dev/null 2>&1
    [ $? -ne 7 ]
}

start() { @START@ >/dev/null 2>&1 </dev/null; }

# The agent reads it with its next results; until then it only knows that a hook failed.
tell() {
    printf '{"hookSpecificOutput":{"hookEventName":"PostToolBatch","additionalContext":"%s"}}\n' "$*"
}

case $event in
    ensure)
        { alive || running; } && exit 0
        if start; then
            tell "Handrail was not running, so what would have changed something was refused." \
                "It has been started: try again."
        elif squatted; then
            tell "Another program answers on the port of Handrail, so nothing you do is supervised." \
                "Stop here, and tell the person who started you; for them: handrail doctor"
        else
            tell "Handrail cannot be started, so nothing that changes anything is run." \
                "Tell the person who started you; for them: handrail doctor"
        fi
        exit 0
        ;;
    SessionStart | UserPromptSubmit)
        # Only now is there time to wait for a start: the message must not get lost.
        if ! running && ! start && squatted && [ "$event" = UserPromptSubmit ]; then
            echo "Another program answers on Handrail's port $port, so nothing would be supervised." >&2
            echo "handrail doctor says what to do. This prompt was not sent." >&2
            exit 2
        fi
        ;;
esac

if foreign; then
    answer="$folder belongs to another user"
    status=1
else
    answer=$(ask --max-time "$seconds" \
        --header 'Content-Type: application/json' \
        --header "X-Handrail-Attended: $attended" \
        --header "X-Handrail-Proxy: ${proxy:+yes}" \
        --header "X-Handrail-Pid: ${CLAUDE_PID:-}" \
        --data-binary @- http://handrail/hooks/claude)
    status=$?
fi
case $status$answer in
    '0{}' | '0{"'*'}')
        printf '%s\n' "$answer"
        exit 0
        ;;
esac
[ "$event" = PreToolUse ] || {
    echo "Handrail did not hear of $event: ${answer:-no answer}. See $log" >&2
    exit 1
}
[ "$mode" = change ] || exit 0
if [ "$status" -eq 7 ] && start; then
    echo "Handrail was not running, so this was not run. It has been started: try again." >&2
else
    echo "Handrail does not answer (${answer:-no answer}), so nothing that changes anything is run." >&2
    echo "Tell the person who started you; for them: handrail doctor" >&2
fi
exit 2
