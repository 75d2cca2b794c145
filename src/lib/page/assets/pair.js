// Pair view: two texts with their differences, and the terms that make up the score.

let isUnified = false;

function pairView(cluster, position) {
  const pair = pairOf(cluster, position);
  const texts = [textOf(pair.left.number), textOf(pair.right.number)];
  const compared = compareTexts(...texts, findings.is_folded);
  const title = `Pair ${position + 1} of ${cluster.pairs.length}`;
  return [
    path({ label: clusterName(cluster), link: linkTo({ cluster: clusterKey(cluster) }) }, { label: title }),
    element("div", { class: "pair-head" }, element("h1", {}, title, element("span", { class: "score", title: capitalized(scoreName) }, allDecimals(pair.similarity))), pairButtons()),
    ...remarks(pair, texts, compared),
    element("div", { class: "pair-body" }, comparison(pair, compared), weights(pair)),
  ];
}

function pairButtons() {
  const button = (id, label, key, act) => element("button", { type: "button", id, title: `Key ${key}`, onclick: act }, label);
  const shape = button("shape", isUnified ? "Side by side" : "One column", "u", toggleShape);
  return element("div", { class: "buttons", role: "toolbar", "aria-label": "Pairs" },
    button("previous", "← Previous", "k", () => step(-1)), button("next", "Next →", "j", () => step(1)), button("change", "Next difference", "n", () => jump(1)), shape);
}

function toggleShape() {
  isUnified = !isUnified;
  show();
  byId("shape").focus();
}

function remarks(pair, texts, compared) {
  const notes = [];
  const same = texts[0] === texts[1] && !pair.left.isCut && !pair.right.isCut;
  if (same) notes.push("The texts are identical.");
  else if (compared.rows.every((row) => row.every((passage) => passage.isSame))) notes.push(`The texts differ only in ${uncompared()}, as far as they are shown.`);
  for (const [side, { isCut }] of [["first", pair.left], ["second", pair.right]]) {
    if (isCut) notes.push(`The ${side} text is truncated to its first ${grouped(findings.text_limit)} bytes. Score and terms are those of the whole text.`);
  }
  if (compared.isCut) notes.push("The texts differ in too many places: the comparison stopped early, and text it did not reach is marked as different.");
  return notes.map((text) => element("p", { class: "note" }, text));
}

// What is not compared.
const uncompared = () => (findings.is_folded ? "white space, case, letter forms such as full width, invisible characters and optional vowel marks" : "white space, case and invisible characters");

function comparison(pair, compared) {
  const part = (count, common) => (count === 0 ? "0 %" : percent(common / count, 0));
  const head = (name, side, words) => element("div", { class: `side-head ${name}` },
    nameOf(side),
    element("span", { class: "size" }, `${counted(side.words, "word")}, ${counted(side.characters, "character")}; ${part(words.count, compared.common)} in common`));
  const rows = compared.rows.map((row) => (isUnified ? unifiedRow(row, compared) : sideRow(row, compared)));
  const legend = element("p", { class: "legend" }, element("del", {}, "only in the first text"), " ", element("ins", {}, "only in the second text"), ` Not compared: ${uncompared()}.`);
  return element("section", { class: isUnified ? "comparison unified" : "comparison", "aria-label": "Texts", "data-cut": String(compared.isCut) },
    element("div", { class: "row heads" }, head("left", pair.left, compared.left), head("right", pair.right, compared.right)), legend,
    element("div", { class: "rows", tabindex: "0", role: "region", "aria-label": "Comparison, passage by passage" }, ...rows));
}

// The words from start to end, marked if they differ, and the white space after them unless the row ends.
function passageText(words, [start, end], mark, isLast) {
  if (start === end) return [];
  const shown = words.text.slice(words.starts[start], words.ends[end - 1]);
  const gap = isLast || end === words.count ? "" : words.text.slice(words.ends[end - 1], words.starts[end]);
  return [mark === null ? shown : element(mark, {}, shown), gap];
}

function cell(row, words, side, mark) {
  const last = row.findLastIndex((passage) => passage[side][0] < passage[side][1]);
  const parts = row.map((passage, place) => passageText(words, passage[side], passage.isSame ? null : mark, place === last));
  return element("div", { class: `cell ${side}`, dir: "auto" }, ...parts.flat());
}

function sideRow(row, { left, right }) {
  const isSame = row.every((passage) => passage.isSame);
  return element("div", { class: isSame ? "row same" : "row changed" }, cell(row, left, "left", "del"), cell(row, right, "right", "ins"));
}

function unifiedRow(row, { left, right }) {
  const isSame = row.every((passage) => passage.isSame);
  const parts = row.map((passage, place) => {
    const isLast = place === row.length - 1;
    if (passage.isSame) return passageText(left, passage.left, null, isLast);
    return [...passageText(left, passage.left, "del", false), ...passageText(right, passage.right, "ins", isLast)];
  });
  return element("div", { class: isSame ? "row same" : "row changed" }, element("div", { class: "cell", dir: "auto" }, ...parts.flat()));
}

// The terms with the largest products of weights, as shares of the dot product, the numerator of the cosine.
function weights(pair) {
  const rows = [];
  let sum = 0;
  const max = pair.terms[1] || 1;
  for (let at = 0; at < pair.terms.length; at += 4) {
    const [term, share, left, right] = pair.terms.slice(at, at + 4);
    sum += share;
    const bar = element("span", { class: "meter-bar" });
    bar.style.width = `${(100 * share) / max}%`;
    rows.push(element("tr", {}, element("th", { scope: "row", dir: "auto" }, findings.terms[term]),
      element("td", { class: "number" }, `${left} · ${right}`),
      element("td", { class: "number" }, percent(share / 10_000, 2), element("span", { class: "meter-track", "aria-hidden": "true" }, bar))));
  }
  const head = ["Term", "Count", "Share"].map((label) => element("th", { scope: "col" }, label));
  return element("aside", { class: "weights", "aria-labelledby": "weights-title" },
    element("h2", { id: "weights-title" }, "Top contributing terms"),
    element("p", { class: "told" }, rows.length === 0 ? "The texts have no term in common." : `${rows.length === 1 ? "This term accounts" : `These ${rows.length} terms account`} for ${percent(sum / 10_000)} of the cosine.`),
    element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)));
}

// Moves to the next or previous row with a difference.
function jump(direction) {
  const rows = [...document.querySelectorAll(".row.changed")];
  const current = rows.findIndex((row) => row.classList.contains("current"));
  const target = rows[current === -1 ? (direction > 0 ? 0 : rows.length - 1) : current + direction];
  if (target === undefined) return;
  rows[current]?.classList.remove("current");
  target.classList.add("current");
  target.scrollIntoView({ block: "center" });
}
