"""A busy service of a model is told from a turn that failed. The messages are real ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.drive.service_problem import ServiceProblemKind, find_service_problem

NOW = 1_777_800_000.0

USAGE, RATE = ServiceProblemKind.USAGE_LIMIT, ServiceProblemKind.RATE_LIMIT
OVERLOAD, SPENDING = ServiceProblemKind.OVERLOAD, ServiceProblemKind.SPENDING_LIMIT

MESSAGES = [
    # Claude Code, subscription
    ("Claude AI usage limit reached|1760000400", USAGE),
    ("Claude usage limit reached. Your limit will reset at 3pm (America/Bogota).", USAGE),
    ("You've hit your limit · resets 1:30am (Asia/Dhaka)", USAGE),
    ("You've hit your session limit · resets 12:50am (America/Los_Angeles)", USAGE),
    ("You’ve hit your limit for Claude messages. Limits will reset at 9:30 AM.", USAGE),
    ("You've hit your limit · resets May 5 at 9pm (America/New_York)", USAGE),
    ("5-hour limit reached ∙ resets 3pm", USAGE),
    ("Weekly limit reached ∙ resets Oct 9 at 5pm", USAGE),
    ("Limit reached · resets Dec 18 at 5am (Asia/Riyadh)", USAGE),
    ("You're out of extra usage · resets 10pm (Europe/Paris)", USAGE),
    # Claude Code, service
    (
        (
            'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":'
            '"This request would exceed your account\'s rate limit. Please try again later."}}'
        ),
        RATE,
    ),
    ("API Error: Server is temporarily limiting requests (not your usage limit)", RATE),
    ("API Error: Request rejected (429) · Rate limited", RATE),
    ("API Error (429 Too many tokens, please wait before trying again.)", RATE),
    (
        (
            'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":'
            '"Overloaded."},"request_id":"req_011CZTEFvft13DajMTp9pp64"}'
        ),
        OVERLOAD,
    ),
    (
        (
            "API Error: 529 Overloaded. This is a server-side issue, usually temporary — try "
            "again in a moment. If it persists, check https://status.claude.com."
        ),
        OVERLOAD,
    ),
    ("API Error: Repeated 529 Overloaded errors", OVERLOAD),
    ('API Error: 500 {"error":{"type":"api_error","message":"Overloaded"}}', OVERLOAD),
    ("API Error: 503 no healthy upstream", OVERLOAD),
    (
        (
            "API Error (503 upstream connect error or disconnect/reset before headers. reset "
            "reason: overflow)"
        ),
        OVERLOAD,
    ),
    ("API Error: 502 Bad Gateway", OVERLOAD),
    ("API Error: 504 <html><title>504 Gateway Time-out</title></html>", OVERLOAD),
    # No money: waiting does not help
    ("Credit balance is too low", SPENDING),
    (
        (
            'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":'
            '"Your credit balance is too low to access the Anthropic API."}}'
        ),
        SPENDING,
    ),
    (
        (
            'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","details":'
            '{"error_code":"enforced_spend_limit_reached"}}}'
        ),
        SPENDING,
    ),
    ("You've reached your monthly spend limit", SPENDING),
    ('{"error":{"code":"insufficient_quota","message":"You exceeded your quota"}}', SPENDING),
    # Codex
    ("exceeded retry limit, last status: 429 Too Many Requests, request id: 9c84b52c-SJC", RATE),
    (
        (
            "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or "
            "try again in 5 days 22 hours 11 minutes."
        ),
        USAGE,
    ),
    (
        (
            'Codex error: {"type":"error","error":{"type":"usage_limit_reached","message":"The '
            'usage limit has been reached","resets_at":1777936568},"status_code":429}'
        ),
        USAGE,
    ),
    ("Rate limit reached for gpt-5 on tokens per min (TPM). Please try again in 11.054s.", RATE),
    ("Selected model is at capacity. Please try a different model.", OVERLOAD),
    # Gemini CLI, Vertex, Bedrock
    ("[API Error: Resource has been exhausted (e.g. check quota).]", RATE),
    ('[API Error: {"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}]', RATE),
    ("Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'per day'", USAGE),
    ("You exceeded your current quota, please check your plan and billing details.", USAGE),
    ('{"error":{"code":503,"message":"The model is overloaded.","status":"X"}}', OVERLOAD),
    (
        (
            "An error occurred (ThrottlingException) when calling the InvokeModel operation "
            "(reached max retries: 4): Too many tokens, please wait before trying again."
        ),
        RATE,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), MESSAGES, ids=lambda each: str(each)[:40])
def test_a_refusal_of_the_service_is_told_by_its_words(text: str, kind: ServiceProblemKind) -> None:
    problem = find_service_problem(text, NOW)
    assert problem is not None
    assert problem.kind is kind
    assert problem.is_waited_out == (kind is not SPENDING)
    assert problem.says


@pytest.mark.parametrize(
    "text",
    [
        "",
        "error_during_execution",
        "the agent ended with exit code 1",
        "the agent was ended by signal 9",
        "the agent has not answered for 30 s: interrupt",
        "Reached maximum number of turns (10)",
        "Context limit reached · /compact or /clear to continue",
        "Prompt is too long",
        "API Error: 400 max_tokens: 429 > 400",
        "API Error: 401 Invalid API key · Please run /login",
        "API Error: Claude's response exceeded the 32000 output token maximum.",
        "You have exceeded your context window limit",
        "Invalid API key · Fix external API key",
        "Error: ENOSPC: no space left on device, write 'line 503'",
        "429 files changed",
        "test_529 failed",
        "Your organization has disabled Claude Code",
        "TypeError: Cannot read properties of undefined (reading '503')",
        "OAuth token has expired. Please obtain a new token.",
    ],
)
def test_other_problems_count_as_errors(text: str) -> None:
    assert find_service_problem(text, NOW) is None


def test_a_reset_in_the_message_is_read() -> None:
    problem = find_service_problem("Claude AI usage limit reached|1777803600", NOW)
    assert problem is not None
    assert problem.resume_at == 1_777_803_600


def test_a_reset_that_does_not_help_is_not_waited_for() -> None:
    problem = find_service_problem("Credit balance is too low; try again in 3 hours", NOW)
    assert problem is not None
    assert problem.resume_at == 0


def test_both_ends_of_a_long_text_are_read() -> None:
    padding = "at generate (cli.js:11:57670)\n" * 10_000
    for text in (f"Overloaded\n{padding}", f"{padding}\nOverloaded"):
        assert find_service_problem(text, NOW) is not None


@given(st.text(max_size=300), st.floats(0, 4e9))
def test_any_text_is_read_without_a_fault(text: str, now: float) -> None:
    for words in (text, f"Rate limit. try again at {text}", f"limit reached · resets {text}"):
        problem = find_service_problem(words, now)
        assert problem is None or problem.resume_at == 0 or problem.resume_at > now


@pytest.mark.parametrize("word", ["hit your ", "a-b ", "resets 1", "again in 1 s ", "retry-after "])
def test_a_hostile_text_does_not_hang(word: str) -> None:
    find_service_problem(word * 5000, NOW)
