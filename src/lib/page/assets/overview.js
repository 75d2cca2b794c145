// The first view: what was found in all, how similar the pairs are, and the clusters as a table.

const table = { column: "size", isDescending: true, page: 0, filter: { text: "", size: 0, low: 0, high: 1 }, order: [] };

const rank = (cluster) => cluster.number ?? Infinity;

const COLUMNS = [
  { key: "number", label: "Cluster", of: rank, descends: false },
  { key: "size", label: "Size", of: (cluster) => cluster.size, descends: true },
  { key: "smallest", label: "Smallest", of: (cluster) => cluster.smallest, descends: false },
  { key: "mean", label: "Mean", of: (cluster) => cluster.mean, descends: true },
  { key: "id", label: "First document", of: (cluster) => documentOf(cluster.first).id, descends: false },
];

// The clusters that pass the filter, in the table's order; ties by number.
function arrange() {
  const { text, size, low, high } = table.filter;
  const wanted = text.toLowerCase();
  const passes = (cluster) =>
    cluster.size >= size && cluster.smallest >= low && cluster.smallest <= high && (wanted === "" || idsOf(cluster).includes(wanted));
  const { of } = COLUMNS.find((column) => column.key === table.column);
  const keyed = findings.clusters.filter(passes).map((cluster) => [of(cluster), cluster]);
  const sign = table.isDescending ? -1 : 1;
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  keyed.sort(([a, first], [b, second]) => sign * compare(a, b) || compare(rank(first), rank(second)));
  table.order = keyed.map(([, cluster]) => cluster);
  table.page = Math.min(table.page, Math.max(0, Math.ceil(table.order.length / ROWS_PER_PAGE) - 1));
}

function overview() {
  const histogram = element("section", { "aria-labelledby": "histogram-title" },
    element("h2", { id: "histogram-title" }, "How similar the pairs are"), histogramOf(findings.histogram));
  const clusters = element("section", { "aria-labelledby": "clusters-title" },
    element("h2", { id: "clusters-title" }, "Clusters"), filterForm(), element("div", { id: "clusters" }));
  return [element("h1", {}, findings.title), figures(), ...notes(), histogram, clusters, origin()];
}

function figures() {
  const figure = (value, label, hint) => element("div", { class: "figure", title: hint }, element("dd", {}, value), element("dt", {}, label));
  const share = findings.documents_total === 0 ? 0 : findings.removable / findings.documents_total;
  const threshold = findings.threshold === null ? findings.least : findings.threshold;
  return element("dl", { class: "figures" },
    figure(grouped(findings.documents_total), "documents"),
    figure(grouped(findings.copies), "exact copies", "Documents whose text is the same as that of an earlier one"),
    figure(grouped(findings.pairs_total), "pairs"),
    figure(grouped(findings.clusters_total), "clusters"),
    figure(percent(share), "would be removed", `${counted(findings.removable, "document")}, if one of every cluster is kept`),
    figure(threshold === null ? "–" : allDecimals(threshold), findings.threshold === null ? "least similarity" : "threshold", "Cosine, from 0 to 1"));
}

function notes() {
  const hidden = findings.pairs_total - findings.pairs_shown;
  if (hidden === 0) return [];
  const lost = findings.clusters_total - findings.clusters_shown;
  const clusters = lost === 0 ? "" : ` ${counted(lost, "cluster is", "clusters are")} not shown at all.`;
  return [element("p", { class: "note" },
    `${counted(hidden, "pair is", "pairs are")} not shown here, of ${grouped(findings.pairs_total)}: the page takes the most similar pair of every cluster, then the second of every cluster, and so on, until it has ${grouped(findings.pairs_shown)}.${clusters} Counts and the histogram are those of all.`)];
}

function origin() {
  return element("footer", {}, element("p", {}, "Similarity is the cosine of the two documents' words, each weighing (1 + ln of its count) times its letters, eight at most. Made by ", element("code", {}, findings.made_by)));
}

// Bars of equal width, labelled where there is room; the line below tells the bar under the pointer or the focus.
function histogramOf({ low, step, counts }) {
  if (counts.length === 0) return element("p", {}, "There are no pairs.");
  const [width, height, left, right, bottom, top] = [720, 230, 56, 24, 54, 26];
  const most = Math.max(...counts);
  const wide = (width - left - right) / counts.length;
  const told = element("p", { class: "told", "aria-live": "polite" }, "Point at a bar for its count.");
  const edge = (bin) => (low + bin * step).toFixed(2);
  const high = (count) => (count === 0 ? 0 : Math.max(2, ((height - top - bottom) * count) / most));
  const bars = counts.map((count, bin) => {
    const label = `${edge(bin)} to ${edge(bin + 1)}: ${counted(count, "pair")}`;
    const tell = () => { told.textContent = label; };
    const x = left + bin * wide;
    return drawing("g", { class: "bar", onpointerenter: tell },
      drawing("title", {}, label),
      drawing("rect", { class: "bar-space", x, y: top, width: wide, height: height - top - bottom }),
      drawing("rect", { class: "bar-count", x: x + 1, y: height - bottom - high(count), width: Math.max(1, wide - 2), height: high(count) }));
  });
  // Labels at round numbers, counted from 1 downwards.
  const every = [1, 2, 5, 10, 20].find((bins) => counts.length / bins <= 6);
  const ticks = Array.from({ length: counts.length + 1 }, (_, bin) => bin).filter((bin) => (counts.length - bin) % every === 0);
  const labels = ticks.map((bin) => drawing("text", { x: left + bin * wide, y: height - bottom + 22, "text-anchor": "middle" }, edge(bin)));
  labels.push(drawing("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, "cosine similarity"), drawing("text", { x: left, y: 14 }, "pairs"));
  const lines = [0, most].map((count) => {
    const y = height - bottom - high(count);
    return [drawing("line", { x1: left, x2: width - right, y1: y, y2: y }), drawing("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, grouped(count))];
  });
  const summary = `Histogram of ${counted(findings.pairs_total, "similarity", "similarities")} from ${edge(0)} to ${edge(counts.length)}; the highest bar, at ${edge(counts.indexOf(most))}, has ${counted(most, "pair")}.`;
  return element("figure", {},
    drawing("svg", { class: "histogram", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": summary }, ...lines.flat(), ...bars, ...labels),
    element("figcaption", {}, told));
}

function filterForm() {
  const filter = table.filter;
  const input = (id, label, attributes, change) =>
    element("label", { for: id }, element("span", {}, label),
      element("input", { id, autocomplete: "off", oninput: (event) => { change(event.target); table.page = 0; showClusters(); }, ...attributes }));
  const number = (field, fallback) => (target) => {
    const value = parseFloat(target.value);
    filter[field] = Number.isNaN(value) ? fallback : value;
  };
  const given = (value, fallback) => (value === fallback ? "" : String(value));
  const share = { type: "number", min: "0", max: "1", step: "0.01" };
  return element("form", { class: "filters", role: "search", "aria-label": "Filter clusters", onsubmit: (event) => event.preventDefault() },
    input("filter-text", "Text in ids", { type: "search", placeholder: "press / to filter", value: filter.text }, (target) => { filter.text = target.value.trim(); }),
    input("filter-size", "Size from", { type: "number", min: "0", value: given(filter.size, 0) }, number("size", 0)),
    input("filter-low", "Smallest from", { ...share, value: given(filter.low, 0) }, number("low", 0)),
    input("filter-high", "Smallest to", { ...share, value: given(filter.high, 1) }, number("high", 1)));
}

function sortBy(column) {
  const isSame = table.column === column.key;
  table.isDescending = isSame ? !table.isDescending : column.descends;
  table.column = column.key;
  table.page = 0;
  showClusters();
  byId(`sort-${column.key}`).focus();
}

function showClusters() {
  arrange();
  const head = COLUMNS.map((column) => {
    const isSorted = table.column === column.key;
    const order = table.isDescending ? "descending" : "ascending";
    const arrow = element("span", { class: "arrow", "aria-hidden": "true" }, isSorted ? (table.isDescending ? "▼" : "▲") : "");
    return element("th", { scope: "col", class: `column-${column.key}`, "aria-sort": isSorted ? order : undefined },
      element("button", { type: "button", id: `sort-${column.key}`, onclick: () => sortBy(column) }, column.label, arrow));
  });
  const body = pageOf(table.order, table.page).map(clusterRow);
  const turn = (page) => { table.page = page; showClusters(); byId("clusters-title").scrollIntoView(); };
  const count = `${counted(table.order.length, "cluster")} of ${grouped(findings.clusters.length)}`;
  byId("clusters").replaceChildren(
    element("p", { class: "told", role: "status" }, table.order.length === findings.clusters.length ? counted(table.order.length, "cluster") : count),
    element("table", { class: "clusters", "aria-labelledby": "clusters-title" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)),
    ...[pager(table.order.length, table.page, turn)].filter(Boolean));
}

function clusterRow(cluster) {
  const first = documentOf(cluster.first);
  const link = element("a", { class: "open", href: linkTo({ cluster: clusterKey(cluster) }), "aria-label": `${clusterName(cluster)}, ${counted(cluster.size, "document")}, first ${first.id}` },
    clusterKey(cluster));
  return element("tr", { onclick: followLink },
    element("td", { class: "column-number number" }, link),
    element("td", { class: "column-size number" }, grouped(cluster.size)),
    element("td", { class: "column-smallest" }, meter(cluster.smallest, findings.histogram.low)),
    element("td", { class: "column-mean" }, meter(cluster.mean, findings.histogram.low)),
    element("td", { class: "column-id" }, nameOf(first), element("span", { class: "snippet" }, cluster.snippet)));
}

// A click anywhere in a row opens what its link opens.
function followLink(event) {
  if (event.target.closest("a") || String(getSelection()) !== "") return;
  event.currentTarget.querySelector("a.open").click();
}
