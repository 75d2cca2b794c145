// A list of comparisons, and one of them in view. A page has show() and
// view: { name: of a comparison, list: of them, keys: that act while one is in view }.

function place() {
  const asked = new URLSearchParams(location.hash.slice(1));
  return { number: asked.has(view.name) ? Number(asked.get(view.name)) : undefined, theme: asked.get("theme") ?? undefined };
}

function linkTo({ number }) {
  const parts = number === undefined ? [] : [`${view.name}=${number}`];
  if (!memory.isKept && memory.theme !== null) parts.push(`theme=${memory.theme}`);
  return `#${parts.join("&")}`;
}

// The comparison in view, from 1; the only one needs no address.
function shownNumber() {
  const { number } = place();
  return number === undefined && view.list.length === 1 ? 1 : number;
}

// The way back to the list.
function pathTo(number) {
  if (view.list.length === 1) return [];
  return [element("nav", { class: "path" }, element("ol", {},
    element("li", {}, element("a", { href: linkTo({}) }, `All ${view.name}s`)), element("li", {}, `${capitalized(view.name)} ${number} of ${view.list.length}`)))];
}

function tableOf(labels, rows) {
  const head = labels.map((label) => element("th", { scope: "col" }, label));
  return element("table", { class: "listing" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
}

const figure = (value, label, hint) => element("div", { class: "figure", title: hint }, element("dd", {}, value), element("dt", {}, label));

function step(direction) {
  const number = shownNumber();
  if (number !== undefined && view.list[number - 1 + direction] !== undefined) location.hash = linkTo({ number: number + direction });
}

function back() {
  if (view.list.length > 1) location.hash = linkTo({});
}

const KEYS = { j: () => step(1), k: () => step(-1), d: switchTheme, "?": () => byId("help").showModal(), Escape: back };

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  const isInView = view.list[shownNumber() - 1] !== undefined;
  const act = (isInView ? view.keys[event.key] : undefined) ?? KEYS[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
}

function startViews() {
  startThemes();
  addEventListener("hashchange", () => {
    current = -1;
    show();
    scrollTo(0, 0);
  });
  addEventListener("keydown", pressed);
  show();
}
