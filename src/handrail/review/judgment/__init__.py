"""From effects to a decision: weight, rules, risk, rationality, reasons."""
