"""One engine with one model in a process of its own, measured on demand.

    worker.py ENGINE FILE INPUTS.npz THREADS OUTPUTS.npz

Writes one line of JSON when the first answer is there (seconds to load and to answer, peak memory), stores that answer, and then,
for each line `N` on its standard input, calls N / 4 times, calls N times and writes the seconds that those took. An empty line or
the end ends it. On Linux so does the end of whoever started it, also while it stands still (SIGSTOP) and can read no end.
"""

from __future__ import annotations

import ctypes
import json
import signal
import sys
import time
from pathlib import Path

import numpy as np
from engines import BY_NAME

PR_SET_PDEATHSIG = 1


def main() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    name, file, inputs, threads, outputs = sys.argv[1:]
    feeds = {key: np.ascontiguousarray(array) for key, array in np.load(inputs).items()}
    clock = time.perf_counter
    bare = peak_bytes()
    begin = clock()
    call = BY_NAME[name].load(Path(file), feeds, int(threads))
    loaded = clock()
    answer = call()
    answered = clock()
    arrays = (
        answer.values()
        if hasattr(answer, "values")
        else answer
        if isinstance(answer, list | tuple)
        else [answer]
    )
    facts = {"load": loaded - begin, "first": answered - loaded, "peak_bytes": peak_bytes() - bare}
    np.savez(outputs, *[np.asarray(array) for array in arrays])
    print(json.dumps(facts), flush=True)
    for line in sys.stdin:
        if not line.strip():
            break
        count = int(line)
        for _ in range(count // 4):
            call()
        begin = clock()
        for _ in range(count):
            call()
        print(clock() - begin, flush=True)


def peak_bytes() -> int:
    """The most memory that this process has had, shared pages included (`getrusage` would begin with the parent's)."""
    return 1024 * int(Path("/proc/self/status").read_text(encoding="utf-8").partition("VmHWM:")[2].split()[0])


if __name__ == "__main__":
    main()
