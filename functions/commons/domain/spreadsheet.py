"""Text in a CSV that people open in a spreadsheet."""

# a cell that starts with one of these is a formula to a spreadsheet
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe(value: str | None) -> str:
    """A leading apostrophe makes a spreadsheet take the cell for text."""
    text = value or ""
    return f"'{text}" if text.startswith(_FORMULA) else text
