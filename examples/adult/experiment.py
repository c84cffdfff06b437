"""Section 5 of the paper on Adult: one model on one split, measured before and after fairness."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, ParamSpec, TypeVar

import adult
import measures
import numpy as np
from adult import Floats, Labels, Texts
from joblib import Parallel, delayed
from measures import Record
from threadpoolctl import threadpool_limits

import evenhand

MODELS = ("random_forest", "knn", "mlp", "logistic_regression", "svm")
PARTS = ("train", "calibration", "test")
RULES = ("base", "parity", "conditional")
GAMMA = 0.01  # the paper's
EPOCHS = 25  # of its Figure 1b
TRACE_POINTS = 100
BINS = 40  # of the score, from -1 to 1
TOLERANCES = (0.0, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2)
FOUR_FIFTHS = "four-fifths"

Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Rows:
    """What is known of some people, and how a model scores them."""

    p: Floats
    sex: Texts
    race: Texts
    y: Labels

    @property
    def f(self) -> Floats:
        """The paper's score, `2p - 1`."""
        return 2 * self.p - 1

    def tally(self) -> evenhand.Tally:
        """Count them by sex, race and score."""
        return evenhand.Tally(
            self.f,
            {"sex": self.sex},
            within={"race": self.race},
            label=self.y,
            scale="signed",
            threads=1,
        )


@dataclass(frozen=True)
class Setting:
    """What to run: every model on every split."""

    models: Sequence[str] = MODELS
    seeds: Sequence[int] = (0, 1, 2, 3, 4)
    people: int | None = None  # so many at random, instead of all
    jobs: int = 2


def run_all(setting: Setting, progress: Callable[[Record], None]) -> list[Record]:
    """Run every model on every split, several at once, and return them in order."""
    slow = ("svm", "knn")  # first, so that none of them is left for the end
    order = sorted(product(setting.models, setting.seeds), key=lambda task: task[0] not in slow)
    tasks = (delayed(run)(model, seed, setting.people) for model, seed in order)
    records = []
    for record in Parallel(n_jobs=setting.jobs, return_as="generator_unordered")(tasks):
        progress(record)
        records.append(record)
    return sorted(records, key=lambda r: (setting.models.index(r["model"]), r["seed"]))


def run(model: str, seed: int, people: int | None = None) -> Record:
    """Train a model on one split, make it fair, and measure it."""
    return measured(model, seed, scored(model, seed, people))


@cache
def _everybody() -> adult.Adult:
    return adult.load()


def _some(everybody: adult.Adult, people: int | None) -> adult.Adult:
    if people is None:
        return everybody
    kept = np.sort(np.random.default_rng(0).permutation(len(everybody.y))[:people])
    return replace(
        everybody,
        X=everybody.X.iloc[kept],
        y=everybody.y[kept],
        sex=everybody.sex[kept],
        race=everybody.race[kept],
        part=everybody.part[kept],
    )


def scored(model: str, seed: int, people: int | None) -> tuple[dict[str, Rows], Record]:
    """Return the scores of each part, and the time that they took."""
    known = _some(_everybody(), people)
    split = adult.split(len(known.y), seed)
    parts, scoring = {}, 0.0
    with threadpool_limits(1):  # more threads would add up in another order
        trained, training = timed(adult.fit, model, known, split, seed)
        for name in PARTS:
            rows = getattr(split, name)
            p, seconds = timed(adult.scores, trained, known.X.iloc[rows])
            parts[name] = Rows(p, known.sex[rows], known.race[rows], known.y[rows])
            scoring += seconds
    return parts, {"training": training, "scoring": scoring}


def measured(model: str, seed: int, scored: tuple[dict[str, Rows], Record]) -> Record:
    """Measure everything about one model's scores."""
    parts, times = scored
    tallies = {name: rows.tally() for name, rows in parts.items()}
    rules, fits = {}, {}
    for part in ("calibration", "train"):
        rules[part], fits[part], seconds = _paper_rules(parts[part], tallies)
        if part == "calibration":
            times |= seconds
    descents = list(_descents(parts, tallies["test"]))
    times["sgd"] = descents[0]["seconds"]
    return {
        "model": model,
        "seed": seed,
        "rows": {name: len(rows.y) for name, rows in parts.items()},
        "positives": float(parts["test"].y.mean()),
        "rules": rules,
        "fits": fits,
        "descents": descents,
        "beyond": list(_beyond(parts, tallies)),
        "frontier": list(_frontier(tallies)),
        "histogram": _histogram(parts["test"]),
        "mean_score": _mean_scores(parts["test"]),
        "times": times,
    }


def timed(
    work: Callable[Given, Result], *args: Given.args, **options: Given.kwargs
) -> tuple[Result, float]:
    """Return the result and the seconds it took."""
    start = time.perf_counter()
    result = work(*args, **options)
    return result, time.perf_counter() - start


# --- The paper's two rules.


def fit(rows: Rows, criterion: str = "statistical-parity", **options: Any) -> evenhand.Fit:
    """Fit a rule for sex, inside each race if `inside`, with f = 2p - 1 and gamma = 0.01."""
    inside = options.pop("inside", False)
    fitted: evenhand.Fit = evenhand.fit(
        rows.f,
        {"sex": rows.sex},
        within={"race": rows.race} if inside else None,
        label=rows.y,
        criterion=criterion,
        scale="signed",
        threads=1,
        **{"gamma": GAMMA, **options},
    )
    return fitted


def _audit(tally: evenhand.Tally, rule: evenhand.Rule) -> evenhand.Audit:
    return evenhand.audit(tally, "sex", within="race", rule=rule, threads=1)


def _paper_rules(
    rows: Rows, tallies: dict[str, evenhand.Tally]
) -> tuple[Record, Record, dict[str, float]]:
    """Return the figures of base, parity and conditional parity on every part, and the proofs."""
    found: Record = {rule: {} for rule in RULES}
    fits, times = {}, {}
    for name in ("parity", "conditional"):
        fitted, times[name] = timed(fit, rows, inside=name == "conditional")
        fits[name] = {
            "status": fitted.status,
            "violation": fitted.violation,
            "gap": fitted.gap,
            "lottery_share": fitted.lottery_share,
            "multipliers": multipliers(fitted),
        }
        for part, tally in tallies.items():
            audit = _audit(tally, fitted.rule)
            assert audit.before is not None
            found[name][part] = measures.figures(audit)
            found["base"][part] = measures.figures(audit.before)
    return found, fits, times


def multipliers(fitted: evenhand.Fit) -> dict[str, float]:
    """Return the paper's mu of each stratum, "all" if there is one.

    The threshold is `mu (1 - rho)` for women and `-mu rho` for men, so mu is their difference. A
    cell's multiplier is its threshold times its people.
    """
    thresholds: dict[str, dict[str, float]] = {}
    for cell, counted in zip(fitted.cells, fitted.before.cells, strict=True):
        if cell["compared"]:
            race, sex = cell["cell"].get("race", "all"), cell["cell"]["sex"]
            thresholds.setdefault(race, {})[sex] = cell["multiplier"] / counted["weight"]
    return {race: t["Female"] - t["Male"] for race, t in thresholds.items()}


# --- The paper's algorithm.


def _descents(parts: dict[str, Rows], test: evenhand.Tally) -> Iterator[Record]:
    """Run SGD for both rules, with Figure 1b's learning rate and with Proposition 4's."""
    runs = product(("parity", "conditional"), ("figure_1b", "proposition_4"), ("calibration",))
    for rule, rate, part in (*runs, ("parity", "figure_1b", "train")):
        rows, inside = parts[part], rule == "conditional"
        exact = fit(rows, inside=inside)
        strata = len(np.unique(rows.race)) if inside else 1
        steps = EPOCHS * len(rows.y)
        options: Record = {
            "solver": "sgd",
            "inside": inside,
            "learning_rate": 0.1 * math.sqrt(strata / steps) if rate == "figure_1b" else None,
            "epochs": EPOCHS,
            "seed": 0,
            "record_every": steps // TRACE_POINTS,
        }
        sgd, seconds = timed(fit, rows, **options)
        yield descent(sgd, exact, rows, strata) | {
            "rule": rule,
            "rate": rate,
            "fitted_on": part,
            "seconds": seconds,
            "test_error": 1 - (_audit(test, sgd.rule).accuracy or 0.0),
            "as_fair": fit(rows, inside=inside, tolerance=sgd.violation).primal,
        }


def descent(sgd: evenhand.Fit, exact: evenhand.Fit, rows: Rows, strata: int) -> Record:
    """Compare a run with the exact optimum, and with Proposition 4's bound in the wider box."""
    assert sgd.steps is not None
    assert sgd.learning_rate is not None
    bound = evenhand.theory.sgd_error_at(
        sgd.steps, GAMMA, strata=strata, learning_rate=sgd.learning_rate, box=2 + GAMMA
    )
    return {
        "steps": sgd.steps,
        "learning_rate": sgd.learning_rate,
        "violation": sgd.violation,
        "primal": sgd.primal,
        "excess": (sgd.dual - exact.dual) / len(rows.y),
        "bound": bound,
        "exact_primal": exact.primal,
        "strata": [one["cell"].get("race", "all") for one in sgd.multipliers],
        "mean": [one["mean"] for one in sgd.multipliers],
        "exact": multipliers(exact),
        "epochs": [round(one["epoch"], 6) for one in sgd.trace],
        "trace": [one["mean"] for one in sgd.trace],
        "last": [one["last"] for one in sgd.trace],
    }


# --- Beyond the paper.


def _beyond(parts: dict[str, Rows], tallies: dict[str, evenhand.Tally]) -> Iterator[Record]:
    """Yield other criteria, both solvers, and the peers: fitted on calibration rows."""
    rows = parts["calibration"]
    ours: list[tuple[str, bool, str, Record]] = []
    isotonic = {"gamma": 0.0, "calibrate": "isotonic"}
    for inside in (False, True):
        ours += [
            ("statistical-parity", inside, "exact", {"gamma": 0.0}),
            ("statistical-parity", inside, "exact, labels", isotonic),
            ("statistical-parity", inside, "SGD", {"solver": "sgd", "epochs": EPOCHS, "seed": 0}),
        ]
    ours += [
        (criterion, False, "exact", {"gamma": 0.0})
        for criterion in (FOUR_FIFTHS, "equal-opportunity", "equalized-odds")
    ]
    for criterion, inside, method, options in ours:
        fitted, seconds = timed(fit, rows, criterion, inside=inside, **options)
        audits = {part: _audit(tallies[part], fitted.rule) for part in ("calibration", "test")}
        yield _outcome(criterion, inside, f"evenhand, {method}", audits, seconds)
    yield from _peers(parts)


def _peers(parts: dict[str, Rows]) -> Iterator[Record]:
    import peers  # slow to import, and there only with the packages of requirements.txt

    rows = parts["calibration"]
    for criterion, name in product(peers.CONSTRAINTS, peers.PEERS):
        peer, seconds = timed(peers.Peer, name, criterion, rows.p, rows.sex, rows.y)
        audits = {}
        for part in ("calibration", "test"):
            here = parts[part]
            q = peer.probability(here.p, here.sex)
            audits[part] = measures.of_probabilities(q, here.sex, here.race, here.y)
        yield _outcome(criterion, False, name, audits, seconds)


def _outcome(
    criterion: str, inside: bool, method: str, audits: dict[str, evenhand.Audit], seconds: float
) -> Record:
    record: Record = {"criterion": criterion, "inside": inside, "method": method}
    for part, audit in audits.items():
        selected = audit.overall["selection_rate_between_groups"]
        record[part] = {
            "error": 1 - (audit.accuracy or 0.0),
            "difference": measures.difference(audit, criterion, inside=inside),
            "ratio": selected["ratio"],
        }
    return record | {"seconds": seconds}


def _frontier(tallies: dict[str, evenhand.Tally]) -> Iterator[Record]:
    """Yield error and difference of the selection rates, for each tolerance of parity."""
    fitting, test = tallies["calibration"], tallies["test"]
    options: Record = {"criterion": "statistical-parity", "gamma": GAMMA, "threads": 1}
    points = evenhand.frontier(fitting.project(["sex"]), "sex", at=TOLERANCES, **options)
    for point in points:
        tolerance = point["tolerance"]
        rule = evenhand.fit(fitting.project(["sex"]), "sex", tolerance=tolerance, **options).rule
        audit = _audit(test, rule)
        yield {
            "tolerance": tolerance,
            "fitting_error": 1 - point["accuracy"],
            "test_error": 1 - (audit.accuracy or 0.0),
            "test_difference": measures.difference(audit, "statistical-parity"),
        }


def _mean_scores(rows: Rows) -> dict[str, float]:
    return {sex: float(rows.f[rows.sex == sex].mean()) for sex in ("Female", "Male")}


def _histogram(rows: Rows) -> dict[str, list[int]]:
    edges = np.linspace(-1, 1, BINS + 1)
    return {
        sex: np.histogram(rows.f[rows.sex == sex], edges)[0].tolist() for sex in ("Female", "Male")
    }
