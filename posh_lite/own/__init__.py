"""A model of one's own: from a file of captions to its profile, a row of a leaderboard, and a comparison."""
