"""The paper's experiment on Adult: runs it, and writes what came out of it.

`make paper` runs this. It writes docs/paper-results.md with the figures in docs/paper/, and a page,
build/paper/index.html, with everything; results.json beside it has every number.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import experiment
from measures import Record

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run what the command line asks for."""
    options = _parse()
    if options.results is None:
        records = _run(options)
        options.build.mkdir(parents=True, exist_ok=True)
        (options.build / "results.json").write_text(json.dumps(records, indent=1) + "\n")
    else:
        records = json.loads(options.results.read_text())
    _write(records, options.docs, options.build)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="folder of the summary")
    parser.add_argument("--build", type=Path, default=ROOT / "build/paper", help="of the page")
    parser.add_argument("--models", nargs="+", choices=experiment.MODELS, default=experiment.MODELS)
    parser.add_argument("--seeds", type=int, default=5, help="number of splits")
    parser.add_argument("--people", type=int, help="so many at random, instead of all")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--results", type=Path, help="write pages of this file; run nothing")
    return parser.parse_args()


def _run(options: argparse.Namespace) -> list[Record]:
    setting = experiment.Setting(
        options.models, tuple(range(options.seeds)), options.people, options.jobs
    )
    total, start, done = len(setting.models) * len(setting.seeds), time.monotonic(), 0

    def progress(record: Record) -> None:
        nonlocal done
        done += 1
        times = record["times"]
        print(
            f"[{done:2}/{total}] {time.monotonic() - start:4.0f} s  {record['model']}, "
            f"split {record['seed']}: trained in {times['training']:.1f} s, scored in "
            f"{times['scoring']:.1f} s, made fair in {1000 * times['parity']:.0f} ms",
            file=sys.stderr,
            flush=True,
        )

    print(f"{total} runs: {len(setting.models)} models on {len(setting.seeds)} splits of Adult",
          file=sys.stderr)  # fmt: skip
    return experiment.run_all(setting, progress)


def _write(records: list[Record], docs: Path, build: Path) -> None:
    import report

    for path in report.write(records, docs, build):
        print(os.path.relpath(path))


if __name__ == "__main__":
    main()
