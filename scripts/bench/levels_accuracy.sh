#!/usr/bin/env bash
# Measures on Reuters articles how far signatures are from what theory promises, for both kinds of random vectors: the squared error of the share of
# equal bits over p(1 − p)/K, by the effective terms of the shorter document of a pair. Needs exp/reuters, which scripts/bench/reuters.sh makes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "[SEEDS=10]" "$@"
seeds=${1:-10}
need_executables

cd "$root"
exp=exp/reuters
res=res/reuters
mkdir -p "$res"
if [ ! -f "$exp/vec_paths" ]; then
    echo "levels_accuracy.sh: $exp/vec_paths is missing: run scripts/bench/reuters.sh first" >&2
    exit 1
fi

similarity -q -vec_paths "$exp/vec_paths" -out "$exp/similarity_30" -treshold 30
for dist in gauss levels; do
    for seed in $(seq "$seeds"); do
        create_sigs -q -vec_paths "$exp/vec_paths" -sig_len 1024 -sig_dir "$exp/sigs" -sig_paths "$exp/accuracy_${dist}_$seed" -rnd_dist "$dist" -rnd_seed "$seed"
    done
done

python3 - "$exp" "$seeds" <<'PYTHON' | tee "$res/levels_accuracy.csv"
import math, pathlib, sys

folder, seeds = pathlib.Path(sys.argv[1]), int(sys.argv[2])
BITS = 1024

def listed(path, header):
    for line in path.read_text().splitlines()[header:]:
        yield from pathlib.Path(line).read_text().splitlines()

effective = {}
for line in listed(folder / "vec_paths", 4):
    head, *items = line.split()
    squares = [float(item.split(":")[1]) ** 2 for item in items]
    if squares:
        effective[head.rsplit(":", 1)[0]] = sum(squares) ** 2 / sum(s * s for s in squares)

pairs = []
for line in (folder / "similarity_30").read_text().splitlines():
    name, *rest = line.split(":")
    for other, cosine in zip(rest[::2], rest[1::2]):
        if name < other and float(cosine) <= 95:
            p = 1 - math.acos(float(cosine) / 100) / math.pi
            pairs.append((name, other, p, min(effective[name], effective[other])))

def errors(dist):
    found = [0.0] * len(pairs)
    for seed in range(1, seeds + 1):
        signatures = {}
        for line in listed(folder / f"accuracy_{dist}_{seed}", 3):
            digits, names = line.split(":", 1)
            for name in names.split()[1:]:
                signatures[name] = int(digits, 16)
        for at, (one, other, p, _) in enumerate(pairs):
            share = 1 - (signatures[one] ^ signatures[other]).bit_count() / BITS
            found[at] += (share - p) ** 2 / (p * (1 - p) / BITS) / seeds
    return found

gauss, levels = errors("gauss"), errors("levels")
print("effective_terms,pairs,gauss,levels")
classes = [(0, 5), (5, 8), (8, 12), (12, 20), (20, 30), (30, math.inf), (8, math.inf)]
for low, high in classes:
    chosen = [at for at, pair in enumerate(pairs) if low <= pair[3] < high]
    mean = lambda errors: sum(errors[at] for at in chosen) / max(1, len(chosen))
    print(f"{low} to {high},{len(chosen)},{mean(gauss):.4f},{mean(levels):.4f}")
at_least_8 = [at for at, pair in enumerate(pairs) if pair[3] >= 8]
if sum(levels[at] for at in at_least_8) > 1.1 * len(at_least_8):
    sys.exit("levels_accuracy.sh: the error of documents with 8 or more effective terms exceeds 1.1")
PYTHON
