"""Numbers of measurements as text of the page."""

NO_VALUE = "–"


def rounded(number):
    """Formats three significant digits with thousands separators, or a power of ten."""
    if number >= 1e7:
        digits, exponent = f"{number:.1e}".split("e")
        return f"{digits}·10{''.join('⁰¹²³⁴⁵⁶⁷⁸⁹'[int(digit)] for digit in str(int(exponent)))}"
    digits = max(0, 2 - len(str(int(number))) + 1) if number >= 1 else 3
    return f"{float(f'{number:.3g}'):,.{digits}f}"


def shown(measured):
    """Formats (seconds, rate, threads)."""
    seconds, rate, threads = measured
    return f"{rounded(rate)} ({rounded(seconds)} s" + (")" if threads == 2 else ", 1 thread)")


def origin(run):
    """States where, when and with which commit a run was measured."""
    said = run.machine
    return (
        f"{said['run']}. {said['cpu']}, {said['memory']}, {said['date']}, commit `{said['commit']}`. "
        f"Medians, 2 threads unless stated. Raw numbers, checks of the answers and versions: `{run.path.stem}*`.\n"
    )
