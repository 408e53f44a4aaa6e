"""The removal of secrets from logs, incidents, notifications and prompts."""

from handrail.redact.dotenv import env_values, redact_env
from handrail.redact.redactor import Redactor

__all__ = ["Redactor", "env_values", "redact_env"]
