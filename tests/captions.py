"""Short pairs of captions that several tests score: (generation, reference)."""

CAPTIONS = (
    ("A man in a red coat holds a cup.", "A tall man wears a blue coat and a hat."),
    ("Two dogs run on the grass.", "A brown dog runs after a white dog."),
    ("A woman sits on a bench under a tree.", "An old woman on a wooden bench."),
    ("A boat on a calm lake.", "A small white boat floats on a lake near a pier."),
    ("A cat sleeps on a chair.", "A grey cat lies on a wooden chair."),
    ("A child holds a kite.", "A girl flies a yellow kite on a beach."),
)
