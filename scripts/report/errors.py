"""The error of unusable input."""


class ReportError(Exception):
    """Input that cannot be used; the message names file, line, and the expected and found values."""


def unexpected(path, line, expected, found):
    """Returns the error for an unexpected value at a line of a file."""
    return ReportError(f"{path}:{line}: expected {expected}, found {found}")


def excerpt(text, limit=60):
    """Returns quoted text, shortened for a message."""
    return f"'{text}'" if len(text) <= limit else f"'{text[:limit]}…'"
