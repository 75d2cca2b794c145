"""`signature_length`: the effect of longer signatures."""

from report import closed_form, thesis
from report.estimate import exponent
from report.frames import ascending, at, cases, only, per_seed, where
from report.markdown import NO_VALUE, fixed, plain, shown
from report.verdict import Case, Claim, all_of, within

ORDER = 30

# Tables over all pairs with their collection, and tables of near-duplicates.
ALL_PAIRS = {
    "2.17": "Coll_Mixed",
    "2.20": "Coll_Mixed",
    "2.31": "Coll_Small",
    "2.34": "Coll_Small",
    "2.45": "Coll_Large",
    "2.48": "Coll_Large",
}
NEAR_PAIRS = ("2.23", "2.26", "2.37", "2.40", "2.51", "2.54")
# Largest change of L1 and L2 against the shortest signatures, in per cent.
UNCHANGED = 5
# Largest distance of the exponent of S from −1.
NEAR_MINUS_ONE = 0.1


def write(source, chapter):
    rows = source.rows("approximation")
    chapter.text("S is the variance of the Hamming similarity within a bin of one per cent of the cosine, averaged over the bins.")
    for name in dict.fromkeys(ALL_PAIRS.values()):
        ours = thesis.of_class(rows, name)
        if not ours.empty:
            title = f"S over signature length: the thesis' {name} and ours"
            tables = [source.published(table) for table, of in ALL_PAIRS.items() if of == name]
            chapter.picture(f"length-{name}", title, closed_form.plot(title, ours, tables))
    add_exponents(source, rows, chapter)
    for table in (*ALL_PAIRS, *NEAR_PAIRS):
        thesis.approximation(chapter, table, source.published(table), rows)
    chapter.claim(unchanged(rows))
    chapter.claim(inverse(source, rows))


def exponent_of(rows):
    """Returns the Estimate over seeds of e in S = a·Kᵉ."""

    def of_seed(part):
        fit = exponent([(bits, value) for bits, value, _ in closed_form.over_length(part, "S")])
        return fit and fit.slope

    return per_seed(rows, of_seed)


def published_exponent(source, table):
    """Returns the fit of e to a table of the thesis."""
    rows = where(source.published(table), measure="S")
    return exponent(list(zip(map(float, rows["sig_len"]), rows["value"], strict=True)))


def add_exponents(source, rows, chapter):
    lines = []
    for table, name in ALL_PAIRS.items():
        fit, published = published_exponent(source, table), source.published(table)
        if fit:
            half = f" ± {fixed(fit.half, 3)}" if fit.half is not None else ""
            label = f"thesis, {name}, {' '.join(published['weighting'].unique())}"
            lines.append([label, span(published), fixed(fit.slope, 3) + half, "1 (interval of the fit)"])
    for name, part in cases(rows):
        value = exponent_of(part)
        lines.append([name, span(part), shown(value), value.count if value else 0])
    chapter.table("S = a·Kᵉ for signatures of K bits", ["source", "lengths (bits)", "exponent e", "seeds"], lines, 2)


def span(rows):
    lengths = [plain(length) for length in ascending(rows, "sig_len")]
    return " to ".join(dict.fromkeys((lengths[0], lengths[-1]))) if lengths else NO_VALUE


def unchanged(rows):
    judged = [case for name, part in cases(rows) for column in ("L1", "L2") if (case := unchanged_case(f"{name}, {column}", part, column))]
    return Claim(
        text="Longer signatures change neither L1 nor L2.",
        source="2.17, 2.20, 2.31, 2.34, 2.45, 2.48",
        rule=f"Over all pairs, holds if for every length the interval of the change against the shortest signatures, per seed, lies within ±{UNCHANGED} % "
        "(the thesis' values change by up to 6 %); fails if one lies outside.",
        cases=judged,
        reason="L2 contains the variance of h, which falls with the length; it is a large part of L2 where cosines are close to the curve.",
    )


def unchanged_case(name, rows, column):
    shortest, *longer = ascending(rows, "sig_len")

    def change(part, bits):
        before, after = only(at(part, "sig_len", shortest), column), only(at(part, "sig_len", bits), column)
        return None if before is None or after is None else 100 * (after / before - 1)

    changes = {bits: per_seed(rows, lambda part, bits=bits: change(part, bits)) for bits in longer}
    changes = {bits: value for bits, value in changes.items() if value}
    if not changes:
        return None
    # Of equal changes, the longest signatures.
    largest = max(reversed(changes), key=lambda bits: abs(changes[bits].mean))
    evidence = f"largest at {plain(largest)} bits: {shown(changes[largest])} % against {plain(shortest)} bits"
    return Case(name, all_of(within(value, -UNCHANGED, UNCHANGED) for value in changes.values()), evidence)


def inverse(source, rows):
    judged = []
    for name, part in cases(rows):
        value = exponent_of(part)
        if value:
            judged.append(Case(name, within(value, -1 - NEAR_MINUS_ONE, -1 + NEAR_MINUS_ONE), f"exponent {shown(value)}"))
    fits = {table: published_exponent(source, table) for table in ALL_PAIRS}
    own = ", ".join(f"{fixed(fit.slope, 2)} (table {table})" for table, fit in fits.items() if fit)
    return Claim(
        text="S falls as 1/K with the signature length K.",
        source="2.17–2.54",
        rule=f"With S = a·Kᵉ fitted per seed, holds if the interval of e lies within −1 ± {NEAR_MINUS_ONE}; fails if it lies outside. The thesis' exponents: {own}.",
        cases=judged,
        reason="Cosines differ within a bin of one per cent; this part of S does not fall with the length. Bins with few pairs add noise.",
    )
