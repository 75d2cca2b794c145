// Collections for the tests, with their pairs, and the pages that report_pairs makes of them.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "../..");
const executables = process.env.NEARSIG_BIN ?? join(root, "bin");

const folder = mkdtempSync(join(tmpdir(), "nearsig-browser-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

// The cosine that find_near_dups has: a word weighs 1 + ln(its count).
export function cosine(left, right) {
  const [a, b] = [left, right].map(weightsOf);
  let product = 0;
  for (const [word, weight] of a) product += weight * (b.get(word) ?? 0);
  const length = (weights) => Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight * weight, 0));
  return product / (length(a) * length(b));
}

function weightsOf(text) {
  const counts = new Map();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map(Array.from(counts, ([word, count]) => [word, Math.round((1 + Math.log(count)) * 1024) / 1024]));
}

const escaped = (id) => id.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");

// Writes a collection { documents: [[id, text]], pairs: [[id, id, similarity]] } and its page; returns the page's address.
export function pageOf(name, { documents, pairs }, flags = []) {
  const [input, found, out] = [`${name}.jsonl`, `${name}.pairs.tsv`, `${name}.html`].map((file) => join(folder, file));
  writeFileSync(input, documents.map(([id, text]) => `${JSON.stringify({ id, text })}\n`).join(""));
  const rows = pairs.map(([left, right, similarity]) => `${similarity.toFixed(8)}\t${escaped(left)}\t${escaped(right)}\n`);
  writeFileSync(found, ["similarity\tdocument_1\tdocument_2\n", ...rows].join(""));
  execFileSync(join(executables, "report_pairs"), ["-q", "--pairs", found, "--out", out, ...flags, input]);
  return pathToFileURL(out).href;
}

// Chapters of the Bible in three translations; pairs are chapters in two of them, with a cosine of at least 0.7.
export function sample() {
  const lines = (file) => readFileSync(join(root, file), "utf8").trim().split("\n");
  const texts = new Map(lines("exp/sample/doc_list").map((path) => [path, readFileSync(join(root, path), "utf8")]));
  const short = (path) => path.replace("exp/sample/texts/", "");
  const pairs = lines("exp/sample/truth.tsv").slice(1).map((line) => line.split("\t"));
  const scored = pairs.map(([left, right]) => [short(left), short(right), cosine(texts.get(left), texts.get(right))]);
  return {
    documents: Array.from(texts, ([path, text]) => [short(path), text]),
    pairs: scored.filter(([, , similarity]) => similarity >= 0.7),
  };
}

export const HOSTILE_TEXT = "before <script>window.hacked=1</script> </script> <img src=x onerror='window.hacked=2'> <!-- after";
export const HOSTILE_ID = "<b onclick='window.hacked=3'>bold</b>\t\"quoted\" &amp;";

// Documents that would be markup if they were not text.
export function hostile() {
  const other = HOSTILE_TEXT.replace("after", "<svg onload=window.hacked=4> later");
  return {
    documents: [[HOSTILE_ID, HOSTILE_TEXT], ["plain", other]],
    pairs: [[HOSTILE_ID, "plain", cosine(HOSTILE_TEXT, other)]],
  };
}

// So many pairs of documents, each a cluster.
export function many(count, length = 150) {
  const words = Array.from({ length: 997 }, (_, n) => `w${(n * 7919) % 10_007}`);
  const text = (n) => Array.from({ length }, (_, at) => words[(n * 31 + at * (1 + (n % 5))) % words.length]).join(" ");
  const documents = [];
  const pairs = [];
  for (let n = 0; n < count; n++) {
    documents.push([`left-${n}`, text(n)], [`right-${n}`, `${text(n)} and ${n % 50} more`]);
    pairs.push([`left-${n}`, `right-${n}`, 0.8 + (n % 1999) / 10_000]);
  }
  return { documents, pairs };
}
