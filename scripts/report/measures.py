"""The tables `run_experiment` writes: keys and result columns per measure, and the columns recorded as expected values.

A table with other columns is refused. Times are not recorded: they depend on the machine.
"""

from dataclasses import dataclass

SEED = "rnd_seed"
# The only result column that holds text.
TEXT_COLUMN = "what"
SHARE_CLASSES = tuple(f"planes_{share}" for share in range(0, 100, 5))


@dataclass(frozen=True)
class Measure:
    """Columns of one table. `recorded` pairs result columns with the keys they do not depend on, besides the seed."""

    keys: tuple
    results: tuple
    recorded: tuple

    @property
    def columns(self):
        return self.keys + self.results


def _words(text):
    return tuple(text.split())


MEASURES = {
    "approximation": Measure(
        keys=_words("collection weighting min_df sample rnd_seed sig_len threshold_sim threshold_ham"),
        results=_words(
            "distinct_signatures threshold_ham_used documents pairs L1 L2 largest_difference S S_bins S_theory S_theory_with_bin_width"
            " L1_calibrated L1_calibrated_theory L2_calibrated largest_difference_calibrated S_calibrated"
            " P R F1 P_pairs R_pairs F1_pairs P_calibrated R_calibrated F1_calibrated P_pairs_calibrated R_pairs_calibrated F1_pairs_calibrated"
            " near_pairs near_L1 near_L2 near_S"
        ),
        recorded=(
            (_words("L1 L2 S L1_calibrated L2_calibrated"), _words("threshold_sim threshold_ham")),
            (_words("P R F1 near_L1"), ()),
        ),
    ),
    "vocabulary": Measure(
        keys=_words("collection weighting min_df sample threshold_sim"),
        results=_words("terms_whole terms documents pairs L1 L2 largest_difference S near_pairs near_L1 near_L2 near_S"),
        recorded=((_words("terms L1 L2 S"), _words("threshold_sim")), (_words("near_L1 near_L2"), ())),
    ),
    "pleb": Measure(
        keys=_words("collection weighting min_df rnd_seed sig_len threshold beam shift_count iter_count"),
        results=_words("distinct_signatures all_pairs found_pairs found_pairs_pct found_signature_pairs_pct estimate_pct"),
        recorded=((_words("all_pairs"), _words("beam shift_count iter_count")), (_words("found_pairs_pct estimate_pct"), ())),
    ),
    "planes": Measure(
        keys=_words("collection weighting min_df rnd_seed sig_len"),
        results=_words("documents share_least share_mean share_greatest share_deviation") + SHARE_CLASSES,
        recorded=((_words("share_mean share_deviation"), ()),),
    ),
    "density": Measure(
        keys=_words("collection weighting min_df sample rnd_seed sig_len"),
        results=_words("documents pairs cosine_mean hamming_mean hamming_least share_below_45 correlation mean_distance_from_curve"),
        recorded=((_words("hamming_mean share_below_45 correlation mean_distance_from_curve"), ()),),
    ),
    "timing": Measure(
        keys=_words("collection weighting min_df rnd_seed sig_len threshold method beam shift_count iter_count"),
        results=_words("seconds read wrote what"),
        recorded=((_words("read wrote"), ()),),
    ),
}
