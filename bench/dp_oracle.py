"""Compares moretta's samplers of differentially private noise with OpenDP's.

    pip install opendp numpy scipy
    cargo build --release --workspace --bin dp_samples
    python bench/dp_oracle.py target/release/dp_samples

Draws as many samples from each side and prints, for every case, the p-value of
a chi-square test that both come from one distribution. A case below 0.001 is
wrong, or one run in fifty is; run it again. The last cases are planted: there
the other side has a scale a tenth off, and they must be told apart.
"""

import subprocess
import sys

import numpy as np
import opendp.prelude as dp
from scipy.stats import chi2_contingency

dp.enable_features("contrib")
COUNT = 200_000


def ours(program, name, parameter):
    out = subprocess.run(
        [program, name, parameter, str(COUNT)], check=True, capture_output=True, text=True
    )
    return np.array(out.stdout.split(), dtype=np.int64)


def zeros():
    domain = dp.vector_domain(dp.atom_domain(T=int), size=COUNT)
    return domain, [0] * COUNT


def laplace(scale):
    domain, values = zeros()
    return np.array(dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=scale)(values))


def gaussian(scale):
    domain, values = zeros()
    return np.array(dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=scale)(values))


def geometric(scale):
    """Of two-sided noise, what is positive less one is geometric."""
    draws = np.concatenate([laplace(scale) for _ in range(3)])
    return draws[draws > 0][:COUNT] - 1


def k_ary(categories, epsilon):
    response = dp.m.make_randomized_response(
        list(range(categories)), prob=float(np.exp(epsilon) / (np.exp(epsilon) + categories - 1))
    )
    return np.array([response(0) for _ in range(COUNT // 4)])


def same(a, b):
    """The p-value that two samples of whole numbers have one distribution; rare values are merged."""
    values, counts = np.unique(np.concatenate([a, b]), return_counts=True)
    edges, held = [], 0
    for value, count in zip(values, counts):
        held += count
        if held >= max(40, (len(a) + len(b)) / 200):
            edges.append(value + 0.5)
            held = 0
    table = np.array([np.bincount(np.searchsorted(edges, x), minlength=len(edges) + 1) for x in (a, b)])
    table = table[:, table.sum(axis=0) > 0]
    return chi2_contingency(table).pvalue


def main(program):
    cases = [
        ("laplace", "1/1", lambda: laplace(1.0), True),
        ("laplace", "1/20", lambda: laplace(20.0), True),
        ("laplace", "5/2", lambda: laplace(0.4), True),
        ("laplace", "1/100000", lambda: laplace(100000.0), True),
        ("geometric", "1/20", lambda: geometric(20.0), True),
        ("gaussian", "1", lambda: gaussian(1.0), True),
        ("gaussian", "400", lambda: gaussian(20.0), True),
        ("gaussian", "100000000", lambda: gaussian(10000.0), True),
        ("k-ary", "2:1/1", lambda: k_ary(2, 1.0), True),
        ("k-ary", "5:1/1", lambda: k_ary(5, 1.0), True),
        ("k-ary", "10:3/1", lambda: k_ary(10, 3.0), True),
        ("laplace", "1/20", lambda: laplace(22.0), False),
        ("gaussian", "400", lambda: gaussian(22.0), False),
        ("k-ary", "5:1/1", lambda: k_ary(5, 1.1), False),
    ]
    wrong = 0
    for name, parameter, oracle, alike in cases:
        p = same(ours(program, name, parameter), oracle())
        right = p > 1e-3 if alike else p < 1e-9
        wrong += not right
        print(f"{name:10} {parameter:10} {'alike' if alike else 'planted':8} p = {p:.3g}{'' if right else '  WRONG'}")
    print(f"{len(cases) - wrong} passed, {wrong} failed")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
