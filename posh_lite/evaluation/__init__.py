"""Statistics of metrics against people and against known answers: every estimate with its interval.

Everything resamples images (or works), never rows: see :mod:`posh_lite.evaluation.bootstrap`.
"""
