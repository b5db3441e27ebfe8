"""Scoring on many machines: shards of pairs, workers that hold a judge each, and what a large run takes."""
