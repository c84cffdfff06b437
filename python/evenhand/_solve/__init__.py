"""From a tally to a rule, with the proof."""
