// The page, from top to bottom.
"use strict";

(() => {
  const {data, criterion, fairness, costs} = figures;
  const main = document.getElementById("main");
  const ruled = costs.after != null;
  const now = ruled ? costs.after : costs.now;
  const held = ruled ? fairness.after : fairness.now;
  const soft = figures.selection.every((table) => table.expected); // groups known by probabilities only
  const kind = data.decisions ? "decisions" : ruled ? "a rule" : "decisions by the score alone";

  document.getElementById("top").append(
    element("p", {class: "brand"}, "evenhand report on " + kind),
    element("h1", {}, nameElement(figures.title, 160)),
    element("p", {class: "facts"}, `${format.count(data.people)} people · `,
      criterion.asked || soft ? visible(criterion.words) : "",
      soft ? "" : criterion.asked ? " · groups of " : "groups of ",
      soft ? "" : nameElement(criterion.sensitive.join(", ")),
      criterion.within.length ? " within " : "",
      criterion.within.length ? nameElement(criterion.within.join(", ")) : ""));

  function fromTo(before, after, kind) {
    const out = element("span");
    if (ruled) out.append(element("span", {class: "was"}, shown(before, kind)), " → ");
    out.append(shown(after, kind));
    return out;
  }

  function tile(name, ...value) {
    return element("div", {class: "tile"}, element("dt", {}, name), element("dd", {}, ...value));
  }

  function answerSection() {
    const sentences = element("div", {class: "sentences"},
      ...figures.answer.map((text) => element("p", {}, sentence(text))));
    const ratio = criterion.ratio != null;
    const tiles = element("dl", {class: "tiles"},
      tile("Selected", fromTo(costs.before?.selection_rate, now.selection_rate, "share")),
      ratio
        ? tile("Smallest ratio", fromTo(fairness.before?.smallest_ratio, held.smallest_ratio, "ratio"))
        : tile("Largest difference",
          ruled && fairness.before.largest_difference != null
            ? element("span", {class: "was"}, points(fairness.before.largest_difference)) : "",
          ruled ? " → " : "",
          held.largest_difference == null ? "–" : points(held.largest_difference)),
      now.accuracy == null ? null
        : tile(costs.expected ? "Accuracy, expected" : "Accuracy",
          fromTo(costs.before?.accuracy, now.accuracy, "share")),
      ruled ? tile("Decided differently", format.count(costs.changed.people) + " people") : null);
    return section("answer", "The answer", null, sentences, tiles);
  }

  function legend() {
    if (!ruled) return null;
    return element("p", {class: "legend"},
      element("span", {class: "key hollow", "aria-hidden": "true"}), "by the score alone ",
      element("span", {class: "key full", "aria-hidden": "true"}), "by the rule, with its interval");
  }

  function selectionSection() {
    const out = section("selection", "Who is selected",
      soft
        ? "Before, by the score alone, and after, by the rule: those who belong to a group, and the others."
        : ruled ? "Before, by the score alone, and after, by the rule. In brackets: where the rate lies "
        + "in the population, for each rate on its own."
        : "In brackets: where the rate lies in the population, for each rate on its own.");
    figures.selection.forEach((table, i) => {
      if (table.expected) {
        out.append(element("p", {class: "note"}, visible(table.expected)));
      } else if (table.rows.length <= mostInChart) {
        out.append(ratesChart(table, `Selection rates of ${table.rows.length} groups, as in the table below`));
        out.append(legend() ?? "");
      } else {
        out.append(element("p", {class: "note"}, `${format.count(table.rows.length)} groups are too `
          + "many for a chart; sort the table by any heading."));
      }
      out.append(tableElement(table, `selection-${i + 1}`));
    });
    return out;
  }

  function fairnessSection() {
    const verdict = fairness.holds == null ? null
      : element("p", {class: "verdict"}, element("strong", {}, fairness.holds
        ? "On these people the criterion holds. " : "On these people the criterion does not hold. "),
      "It asks for " + visible(criterion.words) + ".");
    const words = element("ul", {}, element("li", {}, "On these people: " + sentence(held.headline) + "."));
    if (ruled) words.append(element("li", {}, "By the score alone: " + sentence(fairness.before.headline) + "."));
    for (const line of fairness.bound_words.slice(0, 20)) {
      const inner = line.startsWith("  "); // a stratum, below the widest pair
      words.append(element("li", {class: inner ? "inner" : null}, sentence(line.trim())));
    }
    if (fairness.bound_words.length > 20) {
      words.append(element("li", {}, `And ${fairness.bound_words.length - 20} more, in the figures.`));
    }
    return section("fairness", criterion.asked ? "How far the criterion holds" : "How far apart the groups are",
      "On these people, and on new people drawn from the same population.", verdict, words,
      fairness.requirements ? tableElement(fairness.requirements, "requirements") : null,
      fairness.strata ? tableElement(fairness.strata, "strata") : null);
  }

  function costsSection() {
    const lead = costs.expected
      ? "There are no outcomes in these data: accuracy and cost are to expect, if the scores are calibrated."
      : "Accuracy and cost by the outcomes in these data.";
    const rows = [["selection_rate", "Selected", "share"], ["accuracy", "Accuracy", "share"],
      ["cost", "Mean cost of a decision", "number"], ["lottery_share", "Decided by coin", "share"]];
    const columns = [{name: "figure", title: "Figure", kind: "text"},
      ...(ruled ? [{name: "before", title: "Before", kind: "share"}, {name: "after", title: "After", kind: "share"}]
        : [{name: "now", title: "Value", kind: "share"}])];
    const table = {title: "Everybody", columns: columns.map((c) => ({...c})), rows: rows.map(([name, title]) => ({
      figure: title, now: now[name], before: costs.before?.[name], after: now[name]}))};
    // The mean cost is no share: it has a table cell of its own kind.
    const shownTable = tableElement(table, "costs");
    const cost = shownTable.querySelectorAll("tbody tr")[2];
    [...cost.querySelectorAll("td.figure")].forEach((cell, i) => {
      const value = ruled ? [costs.before.cost, now.cost][i] : now.cost;
      cell.textContent = shown(value, "number");
    });
    const changed = ruled ? element("p", {},
      `${format.count(costs.changed.people)} people are decided differently than by the score alone: `
      + `${format.count(costs.changed.to_yes)} are selected instead of turned down, `
      + `${format.count(costs.changed.to_no)} turned down instead of selected.`) : null;
    return section("costs", "What it costs", lead, shownTable, changed,
      costs.changes ? tableElement(costs.changes, "changes") : null);
  }

  function frontierSection() {
    const frontier = figures.frontier;
    if (!frontier) return null;
    if (frontier.none) {
      return section("frontier", "What other tolerances would give", null,
        element("p", {class: "note"}, "Not available: " + visible(frontier.none) + "."));
    }
    const lead = `What if it were stricter, or less so? Each of ${frontier.points.length} stops is the `
      + "best rule for these people at that " + frontier.parameter
      + (frontier.all_breakpoints ? "; all tolerances where the frontier bends are among them." : ".");
    const note = data.labelled ? element("p", {class: "note"}, "Rules are fitted by what the scores promise; "
      + "accuracy is counted by outcomes, so it need not rise with every step.") : null;
    return section("frontier", `What another ${frontier.parameter} would give`, lead,
      explorerElement(frontier), note);
  }

  function calibrationSection() {
    const table = figures.calibration;
    if (!table) return null;
    return section("calibration", "Can the scores be trusted?",
      "What the scores said, and what happened: on the dashed line they agree. Larger circles are more people.",
      calibrationChart(table.charts, `What scores said against what happened, for ${table.charts.length} groups`),
      tableElement(table, "calibration"));
  }

  function thresholdsSection() {
    const table = figures.thresholds;
    if (!table) return null;
    if (table.words) return section("thresholds", table.title, null, tableElement(table, "thresholds", 0));
    const low = data.favorable === "low";
    const drawn = table.rows.length <= mostInChart && table.rows.some((row) => row.yes != null);
    return section("thresholds", "Thresholds by group",
      "Thick: selected. Dashed: a coin decides. Thin: turned down.",
      drawn ? thresholdsChart(table, `Thresholds of ${table.rows.length} groups, as in the table below`, low) : null,
      tableElement(table, "thresholds"));
  }

  function regulatorsSection() {
    if (!figures.ll144) return null; // of groups that are not known
    const out = section("regulators", "Tables that regulators ask for",
      "Headings follow the rules they are named after. The tables state figures and draw no legal conclusion.");
    const add = (title, tables, file) => {
      out.append(element("h3", {}, title));
      tables.forEach((table, i) => out.append(tableElement(table, tables.length > 1 ? `${file}-${i + 1}` : file, 4)));
    };
    add("New York City Local Law 144: bias audit", figures.ll144, "ll144");
    add("EEOC Uniform Guidelines on Employee Selection Procedures", figures.eeoc, "eeoc");
    add("EU AI Act, Annex IV, point 2(g)", [figures.annex_iv], "annex-iv");
    return out;
  }

  function methodSection() {
    return section("method", "Method and assumptions", null, element("dl", {class: "method"},
      ...figures.method.flatMap((one) => [element("dt", {}, one.title),
        element("dd", {}, visible(one.text), " ", element("span", {class: "page"}, "See " + one.page + "."))])));
  }

  const sections = [answerSection(), selectionSection(), fairnessSection(), costsSection(), frontierSection(),
    figures.rules ? section("rules", "Rules side by side", "All on the same people.",
      tableElement(figures.rules, "rules", 0)) : null,
    calibrationSection(), thresholdsSection(),
    section("not-compared", "What is not compared, and why", null, tableElement({...figures.not_compared, empty: "Every group is compared."}, "not-compared", 0)),
    regulatorsSection(), methodSection(),
    section("provenance", "Provenance", null, tableElement(figures.provenance, "provenance", 0)),
  ].filter((one) => one != null);
  main.append(...sections);
  document.getElementById("contents").append(element("ol", {}, ...sections.map((one) =>
    element("li", {}, element("a", {href: "#" + one.id}, one.querySelector("h2").textContent)))));
})();
