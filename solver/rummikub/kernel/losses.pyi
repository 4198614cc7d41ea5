"""What ways need and lose at least."""
