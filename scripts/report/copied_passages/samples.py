"""Table 6.1: shares of documents that are found, with intervals of drawn samples."""

import random

SEED = 2007
ORIGINAL = "original"


def shares(decisions, groups, settings):
    """Returns {group: (count, share, low, high, complete)}.

    `decisions` has one truth value per document, `groups` documents by group. The interval holds 95 % of the shares in samples of documents of all groups; `complete` is the share of
    samples with all of the group's documents.
    """
    rng = random.Random(f"{SEED} samples")
    everything = sorted({name for names in groups.values() for name in names})
    drawn = {group: [] for group in groups}
    for _ in range(settings["samples"]):
        sample = set(rng.sample(everything, min(settings["sample"], len(everything))))
        for group, names in groups.items():
            own = [decisions[name] for name in names if name in sample]
            if own:
                drawn[group].append(sum(own) / len(own))
    result = {}
    for group, names in groups.items():
        values = sorted(drawn[group])
        share = sum(decisions[name] for name in names) / len(names)
        if values:
            low, high = (values[round(part * (len(values) - 1))] for part in (0.025, 0.975))
            result[group] = len(names), share, low, high, sum(value == 1 for value in values) / len(values)
        else:
            result[group] = len(names), share, share, share, float(share == 1)
    return result


def of_lengths(passages, originals, limit):
    """Returns documents by group: originals, and those whose longest passage has at least `limit` words, or fewer. `passages` has word counts by document."""
    groups = {ORIGINAL: sorted(originals), "large copies": [], "small copies": []}
    for name, counts in sorted(passages.items()):
        groups["large copies" if max(counts) >= limit else "small copies"].append(name)
    return {group: names for group, names in groups.items() if names}


def of_kinds(kinds, originals):
    """Returns documents by group: originals, and those of each kind. `kinds` has the kind of each document with copies."""
    groups = {ORIGINAL: sorted(originals)}
    for name, kind in sorted(kinds.items()):
        groups.setdefault(kind, []).append(name)
    return {group: names for group, names in groups.items() if names}
