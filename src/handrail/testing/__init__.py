"""Fakes that ship: what stands in for a program or a service that is not there."""
