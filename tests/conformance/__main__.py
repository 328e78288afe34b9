"""The command line of the conformance suite."""

from __future__ import annotations

import argparse
import sys
import time

from tests.conformance import table
from tests.conformance.run import run_all
from tests.conformance.worker import all_names


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("action", choices=("update", "check"))
    parser.add_argument("names", nargs="*", help="tests; without any, all")
    parser.add_argument(
        "--codegen", default=",".join(table.CODEGENS), help="code generators, separated by commas"
    )
    parser.add_argument(
        "--failing", action="store_true", help="only those that the file lists as failing somewhere"
    )
    parser.add_argument("-j", "--jobs", type=int, default=2)
    chosen = parser.parse_intermixed_args()
    results = {}
    for codegen in chosen.codegen.split(","):
        start = time.perf_counter()
        names = [name for name in all_names(codegen) if not chosen.names or name in chosen.names]
        if chosen.failing:
            known = table.read()
            names = [name for name in names if any(known.expected(name, one) for one in table.CODEGENS)]

        def tell(done: int, codegen: str = codegen, names: list[str] = names) -> None:
            print(f"{codegen}: {done} of {len(names)}", file=sys.stderr, flush=True)

        results[codegen] = run_all(codegen, names, chosen.jobs, tell)
        passed = [bound for why, bound in results[codegen].values() if why is None]
        whole = sum(not bound for bound in passed)
        seconds = time.perf_counter() - start
        print(
            f"{codegen}: {len(passed)} of {len(names)} pass, {whole} as they stand, {seconds:.0f} s",
            flush=True,
        )
    old = table.read()
    if chosen.action == "update":
        table.write(table.merge(old, results))
        return 0
    untrue = [
        f"{name} on {codegen}: {_listed(old, name, codegen)}, got {why or 'pass'}"
        for codegen, rows in results.items()
        for name, (why, _) in rows.items()
        if name not in old.names or (old.expected(name, codegen) is None) != (why is None)
    ]
    print("\n".join(untrue) or "the file is true")
    return 1 if untrue else 0


def _listed(old: table.Table, name: str, codegen: str) -> str:
    return f"listed as {old.expected(name, codegen) or 'passing'}" if name in old.names else "not listed"


if __name__ == "__main__":
    sys.exit(main())
