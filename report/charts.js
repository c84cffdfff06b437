// Charts, by Observable Plot. Each says in words what it shows; a table beside it has the numbers.
"use strict";

const mostInChart = 40; // groups; beyond, the table is easier to read
const narrow = 480;

// Drawn for its width, and again when that changes. Plot's own style element would need leave of
// the page's policy: its rules are in page.css.
function chartElement(label, draw) {
  const out = element("figure", {class: "chart", role: "img", "aria-label": label});
  const redraw = () => {
    const width = Math.round(out.clientWidth);
    if (!width) return;
    const drawn = draw(width);
    for (const style of drawn.querySelectorAll("style")) style.remove();
    drawn.setAttribute("aria-hidden", "true");
    out.replaceChildren(drawn);
  };
  let last = 0;
  new ResizeObserver(() => {
    const width = Math.round(out.clientWidth);
    if (width === last) return;
    last = width;
    redraw();
  }).observe(out);
  out.redraw = redraw;
  return out;
}

const percentAxis = (x) => Math.round(1000 * x) / 10 + " %";

// Room on the left for the longest name, within reason.
function marginFor(names, width) {
  const longest = Math.max(4, ...names.map((name) => Array.from(name).length));
  return Math.min(Math.round(width * 0.4), 16 + Math.round(longest * 6.6));
}

// A band for each row, under its name.
function banded(rows, names, width) {
  return {
    width,
    height: 50 + 26 * rows.length,
    marginLeft: marginFor(names, width),
    marginTop: 8,
    marginBottom: 44,
    y: {label: null, domain: rows.map((row) => row.at), tickFormat: (i) => names[i], type: "band"},
  };
}

function nameOf(row) {
  return row.stratum ? `${row.group}, ${row.stratum}` : row.group;
}

// The values in a group's name, `sex=F, "age group"="over 60"`; of any other text, the text itself.
function valuesIn(name) {
  const quoted = '"(?:[^"\\\\]|\\\\.)*"';
  const part = new RegExp(`(?:${quoted}|[^=,"]*)=(${quoted}|[^,"]*)(?:, |$)`, "y");
  const out = [];
  while (part.lastIndex < name.length) {
    const found = part.exec(name);
    if (!found) return [name];
    const value = found[1];
    out.push(value.length > 2 && value.startsWith('"') ? value.slice(1, -1).replace(/\\(["\\])/g, "$1") : value);
  }
  return out;
}

// Beside a chart the values alone, "Female, White": the table has the whole names. Long ones are
// shortened one by one, so that groups stay apart.
function labelled(names, width) {
  const most = width < narrow ? 16 : 42;
  return names.map((name) => {
    const values = valuesIn(name);
    for (let limit = most; limit > 4; --limit) {
      const label = values.map((value) => shortened(value, limit)).join(", ");
      if (Array.from(label).length <= most) return label;
    }
    return shortened(values.join(", "), most);
  });
}

// Rates of groups: hollow circles before, full ones after, with their intervals.
function ratesChart(table, label) {
  const ruled = table.columns.some((column) => column.name === "selection_rate_after");
  const suffix = ruled ? "_after" : "";
  return chartElement(label, (width) => {
    const names = labelled(table.rows.map(nameOf), width);
    const rows = table.rows.map((row, i) => ({
      at: i,
      before: ruled ? row.selection_rate_before : null,
      after: row["selection_rate" + suffix],
      low: row[`selection_rate${suffix}_low`],
      high: row[`selection_rate${suffix}_high`],
    }));
    return Plot.plot({
      ...banded(rows, names, width),
      x: {label: "selected", labelOffset: 38, tickFormat: percentAxis, grid: true, nice: true, zero: true,
        ticks: width < narrow ? 4 : 8},
      marks: [
        Plot.ruleX([0], {stroke: "var(--line)"}),
        Plot.ruleY(rows.filter((row) => ruled && row.before != null && row.after != null),
          {y: "at", x1: "before", x2: "after", stroke: "var(--faint)", strokeDasharray: "2,3"}),
        Plot.ruleY(rows.filter((row) => row.low != null),
          {y: "at", x1: "low", x2: "high", stroke: "var(--after)", strokeWidth: 2, strokeOpacity: 0.55}),
        Plot.dot(rows.filter((row) => row.before != null),
          {y: "at", x: "before", r: 5, stroke: "var(--before)", strokeWidth: 2, fill: "var(--page)"}),
        Plot.dot(rows.filter((row) => row.after != null),
          {y: "at", x: "after", r: 5, fill: "var(--after)"}),
      ],
    });
  });
}

// What was said against what happened; larger circles are more people.
function calibrationChart(charts, label) {
  return chartElement(label, (width) => {
    const columns = width < narrow ? 1 : Math.max(1, Math.min(charts.length, Math.floor(width / 230)));
    const lines = Math.ceil(charts.length / columns);
    const points = charts.flatMap((chart, i) =>
      chart.bins.map((bin) => ({...bin, fx: i % columns, fy: Math.floor(i / columns)})));
    const size = Math.min(230, Math.floor((width - 60) / columns));
    const letters = Math.floor(size / 8.5);
    const titles = charts.map((chart, i) => ({
      text: labelled([shortened(chart.cell, 200)], width)[0].slice(0, letters), fx: i % columns, fy: Math.floor(i / columns)}));
    return Plot.plot({
      width: Math.min(width, 70 + size * columns),
      height: 60 + lines * (size + 12),
      marginLeft: 48,
      fx: {axis: null, padding: 0.12},
      marginTop: 34,
      fy: {axis: null, padding: 0.25},
      marginBottom: 40,
      x: {domain: [0, 1], label: "said, %", labelOffset: 36, tickFormat: (x) => 100 * x, ticks: [0, 0.5, 1]},
      y: {domain: [0, 1], label: "happened, %", tickFormat: (x) => 100 * x, ticks: [0, 0.5, 1], grid: true},
      r: {range: [2.5, 11]},
      marks: [
        Plot.line([[0, 0], [1, 1]], {stroke: "var(--faint)", strokeDasharray: "4,3"}),
        Plot.frame({stroke: "var(--line)"}),
        Plot.dot(points, {x: "said", y: "happened", r: "people", fx: "fx", fy: "fy",
          fill: "var(--after)", fillOpacity: 0.45, stroke: "var(--after)"}),
        Plot.text(titles, {text: "text", fx: "fx", fy: "fy", frameAnchor: "top-left", dy: -14,
          fontWeight: 600}),
      ],
    });
  });
}

// One line for each group: turned down, by coin, selected.
function thresholdsChart(table, label, low) {
  return chartElement(label, (width) => {
    const names = labelled(table.rows.map((row) => row.cell), width);
    const known = table.rows.flatMap((row) => [row.yes, row.coin]).filter((x) => x != null);
    const probability = figures.data.scale === "probability";
    const least = probability ? 0 : Math.min(...known);
    const most = probability ? 1 : Math.max(...known);
    const pad = probability ? 0 : (most - least || 1) * 0.15;
    const ends = [least - pad, most + pad];
    const rows = table.rows.map((row, at) => {
      const worst = low ? ends[1] : ends[0];
      const best = low ? ends[0] : ends[1];
      const certain = row.yes ?? best;
      return {at, worst, best, certain, coin: row.coin ?? certain, drawn: row.yes != null};
    });
    return Plot.plot({
      ...banded(rows, names, width),
      x: {label: "score", labelOffset: 38, domain: ends, grid: true, ticks: width < narrow ? 4 : 8},
      marks: [
        Plot.ruleY(rows, {y: "at", x1: "worst", x2: "coin", stroke: "var(--line)", strokeWidth: 3}),
        Plot.ruleY(rows, {y: "at", x1: "coin", x2: "certain", stroke: "var(--before)", strokeWidth: 7,
          strokeDasharray: "3,2"}),
        Plot.ruleY(rows, {y: "at", x1: "certain", x2: "best", stroke: "var(--after)", strokeWidth: 7}),
        Plot.tickX(rows.filter((row) => row.drawn), {y: "at", x: "certain", stroke: "var(--ink)",
          strokeWidth: 2, inset: 4}),
      ],
    });
  });
}
