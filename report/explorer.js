// What other tolerances would give: every stop of the slider is the exact fit on these people.
"use strict";

// "selected from 0.4125; by coin (37 %) from 0.4115"
function ruleWords(flat, low) {
  const word = low ? "up to" : "from";
  const pairs = [];
  for (let i = 1; i + 1 < flat.length; i += 2) pairs.push([flat[i], flat[i + 1]]);
  const parts = [];
  const certain = pairs.find(([, q]) => q >= 1);
  if (certain) parts.push(`selected ${word} ${format.number(certain[0])}`);
  for (const [score, q] of pairs.reverse()) {
    if (q > 0 && q < 1) parts.push(`by coin (${format.share(q)}) ${word} ${format.number(score)}`);
  }
  if (flat[0] >= 1) return "all selected";
  if (flat[0] > 0) parts.push(`else by coin (${format.share(flat[0])})`);
  return parts.length ? parts.join("; ") : "nobody selected";
}

function explorerElement(frontier) {
  const parameter = frontier.parameter;
  const stops = frontier.points;
  const low = figures.data.favorable === "low";
  const byCost = figures.costs.cost_fp !== 1 || figures.costs.cost_fn !== 1;
  const measure = byCost ? "cost" : "accuracy";
  const value = (stop) => stop[measure];
  const chosen = frontier.chosen ?? 0;
  const state = {at: chosen};

  const slider = element("input", {type: "range", id: "explorer-slider", min: 0,
    max: stops.length - 1, step: 1, value: chosen});
  const typed = element("input", {type: "text", inputmode: "decimal", id: "explorer-value", size: 10});
  const back = element("button", {type: "button", id: "explorer-back"}, "Back to the one chosen");
  const said = element("p", {id: "explorer-said", class: "said", "aria-live": "polite"});
  const figuresHere = element("dl", {class: "tiles", id: "explorer-figures"});
  const rates = element("div", {id: "explorer-rates"});

  const chart = chartElement(
    `${measure} at each ${parameter}; the same figures are beside the slider`,
    (width) => frontierChart(width, state.at));

  function frontierChart(width, at) {
    // Looser than the loosest rule nothing changes: that part is left out unless the slider is there.
    const end = 1.1 * (stops[stops.length - 1].largest_difference ?? 1);
    const part = stops.filter((stop, i) => value(stop) != null
      && (parameter === "ratio" || stop.tolerance <= end || i <= Math.max(at, chosen)));
    const ruled = figures.costs.after;
    const here = stops[at];
    return Plot.plot({
      width,
      height: Math.min(320, Math.max(220, width * 0.4)),
      marginLeft: 56,
      marginBottom: 44,
      x: {label: parameter, labelOffset: 38, reverse: parameter === "ratio", nice: true, ticks: width < narrow ? 4 : 8},
      y: {label: byCost ? "mean cost" : "accuracy", grid: true, nice: true,
        tickFormat: byCost ? undefined : percentAxis, ticks: 6},
      marks: [
        Plot.line(part, {x: parameter, y: measure, stroke: "var(--after)", strokeWidth: 2}),
        part.length <= 60 ? Plot.dot(part, {x: parameter, y: measure, r: 2, fill: "var(--after)"}) : null,
        Plot.ruleX([here[parameter]], {stroke: "var(--ink)", strokeDasharray: "2,2"}),
        Plot.dot([here].filter((stop) => value(stop) != null), {x: parameter, y: measure, r: 6,
          stroke: "var(--ink)", strokeWidth: 2, fill: "var(--page)"}),
        ruled && ruled[measure] != null
          ? Plot.dot([[frontier.asked, ruled[measure]]], {symbol: "diamond", r: 6, fill: "var(--mark)",
            stroke: "var(--page)"})
          : null,
      ],
    });
  }

  function tile(name, text) {
    return element("div", {class: "tile"}, element("dt", {}, name), element("dd", {}, text));
  }

  function ratesTable(stop) {
    const names = Object.keys(stop.rates);
    const titles = {selection_rate: "Selected", true_positive_rate: "True positives",
      false_positive_rate: "False positives"};
    const columns = [{name: "group", title: "Group", kind: "name"},
      ...names.map((name) => ({name, title: titles[name], kind: "share"}))];
    const compared = frontier.chosen != null && state.at !== frontier.chosen;
    if (compared) columns.splice(2, 0, {name: "chosen", title: "Selected, as chosen", kind: "share"});
    const ruleOf = new Map(frontier.cells.map((cell, i) => [cell, stop.rules[i]]));
    const same = frontier.groups.every((group) => ruleOf.has(group));
    if (same) columns.push({name: "rule", title: "Rule", kind: "text"});
    const rows = frontier.groups.map((group, i) => {
      const row = {group};
      for (const name of names) row[name] = stop.rates[name][i];
      if (compared) row.chosen = stops[frontier.chosen].rates.selection_rate[i];
      if (same) row.rule = ruleWords(ruleOf.get(group), low);
      return row;
    });
    const title = `Rates at ${parameter} ${format.number(stop[parameter])}`;
    const out = element("div", {}, tableElement({title, columns, rows}, "explorer-rates"));
    if (!same) {
      out.append(tableElement({title: "Rule at this " + parameter,
        columns: [{name: "cell", title: "Group", kind: "name"}, {name: "rule", title: "Rule", kind: "text"}],
        rows: frontier.cells.map((cell, i) => ({cell, rule: ruleWords(stop.rules[i], low)}))},
      "explorer-rules"));
    }
    return out;
  }

  function move(to) {
    state.at = Math.max(0, Math.min(stops.length - 1, to));
    const stop = stops[state.at];
    const text = format.number(stop[parameter]);
    slider.value = String(state.at);
    slider.setAttribute("aria-valuetext", `${parameter} ${text}`);
    typed.value = text;
    const mark = state.at === frontier.chosen ? ", the one chosen" : "";
    const right = value(stop) == null ? "" :
      `: ${byCost ? "mean cost " + format.number(stop.cost) : "accuracy " + format.share(stop.accuracy)}`;
    said.textContent = `${parameter[0].toUpperCase()}${parameter.slice(1)} ${text}${mark}${right}.`;
    figuresHere.replaceChildren(
      tile("Selected", shown(stop.selection_rate, "share")),
      tile("Accuracy", shown(stop.accuracy, "share")),
      tile("Mean cost", shown(stop.cost, "number")),
      tile("Largest difference", stop.largest_difference == null ? "–" : points(stop.largest_difference)),
      tile("Decided differently", format.count(stop.to_yes + stop.to_no)),
      tile("Decided by coin", shown(stop.lottery_share, "share")),
    );
    rates.replaceChildren(ratesTable(stop));
    chart.redraw();
  }

  slider.addEventListener("input", () => move(Number(slider.value)));
  back.addEventListener("click", () => move(chosen));
  typed.addEventListener("change", () => {
    const asked = Number(typed.value.replace(",", "."));
    if (!Number.isFinite(asked)) return move(state.at);
    let best = 0;
    stops.forEach((stop, i) => {
      if (Math.abs(stop[parameter] - asked) < Math.abs(stops[best][parameter] - asked)) best = i;
    });
    return move(best);
  });

  const controls = element("div", {class: "controls"},
    element("label", {for: "explorer-slider"}, `Move to another ${parameter}`), slider,
    element("label", {for: "explorer-value"}, `Or type a ${parameter}`), typed,
    frontier.chosen == null ? null : back);
  const out = element("div", {class: "explorer"}, controls, said, chart, figuresHere, rates);
  move(chosen);
  return out;
}
