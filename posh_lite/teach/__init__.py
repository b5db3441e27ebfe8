"""Exercises of the chapters with checks that say what is wrong, and the project "beat BLEU, then beat posh-lite".

In a chapter::

    from posh_lite.teach import check, exercise

    exercise("scoring-overall")        # the question, a hint and the solution, both folded
    check("scoring-overall", 0.72)     # right, or what was probably done instead
"""

from posh_lite._lazy import resolver

_HOMES = {
    "check": "posh_lite.teach.show",
    "exercise": "posh_lite.teach.show",
    "exercises": "posh_lite.teach.all",
}
__all__ = list(_HOMES)
__getattr__ = resolver(__name__, _HOMES)
