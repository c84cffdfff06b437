"""`evenhand fit --soft`: parity for groups that are known in probability only."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from conftest import Sql, Tool
from recompute import applied, columns
from soft_groups import SOFT, gap, rule_of

HOSTILE = ['p "of"; DROP TABLE x; --', "a,b\nc", "Größe 'ß' 🙂", "\x1b[31mred"]


# --- What it promises.


@pytest.mark.parametrize("names", ["pf", "pf,pa", "pa,pb,pc"])
@pytest.mark.parametrize("within", ["", "race"])
@pytest.mark.parametrize("more", [(), ("--gamma", "0.05"), ("--weight", "w", "--cost-fp", "2")])
def test_those_who_belong_are_selected_as_often_as_the_others(
    tool: Tool, soft: Path, sql: Sql, names: str, within: str, more: tuple[str, ...]
) -> None:
    """In expectation, for every column and stratum, where the rule is applied."""
    asked = ["--score", "score", "--soft", names, *more, *(["--within", within] if within else [])]
    found = tool("fit", soft, *asked, "-o", "rule.json", "--json").ok().json()
    assert found["status"] == "optimal"
    applied(tool, soft)
    weight = "w" if "--weight" in more else "1"
    for name in names.split(","):
        assert gap(sql, name, within or "true", weight) < 1e-9
    assert sql("SELECT min(probability), max(probability) FROM 'out.parquet'")[0] == (0, 1)


def test_it_says_that_nothing_is_known_of_new_people(tool: Tool, soft: Path) -> None:
    """In print, as JSON, in the rule's record and where it is shown."""
    asked = ("fit", soft, "--score", "score", "--soft", "pf", "-o", "rule.json")
    reason = "nobody's group is known, so no group's rate is observed"
    assert f"No bound for new people: {reason}." in tool(*asked).ok().out
    record = json.loads(tool.path("rule.json").read_text())["fit"]
    assert record["bound"] == {"confidence": 0.95, "none": reason}
    assert tool(*asked, "--json").ok().json()["bound"] == record["bound"]
    assert reason in tool("show", "rule.json").ok().out


@pytest.mark.parametrize("gamma", [0, 0.1])
@pytest.mark.parametrize("names", ["pf", "pa,pb"])
def test_no_rule_that_is_as_fair_does_better(
    tool: Tool, soft: Path, names: str, gamma: float
) -> None:
    """Duality, worked anew: the rows' objective equals the bound from the multipliers alone."""
    tool("fit", soft, "--score", "score", "--soft", names, "--gamma", gamma, "-o",
         "rule.json").ok()
    applied(tool, soft)
    every = columns(f"SELECT * FROM '{tool.path('out.parquet')}'", "score", "probability",
                    *names.split(","))
    score, q, g = every[0], every[1], np.array(every[2:])
    h = 2 * score - 1
    (stratum,) = rule_of(tool)["strata"]
    assert stratum["means"] == pytest.approx(g.mean(axis=1).tolist(), abs=1e-12)
    primal = (h * q - gamma / 2 * q * q).sum()
    z = h - np.array(stratum["multipliers"]) @ (g - g.mean(axis=1, keepdims=True))
    best = np.clip(z / gamma, 0, 1) if gamma else (z > 0).astype(float)
    dual = (z * best - gamma / 2 * best * best).sum()
    assert primal == pytest.approx(dual, rel=1e-9)
    fit = json.loads(tool.path("rule.json").read_text())["fit"]
    assert fit["primal"] == pytest.approx(primal, rel=1e-9)
    assert fit["dual"] == pytest.approx(dual, rel=1e-9)


def test_the_optimum_is_the_least_of_the_dual_by_brute_force(tool: Tool) -> None:
    """On few rows, every breakpoint of the dual is looked at."""
    random = np.random.default_rng(5)
    for _ in range(6):
        p, g = random.random(40).round(2), random.random(40).round(1)
        tool.write("d.csv", "p,g\n" + "".join(f"{a},{b}\n" for a, b in zip(p, g)))
        found = tool("fit", "d.csv", "--score", "p", "--soft", "g", "--json").ok().json()
        h, w = 2 * p - 1, g - g.mean()
        at = np.concatenate([[0], (h[w != 0] / w[w != 0])])
        dual = np.maximum(0, h[None, :] - at[:, None] * w[None, :]).sum(axis=1)
        assert found["primal"] == pytest.approx(dual.min(), abs=1e-9)
        for _ in range(200):  # rules that are fair by construction
            q = random.random(40) * random.random()
            q = q - w * (w @ q) / (w @ w)
            if 0 <= q.min() and q.max() <= 1:
                assert h @ q <= found["primal"] + 1e-9


@pytest.mark.parametrize(("g", "q"), [("0.5", 0.7), ("0.3333333333333333", 0.5)])
def test_the_papers_second_example(tool: Tool, sql: Sql, g: str, q: float) -> None:
    """Erratum 6: (0, 7/10, 1), and the printed (0, 1/2, 1) for the other number."""
    tool.write("e.csv", f"x,p,g\na,0,{g}\na,0,{g}\na,0,{g}\nb,0.5,1\nb,0.5,1\nc,1,0\n")
    tool("fit", "e.csv", "--score", "p", "--soft", "g", "-o", "rule.json").ok()
    applied(tool, "e.csv")
    found = dict(sql("SELECT DISTINCT x, round(probability, 9) FROM 'out.parquet'"))
    assert found == {"a": 0, "b": pytest.approx(q, abs=1e-6), "c": 1}


@pytest.mark.parametrize("within", [(), ("--within", "race")])
@pytest.mark.parametrize("gamma", ["0", "0.05"])
def test_columns_of_0_and_1_are_known_groups(
    tool: Tool, soft: Path, within: tuple[str, ...], gamma: str
) -> None:
    """The same objective as --sensitive."""
    known = tool("fit", soft, "--score", "score", "--sensitive", "sex", "--criterion",
                 "statistical-parity", "--gamma", gamma, *within, "--json").ok().json()
    found = tool("fit", soft, "--score", "score", "--soft", "f01", "--gamma", gamma, *within,
                 "--json").ok().json()
    assert found["primal"] == pytest.approx(known["primal"], rel=1e-9)
    assert found["base"] == pytest.approx(known["base"], rel=1e-9)


def test_true_and_false_are_1_and_0(tool: Tool, soft: Path) -> None:
    """A column of truth values is a column of probabilities."""
    query = f"SELECT *, sex = 'F' AS truth FROM '{soft}'"
    one = tool("fit", "--sql", query, "--score", "score", "--soft", "truth", "--json").ok().json()
    other = tool("fit", soft, "--score", "score", "--soft", "f01", "--json").ok().json()
    assert one["primal"] == other["primal"]


def test_the_order_of_rows_and_threads_do_not_show(tool: Tool, soft: Path) -> None:
    """The same rule, and the same bytes: a file that can be compared with an older one."""
    rules, files = [], set()
    for order, threads in (("id", 1), ("hash(id)", 2), ("score, id DESC", 2)):
        tool("fit", "--sql", f"SELECT * FROM '{soft}' ORDER BY {order}", *SOFT, "--within", "race",
             "--threads", threads, "--no-source", "-o", "rule.json").ok()
        rules.append(rule_of(tool))
        files.add(tool.path("rule.json").read_bytes())
    assert rules[0] == rules[1] == rules[2]
    assert len(files) == 1


@pytest.mark.parametrize("scale", [("f", "signed", "high"), ("logit", "logit", "high"),
                                   ("risk", "probability", "low")])
def test_other_scales_of_the_same_scores_find_the_same(
    tool: Tool, soft: Path, sql: Sql, scale: tuple[str, str, str]
) -> None:
    """The same objective, and parity on them."""
    score, name, favorable = scale
    wanted = tool("fit", soft, *SOFT, "--json").ok().json()
    found = tool("fit", soft, "--score", score, "--scale", name, "--favorable", favorable,
                 "--soft", "pf", "-o", "rule.json", "--json").ok().json()
    assert found["primal"] == pytest.approx(wanted["primal"], rel=1e-9)
    assert (found["scale"], found["favorable"]) == (name, favorable)
    applied(tool, soft)
    assert gap(sql, "pf") < 1e-9


def test_the_figures_before_and_after_are_those_of_the_rows(tool: Tool, soft: Path) -> None:
    """Accuracy and cost against labels, by weight; without labels as the scores promise."""
    for label in (None, "y"):
        found = tool("fit", soft, *SOFT, "--weight", "w", "--cost-fp", 2, "--cost-fn", 3,
                     *(["--label", label] if label else []), "-o", "rule.json",
                     "--json").ok().json()
        applied(tool, soft)
        p, y, w, q, g = columns(f"SELECT * FROM '{tool.path('out.parquet')}'", "score", "y", "w",
                                "probability", "pf")
        assert found["labelled"] == (label is not None)
        assert (found["rows"], found["weight"]) == (5000, w.sum())
        truth = y if label else p
        base = (3 * p - 2 * (1 - p) > 0).astype(float)
        for when, d in (("before", base), ("after", q)):
            told = found[when]
            mean = lambda x: (w * x).sum() / w.sum()  # noqa: E731
            assert told["selection_rate"] == pytest.approx(mean(d), abs=1e-9)
            assert told["accuracy"] == pytest.approx(mean(d * truth + (1 - d) * (1 - truth)),
                                                     abs=1e-9)
            assert told["cost"] == pytest.approx(
                mean(2 * d * (1 - truth) + 3 * (1 - d) * truth), abs=1e-9)
            rates = [(w * m * d).sum() / (w * m).sum() for m in (g, 1 - g)]
            assert told["largest_difference"] == pytest.approx(abs(rates[0] - rates[1]), abs=1e-9)


def test_json_says_the_rates_of_every_column(tool: Tool, soft: Path) -> None:
    """Mean, rate and rate of the others, recomputed."""
    found = tool("fit", soft, "--score", "score", "--soft", "pf,pa", "--within", "race", "-o",
                 "rule.json", "--json").ok().json()
    applied(tool, soft)
    race, q, pf, pa = columns(f"SELECT * FROM '{tool.path('out.parquet')}'", "race", "probability",
                              "pf", "pa")
    assert len(found["strata"]) == 3
    for stratum in found["strata"]:
        inside = np.array([value in stratum["stratum"] for value in race])
        assert stratum["weight"] == inside.sum()
        for told, g in zip(stratum["columns"], (pf[inside], pa[inside])):
            assert told["compared"] is True
            assert told["mean"] == pytest.approx(g.mean(), abs=1e-12)
            assert told["rate"] == pytest.approx((g * q[inside]).sum() / g.sum(), abs=1e-9)
            assert told["others"] == pytest.approx(told["rate"], abs=1e-9)
    assert found["columns"] == {"score": "score", "soft": ["pf", "pa"], "within": ["race"],
                                "null": "error"}


def test_gamma_auto_is_the_schedule(tool: Tool, soft: Path) -> None:
    """And the JSON says which width it was."""
    gamma = tool("theory", "gamma", "--rows", 5000).ok().out.strip()
    for name, value in (("a.json", "auto"), ("b.json", gamma)):
        tool("fit", soft, *SOFT, "--gamma", value, "--no-source", "-o", name).ok()
    assert tool.path("a.json").read_bytes() == tool.path("b.json").read_bytes()
    assert rule_of(tool, "a.json")["gamma"] == float(gamma)


def test_the_record_of_a_fit_says_what_was_asked(tool: Tool, soft: Path) -> None:
    """Gamma and costs, as for every other fit; --json has no other place for them."""
    found = tool("fit", soft, *SOFT, "--gamma", 0.05, "--cost-fp", 2, "--json").ok().json()
    assert (found["gamma"], found["cost_fp"], found["cost_fn"]) == (0.05, 2, 1)


# --- Columns that are all the groups there are.


def test_exhaustive_columns_need_the_last_no_more(tool: Tool, soft: Path, sql: Sql) -> None:
    """The same optimum, fair for the last too, and applied without it."""
    every = ("--score", "score", "--soft", "pa,pb,pc")
    plain = tool("fit", soft, *every, "--json").ok().json()
    found = tool("fit", soft, *every, "--exhaustive", "-o", "rule.json", "--json").ok().json()
    assert found["primal"] == pytest.approx(plain["primal"], rel=1e-9)
    assert rule_of(tool)["soft"] == ["pa", "pb"]
    tool("apply", "--sql", f"SELECT * EXCLUDE pc, pc AS gone FROM '{soft}'", "--rule", "rule.json",
         *tool.coins(), "-q", "-o", "out.parquet").ok()
    for name in ("pa", "pb", "gone"):
        assert gap(sql, name) < 1e-9


def test_exhaustive_columns_add_up_to_1(tool: Tool, soft: Path) -> None:
    """The first row where they do not is named, counted from 1 as everywhere, with its file."""
    tool.write("d.csv", "p,a,b\n0.1,0.5,0.5\n0.9,0.2,0.8\n0.4,0.3,0.3\n0.6,1,1\n")
    tool("fit", "d.csv", "--score", "p", "--soft", "a,b", "--exhaustive", "-o", "rule.json").fails(
        2, "d.csv", "row 3", "0.6")
    assert tool.files() == {"d.csv"}


def test_rows_left_out_count_when_a_row_is_named(tool: Tool) -> None:
    """The row's number is that in the file."""
    tool.write("d.csv", "p,a,b\n,0.5,0.5\n0.9,0.2,0.8\n0.4,0.3,0.3\n0.6,0,1\n")
    tool("fit", "d.csv", "--score", "p", "--soft", "a,b", "--exhaustive", "--null",
         "exclude").fails(2, "row 3")


# --- In words, and elsewhere.


def test_show_says_what_the_rule_needs(tool: Tool, soft: Path) -> None:
    """The columns and the strata."""
    tool("fit", soft, "--score", "score", "--soft", "pf,pa", "--within", "race", "-o",
         "rule.json").ok()
    shown = tool("show", "rule.json").ok().out
    for part in ("pf, pa", "no group", "race=Asian", "race=White", "Status: optimal", "5,000 rows"):
        assert part in shown, part


def test_show_says_what_the_rule_was_found_for(tool: Tool, soft: Path) -> None:
    """Between whom, and within what, as it does for rules with groups."""
    tool("fit", soft, *SOFT, "--within", "race", "-o", "rule.json").ok()
    shown = tool("show", "rule.json").ok().out
    line = next(line for line in shown.splitlines() if line.startswith("Criterion: "))
    for part in ("statistical-parity", "pf", "within race"):
        assert part in line, part


def test_calibration_cannot_be_measured_of_the_rule(tool: Tool, soft: Path) -> None:
    """It has no calibrator, and no cells."""
    tool("fit", soft, *SOFT, "-o", "rule.json").ok()
    tool("calibrate", soft, "--rule", "rule.json", "--sensitive", "sex", "--label", "y").fails(
        2, "rule.json", "soft")


def test_the_rule_can_go_to_standard_output(tool: Tool, soft: Path) -> None:
    """The same bytes as in a file, and nothing else."""
    out = tool("fit", soft, *SOFT, "-o", "-").ok().out
    text = tool("fit", soft, *SOFT, "-o", "rule.json").ok().out
    assert out == tool.path("rule.json").read_text()
    assert "rule.json" in text
    assert "add -o" in tool("fit", soft, *SOFT).ok().out
    tool("fit", soft, *SOFT, "-o", "-", "--json").fails(2, "--json", "-o -")


def test_the_report_has_a_line_for_every_stratum_and_column(tool: Tool, soft: Path) -> None:
    """With the rates after, which agree."""
    text = tool("fit", soft, "--score", "score", "--soft", "pf,pa", "--within", "race").ok().out
    lines = re.findall(r"^ +(Asian|Black|White) +(pf|pa) +(.*)$", text, re.MULTILINE)
    assert len(lines) == 6
    for _, _, rest in lines:
        belong, _, after, _, others = re.findall(r"[\d.]+(?= %)", rest)
        assert after == others
        assert 0 < float(belong) < 100


def quoted(name: str) -> str:
    """Write a column's name for --soft."""
    return '"' + name.replace('"', '""') + '"'


def test_columns_may_be_called_anything(tool: Tool, soft: Path, sql: Sql) -> None:
    """Through fit, apply and show, with no control character on the terminal."""
    names = ", ".join(f"{column} AS {quoted(name)}"
                      for column, name in zip(("pf", "pa", "score", "race"), HOSTILE))
    sql(f"COPY (SELECT id, {names} FROM '{soft}') TO '{tool.path('d.parquet')}'")
    asked = ("d.parquet", "--score", HOSTILE[2], "--within", quoted(HOSTILE[3]), "--soft",
             ",".join(quoted(name) for name in HOSTILE[:2]))
    text = tool("fit", *asked, "-o", "rule.json").ok().out
    shown = tool("show", "rule.json").ok().out
    for said in (text, shown):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", said)
        assert "DROP TABLE" in said
    assert rule_of(tool)["soft"] == HOSTILE[:2]
    applied(tool, "d.parquet")
    plain = tool("fit", soft, "--score", "score", "--soft", "pf,pa", "--within", "race",
                 "--json").ok().json()
    found = tool("fit", *asked, "--json").ok().json()
    assert found["primal"] == plain["primal"]
    for name in HOSTILE[:2]:
        assert gap(sql, quoted(name), quoted(HOSTILE[3])) < 1e-9
    ran = tool("apply", soft, "--rule", "rule.json", "--score", "score").fails(2, "no column")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", ran.err.rstrip("\n"))


def test_values_of_strata_may_be_anything(tool: Tool, soft: Path, sql: Sql) -> None:
    """Also those that are not seen before."""
    query = f"""SELECT * REPLACE (race || chr(27) || '[2J' || chr(10) || '''"; x' AS race)
                FROM '{soft}'"""
    tool("fit", "--sql", query, *SOFT, "--within", "race", "-o", "rule.json").ok()
    applied(tool, "--sql", query)
    assert gap(sql, "pf", "race") < 1e-9
    tool("fit", soft, *SOFT, "--within", "race", "-o", "rule.json").ok()
    ran = tool("apply", "--sql", query, "--rule", "rule.json").fails(2, "Asian")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", ran.err.rstrip("\n"))


# --- What is refused.


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--soft", "pf", "--sensitive", "sex"], ["--soft", "--sensitive"]),
        (["--soft", "pf", "--criterion", "equal-rates"], ["--soft", "statistical-parity"]),
        (["--soft", "pf", "--ratio", "0.8"], ["--soft", "--ratio"]),
        (["--soft", "pf", "--rho", "0.3"], ["--soft", "--rho"]),
        (["--soft", "pf", "--require", "rate <= 0.3"], ["--soft", "--require"]),
        (["--soft", "pf", "--across", "marginal"], ["--soft", "--across"]),
        (["--soft", "pf", "--resolution", "8"], ["--soft", "--resolution"]),
        (["--soft", "pf", "--base-threshold", "0.4"], ["--soft", "--base-threshold"]),
        (["--soft", "pf", "--label", "y", "--calibrate", "platt"], ["--soft", "--calibrate"]),
        (["--soft", "pf", "--solver", "sgd"], ["--soft", "sgd"]),
        (["--soft", "pf", "--epochs", "2"], ["--epochs", "sgd"]),
        (["--soft", "pf", "--tally", "t.parquet"], ["--soft", "--tally"]),
        (["--soft", "pf", "--scale", "raw"], ["raw"]),
        (["--soft", "pf", "--scale", "odds"], ["odds"]),
        (["--soft", "pf", "--gamma", "-1"], ["gamma", "-1"]),
        (["--soft", "pf", "--gamma", "nan"], ["gamma"]),
        (["--soft", "pf", "--gamma", "wide"], ["--gamma", "wide"]),
        (["--soft", "pf", "--cost-fp", "-1"], ["-1"]),
        (["--soft", "pf", "--cost-fp", "0", "--cost-fn", "0"], ["cost"]),
        (["--exhaustive"], ["--exhaustive", "--soft"]),
        (["--exhaustive", "--sensitive", "sex", "--criterion", "statistical-parity"],
         ["--exhaustive", "--soft"]),
        (["--soft", "pf", "--exhaustive"], ["two"]),
        (["--soft", "nope"], ["nope", "--soft"]),
        (["--soft", ","], ["--soft"]),
        (["--soft", "pf,pf"], ["pf", "twice"]),
        (["--soft", "sex"], ["M", "not a number"]),
        (["--soft", "logit"], ["row 1", "probability"]),
        (["--soft", "pf", "--within", "nope"], ["nope", "--within"]),
        (["--soft", "pf", "--within", "race,race"], ["race", "twice"]),
        (["--soft", "pf", "--within", "id"], ["nothing to compare"]),
        (["--soft", "pf", "--label", "w"], ["label"]),
        (["--soft", "pf", "--weight", "logit"], ["weight"]),
    ],
)
def test_what_soft_fits_do_not_take_is_refused(
    tool: Tool, soft: Path, arguments: list[str], parts: list[str]
) -> None:
    """One line, and no rule."""
    tool("fit", soft, "--score", "score", *arguments, "-o", "rule.json").fails(2, *parts)
    assert tool.files() == set()


def test_the_score_is_needed(tool: Tool, soft: Path) -> None:
    """And said to be missing."""
    tool("fit", soft, "--soft", "pf").fails(2, "--score")


def test_the_data_are_not_overwritten(tool: Tool, sql: Sql, soft: Path) -> None:
    """By the rule, or by a rule that is a link to them."""
    sql(f"COPY (FROM '{soft}') TO '{tool.path('d.csv')}'")
    before = tool.path("d.csv").read_bytes()
    tool.path("link.json").symlink_to("d.csv")
    for name in ("d.csv", "link.json"):
        tool("fit", "d.csv", *SOFT, "-o", name).fails(2, "input")
    assert tool.path("d.csv").read_bytes() == before
