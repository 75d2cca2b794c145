// Findings and texts, embedded in the page as JSON. Texts are parsed one part at a time, on demand.

const findings = JSON.parse(document.getElementById("findings").textContent);
const textParts = new Map();

function documentOf(number) {
  const [id, characters, words, isCut, isOld] = findings.documents[number];
  return { number, id, characters, words, isCut: isCut === 1, isOld: isOld === 1 };
}

function textOf(number) {
  const firsts = findings.text_parts;
  let part = firsts.length - 1;
  while (firsts[part] > number) part--;
  if (!textParts.has(part)) {
    textParts.set(part, JSON.parse(document.getElementById(`texts-${part}`).textContent));
  }
  return textParts.get(part)[number - firsts[part]];
}

function pairOf(cluster, position) {
  const [left, right, similarity, terms] = cluster.pairs[position];
  return { left: documentOf(left), right: documentOf(right), similarity, terms };
}

// Pairs outside of clusters form one group with its own key.
const clusterKey = (cluster) => String(cluster.number ?? "outside");
const clusterName = (cluster) => (cluster.number === null ? "Pairs outside of clusters" : `Cluster ${cluster.number}`);

// Ids of a cluster in lower case, for the filter; cached.
function idsOf(cluster) {
  if (cluster.ids === undefined) {
    const numbers = new Set([cluster.first]);
    for (const [left, right] of cluster.pairs) numbers.add(left).add(right);
    cluster.ids = Array.from(numbers, (number) => findings.documents[number][0].toLowerCase()).join("\n");
  }
  return cluster.ids;
}

// Tables of find_near_dups hold cosines; results of the pipeline do not state their similarity measure.
const scoreName = findings.score === "cosine" ? "cosine similarity" : "similarity";
const capitalized = (text) => text[0].toUpperCase() + text.slice(1);

// Number formats.
const grouped = (number) => number.toLocaleString("en");
const counted = (number, one, many = `${one}s`) => `${grouped(number)} ${number === 1 ? one : many}`;
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
// Truncated, not rounded: only 1 shows as 1.
const fourDecimals = (similarity) => (Math.floor(similarity * 10_000 + 1e-6) / 10_000).toFixed(4);
// Four to eight decimals.
const allDecimals = (similarity) => similarity.toFixed(8).replace(/0{1,4}$/, "");
