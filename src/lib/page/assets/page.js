// Navigation between views, keyboard shortcuts.

// The view in the address, such as #cluster=3&pair=2.
function place() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const pair = asked.has("pair") ? Number(asked.get("pair")) : undefined;
  return { cluster: asked.get("cluster") ?? undefined, pair, theme: asked.get("theme") ?? undefined };
}

function linkTo({ cluster, pair }) {
  const parts = [];
  if (cluster !== undefined) parts.push(`cluster=${cluster}`);
  if (pair !== undefined) parts.push(`pair=${pair}`);
  if (!memory.isKept && memory.theme !== null) parts.push(`theme=${memory.theme}`);
  return `#${parts.join("&")}`;
}

const clustersByKey = new Map(findings.clusters.map((cluster) => [clusterKey(cluster), cluster]));

function show() {
  const { cluster: key, pair: position } = place();
  const cluster = clustersByKey.get(key);
  const main = byId("main");
  if (cluster === undefined) {
    main.replaceChildren(...unknown(key !== undefined, `This report has no cluster ${key}.`), ...overview());
    showClusters();
    document.title = findings.title;
  } else if (cluster.pairs[position - 1] === undefined) {
    main.replaceChildren(...unknown(position !== undefined, `This cluster has no pair ${position}.`), ...clusterView(cluster));
    showPairs(cluster);
    document.title = `${clusterName(cluster)} – ${findings.title}`;
  } else {
    main.replaceChildren(...pairView(cluster, position - 1));
    document.title = `Pair ${position} – ${clusterName(cluster)} – ${findings.title}`;
  }
}

const unknown = (isAsked, text) => (isAsked ? [element("p", { class: "note", role: "alert" }, text)] : []);

// Returning to a table restores the focus of the row that was open.
function changeView(event) {
  show();
  const before = event ? new URL(event.oldURL).hash : "";
  const opened = [...document.querySelectorAll("a.open")].find((link) => before.startsWith(link.getAttribute("href")));
  if (opened) opened.focus();
  else scrollTo(0, 0);
}

// Moves to the next or previous pair; past the end of a cluster, to the next cluster in table order.
function step(direction) {
  const { cluster: key, pair: position } = place();
  const cluster = clustersByKey.get(key);
  if (cluster === undefined || position === undefined) return;
  if (cluster.pairs[position - 1 + direction] !== undefined) {
    location.hash = linkTo({ cluster: key, pair: position + direction });
    return;
  }
  if (table.order.length === 0) arrange();
  const neighbour = table.order[table.order.indexOf(cluster) + direction];
  if (neighbour === undefined) return;
  location.hash = linkTo({ cluster: clusterKey(neighbour), pair: direction > 0 ? 1 : neighbour.pairs.length });
}

function back() {
  const { cluster, pair } = place();
  if (pair !== undefined) location.hash = linkTo({ cluster });
  else if (cluster !== undefined) location.hash = linkTo({});
}

// Moves the focus to the next or previous row.
function moveFocus(direction) {
  const links = [...document.querySelectorAll("a.open")];
  const current = links.indexOf(document.activeElement);
  const target = links[current === -1 ? 0 : current + direction];
  target?.focus();
}

function searchIds() {
  if (byId("filter-text") === null) {
    history.pushState(null, "", linkTo({}));
    show();
  }
  byId("filter-text").focus();
}

const LIST_KEYS = { j: () => moveFocus(1), k: () => moveFocus(-1), ArrowDown: () => moveFocus(1), ArrowUp: () => moveFocus(-1) };
const PAIR_KEYS = { j: () => step(1), k: () => step(-1), ArrowRight: () => step(1), ArrowLeft: () => step(-1), n: () => jump(1), p: () => jump(-1), u: toggleShape };
const KEYS = { "/": searchIds, "?": () => byId("help").showModal(), d: switchTheme, Escape: back };

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  if (event.target.matches("input")) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter") document.querySelector("a.open")?.focus();
    return;
  }
  const isPair = byId("next") !== null;
  if (event.key === "Enter" && !isPair && document.activeElement === document.body) document.querySelector("a.open")?.click();
  const act = (isPair ? PAIR_KEYS : LIST_KEYS)[event.key] ?? KEYS[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
}

startThemes();
addEventListener("hashchange", changeView);
addEventListener("keydown", pressed);
arrange();
show();
