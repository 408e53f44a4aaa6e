"""Secrets are taken out of text before it travels: into logs, incidents, notifications, prompts."""

from handrail.redact.dotenv import env_values, redact_env
from handrail.redact.redactor import Redactor

__all__ = ["Redactor", "env_values", "redact_env"]
