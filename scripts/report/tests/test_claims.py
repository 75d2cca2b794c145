"""Claims of the experiments on tables with known answers."""

import pytest

from report.page import Chapter
from report.verdict import Verdict

HOLDS, FAILS, OPEN = Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN


def pleb_rows(found, **keys):
    """Returns rows with a found share per beam and seed."""
    settings = {"weighting": "tf_idf", "shift_count": "50", "iter_count": "100"} | keys
    return [{"beam": beam, "rnd_seed": seed, "found_pairs_pct": value} | settings for beam, values in found.items() for seed, value in enumerate(values)]


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ({60: [70, 71, 72], 90: [75, 76, 77.5]}, HOLDS),
        ({60: [70, 71, 72], 70: [60, 61, 62], 90: [75, 76, 77]}, FAILS),
        ({60: [70, 71, 72], 90: [65, 66, 67]}, FAILS),
        ({60: [70, 71, 72], 90: [72, 70, 72]}, OPEN),
        ({60: [100, 100, 100], 90: [100, 100, 100]}, OPEN),
        ({}, OPEN),
    ],
)
def test_pleb_growth(claims_of, source_of, found, verdict):
    claims = claims_of("pleb_parameters")
    assert claims.growth(source_of("pleb", pleb_rows(found)).rows("pleb"), "beam").verdict is verdict


def test_pleb_effects_of_the_thesis(claims_of, source_of):
    claims, source = claims_of("pleb_parameters"), source_of("pleb", [])
    sweep, table = claims.SWEEPS[0], source.published("2.1")
    assert sweep.gain(table, "value") == pytest.approx(78.6 - 69.8)
    # Through ln(30.2), ln(26.7), ln(23.8), ln(21.4) over ln(60), ln(70), ln(80), ln(90).
    assert sweep.exponent(table, "value") == pytest.approx(-0.849, abs=2e-3)


@pytest.mark.parametrize(("calibrated", "verdict"), [([4, 4.1, 3.9], FAILS), ([40, 41, 39], HOLDS), ([4, 6, 5], OPEN)])
def test_calibration_removes_the_problem_of_ranges(claims_of, source_of, calibrated, verdict):
    rows = [{"rnd_seed": seed, "L1_calibrated": value, "L1_calibrated_theory": 4} for seed, value in enumerate(calibrated)]
    assert claims_of("calibration").irremovable(source_of("approximation", rows).rows("approximation")).verdict is verdict


def test_calibration_states_its_most_important_number(claims_of, source_of):
    keys = {"weighting": "tf_idf", "L1": 48.5, "L1_calibrated_theory": 4}
    source = source_of("approximation", [{"rnd_seed": seed, "L1_calibrated": value} | keys for seed, value in enumerate([4, 4.1, 3.9])])
    sentence = claims_of("calibration").summary(source, source.rows("approximation"))
    assert "49.36 raw" in sentence
    assert "debian, tf_idf: raw 48.50, calibrated **4.00 ± 0.25**, limit 4.000." in sentence


@pytest.mark.parametrize(("s", "verdict"), [(1.9, HOLDS), (1.5, FAILS), (1.8, OPEN)])
def test_theory_agrees_with_the_closed_form(claims_of, source_of, s, verdict):
    rows = [{"rnd_seed": seed, "S": s + change, "S_theory_with_bin_width": 2} for seed, change in enumerate([0, 0.01, -0.01])]
    claim = claims_of("theory").agreement(source_of("approximation", rows).rows("approximation"))
    assert claim.verdict is verdict
    if s == 1.9:
        assert claim.cases[0].evidence == "0.950 ± 0.012 of the closed form"


@pytest.mark.parametrize(("power", "verdict"), [(-1, HOLDS), (-0.5, FAILS)])
def test_signature_length_inverse_law(claims_of, source_of, power, verdict):
    rows = [{"rnd_seed": seed, "sig_len": bits, "S": (1 + seed / 100) * 2000 * bits**power} for bits in (1024, 2048, 4096) for seed in (1, 2, 3)]
    source = source_of("approximation", rows)
    assert claims_of("signature_length").inverse(source, source.rows("approximation")).verdict is verdict


def test_signature_length_l1_that_falls_fails(claims_of, source_of):
    claims = claims_of("signature_length")

    def judge(l1):
        rows = [{"rnd_seed": seed, "sig_len": bits, "L1": l1(bits)} for bits in (1024, 2048, 4096) for seed in (1, 2, 3)]
        return claims.unchanged(source_of("approximation", rows).rows("approximation"))

    assert judge(lambda _: 30).verdict is HOLDS
    falling = judge(lambda bits: 30 - bits / 1024)
    assert falling.verdict is FAILS
    assert "4096 bits: −10.34 %" in falling.cases[0].evidence


def test_signature_length_shows_p_beside_the_thesis_r(claims_of, source_of):
    rows = [{"rnd_seed": seed, "threshold_ham": "lowest", "threshold_ham_used": 75.5, "P": p} for seed, p in ((1, 0.2), (2, 0.4))]
    chapter = Chapter()
    claims_of("signature_length").write(source_of("approximation", rows), chapter)
    table = next(block for block in chapter.blocks if "Table 2.23" in block)
    assert "| R in the thesis, P by its formula | 1024 | DC ≥ 2 | 0.189 | 0.3 ± 1.3 |" in table
    assert "| R in the thesis, P by its formula | 768 | DC ≥ 2 | 0.143 | — |" in table
    assert "| threshold_ham | 1024 | DC ≥ 2 | 76 | 75.50 |" in table


@pytest.mark.parametrize(("sim", "peak", "verdicts"), [(80, 79, (HOLDS, HOLDS)), (80, 85, (FAILS, FAILS)), (60, 71, (FAILS, HOLDS))])
def test_best_threshold(claims_of, source_of, sim, peak, verdicts):
    claims = claims_of("thresholds")
    rows = [
        {"rnd_seed": seed, "threshold_sim": sim, "threshold_ham": ham, "F1": 1 - abs(ham - peak) / 100} for seed in (1, 2, 3) for ham in range(70, 91)
    ]
    rows = source_of("approximation", rows).rows("approximation")
    assert claims.best(rows) == peak
    assert (claims.equal_to_threshold_sim(rows).verdict, claims.equal_to_calibrated(rows).verdict) == verdicts


def test_best_threshold_is_the_middle_of_several(claims_of, source_of):
    rows = [{"threshold_ham": ham, "F1": f1} for ham, f1 in ((78, 0.5), (79, 0.9), (80, 0.9), (81, 0.5))]
    assert claims_of("thresholds").best(source_of("approximation", rows).rows("approximation")) == 79.5


@pytest.mark.parametrize(("reduced", "verdict"), [([30.3, 30.6, 30.0], HOLDS), ([36, 36.6, 36.3], FAILS)])
def test_vocabulary_changes(claims_of, source_of, reduced, verdict):
    rows = [{"rnd_seed": seed, "min_df": 1, "L1": 30} for seed in range(3)]
    rows += [{"rnd_seed": seed, "min_df": 2, "L1": value} for seed, value in enumerate(reduced)]
    claim = claims_of("vocabulary_reduction").approximation(source_of("approximation", rows).rows("approximation"))
    assert claim.verdict is verdict
    if verdict is HOLDS:
        assert claim.cases[0].evidence == "changes by 1.0 ± 2.5 %"


@pytest.mark.parametrize(("moved", "verdict"), [(0.458, HOLDS), (1.427, FAILS), ("", OPEN)])
def test_vocabulary_moves_near_duplicates(claims_of, source_of, moved, verdict):
    source = source_of("vocabulary", [{"near_L1": moved}])
    assert claims_of("vocabulary_reduction").near_duplicates(source.rows("vocabulary")).verdict is verdict


@pytest.mark.parametrize(("below", "verdict"), [(0.1, HOLDS), (5, FAILS)])
def test_ranges_floor_and_curve(claims_of, source_of, below, verdict):
    rows = source_of("density", [{"share_below_45": below, "mean_distance_from_curve": 1.2}]).rows("density")
    claims = claims_of("ranges")
    assert claims.floor(rows).verdict is verdict
    assert claims.curve(rows).verdict is HOLDS


def test_ranges_shares_are_of_all_bits(claims_of, source_of):
    rows = source_of("planes", [{"planes_45": 512, "planes_50": 512}]).rows("planes")
    assert claims_of("ranges").shares(rows)[9].mean == 50


@pytest.mark.parametrize(
    ("estimates", "verdict"), [(["90.5", "91", "90"], HOLDS), (["99", "98.5", "99.5"], FAILS), (["90", "93", "91"], OPEN), (["", "", ""], OPEN)]
)
def test_recall_estimate(claims_of, source_of, estimates, verdict):
    rows = [{"rnd_seed": seed, "found_signature_pairs_pct": 90, "estimate_pct": value} for seed, value in enumerate(estimates)]
    claim = claims_of("recall_estimate").agreement("at times", source_of("pleb", rows).rows("pleb"))
    assert claim.verdict is verdict
    evidence = {HOLDS: "after 5 iterations: 0.5 ± 1.2 points", FAILS: ": 9.0 ± 1.2", OPEN: ": 1.3 ± 3.8" if estimates[0] else "no estimate"}
    assert evidence[verdict] in claim.cases[0].evidence


@pytest.mark.parametrize(
    ("documents", "full", "verdicts"),
    [(644_566, 600, [HOLDS, HOLDS, HOLDS]), (644_566, 60, [HOLDS, FAILS, HOLDS]), (2000, 60, [HOLDS, OPEN, OPEN])],
)
def test_timing_is_judged_by_ratios(claims_of, source_of, documents, full, verdicts):
    methods = [("hamming_full", "", full, 1000), ("hamming", "50", 10, 995), ("similarity", "", 30000, 1000)]
    rows = [{"method": name, "iter_count": count, "seconds": seconds, "read": documents, "wrote": wrote} for name, count, seconds, wrote in methods]
    chapter = Chapter()
    claims_of("timing").write(source_of("timing", rows), chapter)
    assert [claim.verdict for claim in chapter.claims] == verdicts
    if full == 600:
        assert "| hamming (iter_count 50) | 18.2 min | 10.0 s | 109 | 99.40 | 99.50 |" in "".join(chapter.blocks)
