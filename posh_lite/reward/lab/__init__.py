"""A laboratory for rewards: a simulation in which a policy composes captions from sentences whose truth is known."""
