"""One run of zanon over a CSV stream, in the folder where it may write; prints one line of JSON.

    zanon_job.py STREAM.csv Z         # a fixed z
    zanon_job.py STREAM.csv tuned     # its own search: goal 0.8, k = 2, every 30 minutes

zanon always tunes; a fixed z is an update that never comes due. The loop is that
of its own example. `cpu` are the CPU seconds of the process, `start` those of its
imports; `megabytes` is the peak of memory beyond them.
"""

import json
import sys
import time

from zanonymity import zanon

WINDOW, GOAL, K = 3600, 0.8, 2


def run(path, setting):
    imported = time.process_time()
    peer = zanon.zanon(WINDOW, GOAL, K)
    if setting != "tuned":
        peer.z, peer.rate = int(setting), float("inf")
    rows = 0
    with open(path) as stream:
        next(stream)
        for line in stream:
            t, u, a = line.split(",")
            peer.anonymize((t, u, a))
            rows += 1
    peer.endFiles()
    return {"cpu": time.process_time(), "start": imported, "rows": rows}


def peak_megabytes():
    """Of this program alone; the peak that `resource` knows begins with that of its parent."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1e3 for line in status if line.startswith("VmHWM:"))


if __name__ == "__main__":
    imported = peak_megabytes()
    result = run(*sys.argv[1:])
    print(json.dumps({**result, "megabytes": peak_megabytes() - imported}))
