"""Remove secrets from texts before they reach logs, incidents, notifications or prompts."""

from handrail.redact.dotenv import env_values, redact_env
from handrail.redact.redactor import Redactor

__all__ = ["Redactor", "env_values", "redact_env"]
