"""Numbers, durations and tables as Markdown."""

import math

NO_VALUE = "—"


def fixed(value, places):
    """Formats a number with this many decimals, thousands separators and a typographic minus."""
    text = f"{abs(value):,.{places}f}"
    is_zero = not any(digit in text for digit in "123456789")
    return f"−{text}" if value < 0 and not is_zero else text


def number(value):
    """Formats a number with as many decimals as its magnitude needs."""
    magnitude = abs(value)
    if magnitude == 0 or (magnitude >= 10 and value == int(value)):
        places = 0
    elif magnitude >= 1000:
        places = 1
    elif magnitude >= 10:
        places = 2
    else:
        places = 3 if magnitude >= 0.1 else 4
    return fixed(value, places)


def plain(value):
    """Formats a number without trailing zeros or separators."""
    return str(int(value)) if value == int(value) else repr(float(value))


# Half-intervals below this are not shown.
SMALLEST_HALF = 0.00005


def shown(value):
    """Formats an Estimate: two significant digits of the half-interval, and the mean to the same place. None becomes a dash."""
    if value is None:
        return NO_VALUE
    if value.half is None or value.half < SMALLEST_HALF:
        return number(value.mean)
    places = min(max(1 - math.floor(math.log10(value.half)), 0), 4)
    return f"{fixed(value.mean, places)} ± {fixed(value.half, places)}"


def maybe(value, form, *arguments):
    """Formats a value that may be None."""
    return NO_VALUE if value is None else form(value, *arguments)


def duration(seconds):
    """Formats a time in the unit people would use."""
    if seconds == float("inf"):
        return "never"
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= length:
            return f"{fixed(seconds / length, 1)} {unit}"
    return f"{fixed(seconds, 1 if seconds >= 1 else 3)} s"


def table(head, rows, text_columns, caption=""):
    """Formats a table; the first `text_columns` columns are left-aligned, the others right-aligned."""
    lines = [f"**{caption}**", ""] if caption else []
    lines.append(_line(head))
    lines.append(_line("---" if column < text_columns else "---:" for column in range(len(head))))
    lines.extend(_line(row) for row in rows)
    return "\n".join(lines) + "\n"


def _line(cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def anchor(heading):
    """Returns the link target of a heading."""
    kept = "".join(character for character in heading if character.isalnum() or character in " -_")
    return kept.lower().replace(" ", "-")
