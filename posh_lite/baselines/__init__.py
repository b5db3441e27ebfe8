"""The baselines of the PoSh paper's tables, each a metric behind one protocol: see :mod:`.registry`."""
