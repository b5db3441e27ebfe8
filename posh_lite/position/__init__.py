"""The position lens of "Where Do Long Captions Fail?": claims, their verification, and what fails where."""
