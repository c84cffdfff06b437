// Texts and elements. Whatever comes from the figures goes into the page as text, never as markup.
"use strict";

const figures = JSON.parse(document.getElementById("figures").textContent);

// element("p", {class: "note"}, "text", child, ...)
function element(tag, attributes = {}, ...children) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) out.setAttribute(name, "");
    else if (value !== false && value != null) out.setAttribute(name, String(value));
  }
  out.append(...children.filter((child) => child != null));
  return out;
}

// What would move or hide other text shows as its code.
function visible(text) {
  return String(text).replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

function shortened(text, most = 80) {
  const letters = Array.from(visible(text));
  return letters.length <= most ? letters.join("") : letters.slice(0, most - 1).join("") + "…";
}

// A name from the data, kept apart from the text around it whatever its direction.
function nameElement(text, most = 80) {
  const short = shortened(text, most);
  const whole = visible(text);
  const out = element("bdi", {}, short);
  if (short !== whole) out.setAttribute("title", Array.from(whole).slice(0, 2000).join(""));
  return out;
}

const grouped = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});
const groupedFinely = new Intl.NumberFormat("en-US", {maximumFractionDigits: 1});

const format = {
  count: (x) => (x < 100 ? groupedFinely : grouped).format(x),
  share: (x) => (100 * x).toFixed(1) + " %",
  ratio: (x) => x.toFixed(3),
  number: (x) => String(Number(x.toPrecision(4))),
  p: (x) => (x < 0.0001 ? "< 0.0001" : x.toFixed(4)),
};

function shown(value, kind) {
  if (value == null) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return (format[kind] ?? format.number)(value);
  return visible(value);
}

// A sentence, which does not break between a number and its unit.
const sentence = (text) => visible(text).replace(/(\d) (%|percentage|people|rows)/g, "$1\u00a0$2");

const points = (x) => {
  const value = Math.abs(x) < 5e-10 ? 0 : Number((100 * x).toPrecision(3));
  return value + (value === 1 ? "\u00a0point" : "\u00a0points");
};

function section(id, title, lead, ...children) {
  const heading = element("h2", {id: id + "-title"}, title);
  const out = element("section", {id, "aria-labelledby": id + "-title"}, heading);
  if (lead) out.append(element("p", {class: "lead"}, lead));
  out.append(...children.filter((child) => child != null));
  return out;
}
