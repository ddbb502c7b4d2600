"""The job of bench/learners that runs river in the peers' environment; prints one line of JSON.

    python river_job.py STREAM.csv COLUMN:VALUES,... RECORDS LEARNER

Records lie in memory as the dictionaries that river takes. Each is predicted, then
learnt; CPU seconds are those of this loop.
"""

import csv
import itertools
import json
import sys
import time

from river import forest, naive_bayes, neighbors, preprocessing, tree

LEARNERS = {
    "NB": lambda nominal: naive_bayes.GaussianNB(),
    "HT": lambda nominal: tree.HoeffdingTreeClassifier(nominal_attributes=nominal),
    "HAT": lambda nominal: tree.HoeffdingAdaptiveTreeClassifier(nominal_attributes=nominal, seed=1),
    "ARF10": lambda nominal: forest.ARFClassifier(n_models=10, nominal_attributes=nominal, seed=1),
    "kNN": lambda nominal: preprocessing.MinMaxScaler() | neighbors.KNNClassifier(
        n_neighbors=10, weighted=False, engine=neighbors.LazySearch(window_size=1000)),
}


def main(path, nominal, records, learner):
    columns = [int(pair.split(":")[0]) for pair in nominal.split(",") if ":" in pair]
    stream, names = read(path, columns, int(records))
    model = LEARNERS[learner]([names[column] for column in columns])
    right = 0
    start = time.process_time()
    for record, label in stream:
        right += model.predict_one(record) == label
        model.learn_one(record, label)
    cpu = time.process_time() - start
    return {"records": len(stream), "accuracy": 100 * right / len(stream), "cpu_seconds": cpu}


def read(path, nominal, records):
    with open(path, newline="") as file:
        rows = csv.reader(file)
        *names, _ = next(rows)
        kinds = [int if column in nominal else float for column in range(len(names))]
        stream = [({name: kind(cell) for name, kind, cell in zip(names, kinds, row)}, int(row[-1]))
                  for row in itertools.islice(rows, records)]
    return stream, names


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
