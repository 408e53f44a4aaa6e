"""Carries out control commands on drivers, processes and held calls."""
