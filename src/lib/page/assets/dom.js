// Elements. Text from documents is inserted as text only.

function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function drawing(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(target, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) target.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) target.setAttribute(name, value === true ? "" : value);
  }
  // append takes strings as text, never as markup.
  target.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return target;
}

const byId = (id) => document.getElementById(id);

// A similarity as a number and a bar. The content security policy allows scripts to set a width, but no style attribute.
function meter(similarity, least = 0) {
  const bar = element("span", { class: "meter-bar" });
  bar.style.width = `${(100 * Math.max(0, similarity - least)) / (1 - least || 1)}%`;
  const label = element("span", { class: "number" }, fourDecimals(similarity));
  return element("span", { class: "meter", title: allDecimals(similarity) }, label, element("span", { class: "meter-track", "aria-hidden": "true" }, bar));
}

// Id of a document, marked if it is an existing document that new ones were compared with.
function nameOf({ id, isOld }) {
  return element("span", { class: "id", dir: "auto" }, id, isOld ? element("span", { class: "old" }, " old") : null);
}

// Lists are paginated, so the number of elements does not grow with them.
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
