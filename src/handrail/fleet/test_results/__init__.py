"""Test results in the output of any test runner."""
