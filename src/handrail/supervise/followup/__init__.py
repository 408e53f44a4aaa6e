"""After an action: breaches, corrections, faults a person hears of."""
