"""Training with the rewards, on TRL: configurations, their check, the plan, and the run.

Nothing here imports torch, transformers or TRL before a training begins: a configuration is read, checked and planned
without them.
"""
