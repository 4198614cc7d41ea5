"""Which laid set is which original."""
