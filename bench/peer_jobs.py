"""The jobs of bench/peers that run inside the peers' own environment; each prints one line of JSON.

Loss is the normalised certainty penalty by code width, counted from the classes
in the same way for everyone: see bench/costs/src/bin/mondrian_cost.rs.
"""

import csv
import json
import sys
import time

import pandas as pd

QUASI = ["age", "workclass", "education-num", "marital-status",
         "occupation", "race", "sex", "native-country"]


def anonypy(path, columns, k, kind):
    import anonypy.anonypy
    import anonypy.mondrian

    columns = columns.split(",")
    table = pd.read_csv(path)
    positions = code_positions(table, columns)
    frame = positions.astype(int) if kind == "codes" else table.copy()
    for column in columns:
        if kind == "categories" and not pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = frame[column].astype("category")
    frame["salary-class"] = table["salary-class"].astype("category")
    start = time.process_time()
    partitions = anonypy.mondrian.Mondrian(frame, columns, "salary-class").partition(int(k))
    parted = time.process_time()
    anonypy.anonypy.anonymize(frame, partitions, columns, "salary-class")
    done = time.process_time()
    return {"cpu_seconds": done - start, "partition_cpu_seconds": parted - start,
            "classes": len(partitions), "ncp": loss(positions, partitions)}


def anjana(path, folder, k):
    from anjana.anonymity import k_anonymity

    table = pd.read_csv(path, dtype=str)
    positions = code_positions(pd.read_csv(path), QUASI)
    names = ["education" if name == "education-num" else name for name in QUASI]
    hierarchies = {name: levels(f"{folder}/adult_hierarchy_{name}.csv", table[name]) for name in names}
    data = table[names + ["salary-class"]].copy()
    data["row"] = range(len(data))
    start = time.process_time()
    release = k_anonymity(data, [], names, int(k), 5, hierarchies)
    cpu = time.process_time() - start
    classes = [group["row"].to_numpy() for _, group in release.groupby(names)]
    suppressed = len(table) - len(release)
    kept = loss(positions, classes)
    return {"cpu_seconds": cpu, "classes": len(classes), "suppressed": suppressed,
            "ncp": kept + suppressed / len(table)}


def levels(path, column):
    """Level by level, the label of each row's value, as anjana wants it."""
    with open(path, newline="") as file:
        chains = {chain[0]: chain for chain in csv.reader(file, delimiter=";") if chain}
    values = column.unique()
    height = len(next(iter(chains.values())))
    return {level: [chains[value][level] for value in values] for level in range(height)}


def pycanon(path, columns, sensitive):
    from pycanon import anonymity

    columns = columns.split(",")
    release = pd.read_csv(path, dtype=str, keep_default_na=False)
    start = time.process_time()
    k = anonymity.k_anonymity(release, columns)
    l = anonymity.l_diversity(release, columns, [sensitive])
    t = anonymity.t_closeness(release, columns, [sensitive])
    return {"cpu_seconds": time.process_time() - start, "k": int(k), "l": int(l), "t": float(t)}


def code_positions(table, columns):
    """Numbers as they are, categories numbered by first appearance."""
    numeric = pd.api.types.is_numeric_dtype
    return pd.DataFrame({name: table[name] if numeric(table[name]) else pd.factorize(table[name])[0]
                         for name in columns})


def loss(positions, classes):
    """Mean over rows and columns of the width of a row's class, relative to the column's."""
    whole = (positions.max() - positions.min()).to_numpy(dtype=float)
    values = positions.to_numpy(dtype=float)
    lost = sum(((values[rows].max(axis=0) - values[rows].min(axis=0)) / whole).sum() * len(rows)
               for rows in classes)
    return lost / (len(positions) * len(whole))


if __name__ == "__main__":
    job, *arguments = sys.argv[1:]
    print(json.dumps({"anonypy": anonypy, "anjana": anjana, "pycanon": pycanon}[job](*arguments)))
