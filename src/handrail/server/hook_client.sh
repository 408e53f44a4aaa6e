#!/bin/sh
# Passes a message of Claude Code's hooks to Handrail's daemon, and the answer back.
#   handrail-hook EVENT [change]   with `change`, no answer means that the call is refused
#   handrail-hook ensure           start the daemon if it does not run
# Written by `handrail install`; it is made anew there, so do not change it here.
socket='@SOCKET@'
log='@LOG@'
event=${1:-}
proxy=
case ",${NO_PROXY:-},${no_proxy:-}," in
    *,127.0.0.1,* | *,'*',*) ;;
    *) proxy=${HTTP_PROXY:-${http_proxy:-${HTTPS_PROXY:-${https_proxy:-}}}} ;;
esac
proxy=${proxy:+yes}

# Absolute names, no ~/.curlrc, no proxy: a project's settings can change this environment.
ask() {
    @CURL@ -q --silent --show-error --fail --noproxy '*' --max-time "$1" \
        --unix-socket "$socket" "$2" \
        --header 'Content-Type: application/json' \
        --header "X-Handrail-Attended: ${CLAUDE_CODE_SESSION_ATTENDED:-}" \
        --header "X-Handrail-Proxy: $proxy" ${3:+--data-binary "$3"} 2>&1
}
alive() { [ -S "$socket" ] && ask 2 http://handrail/healthz >/dev/null; }
start() { @START@ >/dev/null 2>&1 </dev/null; }

case $event in
    ensure)
        alive || start
        exit 0
        ;;
    SessionStart | UserPromptSubmit)
        # Only now is there time to wait for a start: the message must not get lost.
        alive || start
        ;;
esac

answer=$(ask 25 http://handrail/hooks/claude @-)
case $answer in
    '{'*'}')
        printf '%s\n' "$answer"
        exit 0
        ;;
esac
[ "$event" = PreToolUse ] || {
    echo "Handrail did not hear of $event: ${answer:-no answer}. See $log" >&2
    exit 1
}
[ "${2:-}" = change ] || exit 0
if start; then
    echo "Handrail was not running, so this was not run. It has been started: try again." >&2
else
    echo "Handrail does not answer (${answer:-no answer}), so nothing that changes anything is run." >&2
    echo "Tell the person who started you; for them: handrail doctor" >&2
fi
exit 2
