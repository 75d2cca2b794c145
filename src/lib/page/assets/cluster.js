// Cluster view: one cluster and its pairs.

const pairPages = new Map();

function clusterView(cluster) {
  const hidden = cluster.pairs_total - cluster.pairs.length;
  const note = hidden === 0 ? null : element("p", { class: "note" }, `${counted(hidden, "pair")} of this cluster ${hidden === 1 ? "is" : "are"} not shown; these are the ${grouped(cluster.pairs.length)} most similar.`);
  const outside = cluster.number !== null ? null : element("p", { class: "note" }, "Pairs whose documents are in different clusters or in none.");
  return [
    path({ label: clusterName(cluster) }),
    element("h1", {}, clusterName(cluster)),
    element("p", { class: "lead" }, `${counted(cluster.size, "document")}, ${counted(cluster.pairs_total, "pair")}; smallest similarity `,
      element("b", {}, allDecimals(cluster.smallest)), ", mean ", element("b", {}, allDecimals(cluster.mean)), cluster.is_of_all ? " over all pairs of its documents." : " over the pairs found."),
    outside, note, element("div", { id: "pairs" }),
  ].filter(Boolean);
}

function showPairs(cluster) {
  const page = pairPages.get(cluster) ?? 0;
  const turn = (target) => { pairPages.set(cluster, target); showPairs(cluster); };
  const first = page * ROWS_PER_PAGE;
  const rows = pageOf(cluster.pairs, page).map((_, place) => pairRow(cluster, first + place));
  const head = ["Pair", "Similarity", "Documents"].map((label) => element("th", { scope: "col" }, label));
  byId("pairs").replaceChildren(
    element("table", { class: "pairs", "aria-label": `Pairs of ${clusterName(cluster)}` }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)),
    ...[pager(cluster.pairs.length, page, turn)].filter(Boolean));
}

function pairRow(cluster, position) {
  const { left, right, similarity } = pairOf(cluster, position);
  const link = element("a", { class: "open", href: linkTo({ cluster: clusterKey(cluster), pair: position + 1 }), "aria-label": `Pair ${position + 1}, ${left.id} and ${right.id}` }, String(position + 1));
  const side = (one) => element("div", { class: "pair-document" }, nameOf(one), element("span", { class: "size" }, counted(one.words, "word")));
  return element("tr", { onclick: followLink },
    element("td", { class: "column-number number" }, link),
    element("td", { class: "column-smallest" }, meter(similarity, findings.histogram.low)),
    element("td", { class: "column-id" }, side(left), side(right)));
}

// Breadcrumb navigation to the views above.
function path(...steps) {
  const items = [{ label: "Overview", link: linkTo({}) }, ...steps].map(({ label, link }) =>
    element("li", {}, link === undefined ? element("span", { "aria-current": "page" }, label) : element("a", { href: link }, label)));
  return element("nav", { class: "path", "aria-label": "Breadcrumb" }, element("ol", {}, ...items));
}
