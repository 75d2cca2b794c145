// Elements. Text from documents is only ever put in as text.

function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function drawing(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  // append takes strings as text, never as markup.
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const byId = (id) => document.getElementById(id);

// A similarity as a bar beside its number. The page's policy lets a script set a width, but no attribute named style.
function meter(similarity, least = 0) {
  const bar = element("span", { class: "meter-bar" });
  bar.style.width = `${(100 * Math.max(0, similarity - least)) / (1 - least || 1)}%`;
  const label = element("span", { class: "number" }, fourDecimals(similarity));
  return element("span", { class: "meter", title: allDecimals(similarity) }, label, element("span", { class: "meter-track", "aria-hidden": "true" }, bar));
}

// A document's name; those of old documents, which new ones were compared with, say so.
function nameOf({ id, isOld }) {
  return element("span", { class: "id" }, id, isOld ? element("span", { class: "old" }, " old") : null);
}

// A list that is shown a page at a time, so that the number of elements does not grow with it.
const ROWS_PER_PAGE = 50;

function pager(count, page, turn) {
  const last = Math.max(0, Math.ceil(count / ROWS_PER_PAGE) - 1);
  if (last === 0) return null;
  const button = (label, sign, target) =>
    element("button", { type: "button", "aria-label": label, title: label, disabled: target < 0 || target > last || target === page, onclick: () => turn(target) }, sign);
  const from = page * ROWS_PER_PAGE + 1;
  const to = Math.min(count, from + ROWS_PER_PAGE - 1);
  return element("nav", { class: "pager", "aria-label": "Pages of the table" },
    button("First page", "«", 0), button("Previous page", "‹", page - 1),
    element("span", { class: "number", role: "status" }, `${grouped(from)}–${grouped(to)} of ${grouped(count)}`),
    button("Next page", "›", page + 1), button("Last page", "»", last));
}

const pageOf = (list, page) => list.slice(page * ROWS_PER_PAGE, (page + 1) * ROWS_PER_PAGE);
