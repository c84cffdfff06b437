// Tables: sorted by a click on a heading, saved as CSV with every column and every row.
"use strict";

const mostRows = 60; // shown at first; a button shows the others

function csvField(value) {
  if (value == null) return "";
  if (typeof value === "number") return String(value);
  const text = String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

function csvOf(table) {
  const names = table.columns.map((column) => column.name);
  const lines = [names.map(csvField).join(",")];
  for (const row of table.rows) lines.push(names.map((name) => csvField(row[name])).join(","));
  return lines.join("\r\n") + "\r\n";
}

function save(text, file) {
  const address = URL.createObjectURL(new Blob([text], {type: "text/csv;charset=utf-8"}));
  const link = element("a", {href: address, download: file});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function compareValues(a, b) {
  if (a == null || b == null) return (a == null) - (b == null);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", {numeric: true});
}

function cellElement(row, column) {
  const value = row[column.name];
  const textual = column.kind === "text" || column.kind === "name";
  const cell = element("td", {class: textual ? "words" : "figure"});
  // Names are cut, sentences (and whatever else a reader has to have in print) only if they are endless.
  if (typeof value === "string") cell.append(nameElement(value, column.kind === "name" ? 80 : 2000));
  else cell.append(shown(value, column.kind));
  if (column.low && row[column.low] != null) {
    const range = [row[column.low], row[column.high]].map((x) => (100 * x).toFixed(1));
    cell.append(" ", element("span", {class: "range"}, `(${range[0]}–${range[1]})`));
  }
  return cell;
}

// `file` names the CSV; `heading` is the level of its title, 0 for a caption that is only read out.
function tableElement(table, file, heading = 3) {
  const columns = table.columns.filter((column) => column.kind !== "hidden");
  const head = element("tr");
  const body = element("tbody");
  const state = {rows: table.rows, all: table.rows.length <= mostRows};
  const more = element("button", {type: "button", class: "more"});

  function fill() {
    const rows = state.all ? state.rows : state.rows.slice(0, mostRows);
    body.replaceChildren(
      ...rows.map((row) => element("tr", {}, ...columns.map((column) => cellElement(row, column)))),
    );
    more.hidden = state.all;
    more.textContent = `Show all ${grouped.format(table.rows.length)} rows`;
  }

  columns.forEach((column) => {
    const button = element("button", {type: "button", class: "sort"}, column.title);
    const textual = column.kind === "text" || column.kind === "name";
    const cell = element("th", {scope: "col", class: textual ? "words" : "figure"}, button);
    button.addEventListener("click", () => {
      const descending = cell.getAttribute("aria-sort") === "ascending";
      for (const other of head.children) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
      state.rows = [...table.rows].sort((a, b) => {
        const [x, y] = [a[column.name], b[column.name]];
        if (x == null || y == null) return compareValues(x, y); // missing ones come last
        return descending ? compareValues(y, x) : compareValues(x, y);
      });
      fill();
    });
    head.append(cell);
  });
  more.addEventListener("click", () => {
    state.all = true;
    fill();
  });
  fill();

  const out = element("div", {class: "table"});
  const bar = element("div", {class: "bar"});
  if (heading > 0) bar.append(element("h" + heading, {}, nameElement(table.title, 120)));
  const csv = element("button", {type: "button", class: "csv", "data-file": file + ".csv"}, "CSV");
  csv.setAttribute("aria-label", `Save ${shortened(table.title)} as ${file}.csv`);
  csv.addEventListener("click", () => save(csvOf(table), file + ".csv"));
  if (table.rows.length) bar.append(csv);
  if (bar.childElementCount) out.append(bar);
  const label = shortened(table.title);
  const wrap = element("div", {class: "wrap", tabindex: "0", role: "group", "aria-label": label});
  const caption = element("caption", {class: "read-out"}, label);
  const shape = columns.length > 8 ? "wide" : columns.length < 3 ? "pairs" : null;
  wrap.append(element("table", {id: "table-" + file, class: shape}, caption, element("thead", {}, head), body));
  out.append(table.rows.length ? wrap : element("p", {class: "note"}, table.empty ?? "None."), more);
  if (table.note) out.append(element("p", {class: "note"}, visible(table.note)));
  return out;
}
