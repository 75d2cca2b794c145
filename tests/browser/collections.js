// Collections with their pairs, and the reports of report_pairs, compare_sections and ngram_search on them.
import { strictEqual } from "node:assert";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "../..");
const executables = process.env.NEARSIG_BIN ?? join(root, "bin");

const folder = mkdtempSync(join(tmpdir(), "nearsig-browser-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const run = (name, ...flags) => execFileSync(join(executables, name), ["-q", ...flags]);

const escaped = (id) => id.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");

// Writes a collection { documents: [[id, text]], pairs: [[id, id, similarity]] } and its report; returns the report's address.
export function pageOf(name, { documents, pairs }, flags = []) {
  const [input, found, out] = [`${name}.jsonl`, `${name}.pairs.tsv`, `${name}.html`].map((file) => join(folder, file));
  writeFileSync(input, documents.map(([id, text]) => `${JSON.stringify({ id, text })}\n`).join(""));
  const rows = pairs.map(([left, right, similarity]) => `${similarity.toFixed(8)}\t${escaped(left)}\t${escaped(right)}\n`);
  writeFileSync(found, ["similarity\tdocument_1\tdocument_2\n", ...rows].join(""));
  run("report_pairs", "--pairs", found, "--out", out, ...flags, input);
  return pathToFileURL(out).href;
}

// Writes a document and its source, each a name and a text, and their page of compare_sections; returns the page's address.
export function sectionsOf(name, documents, flags = []) {
  const [report, out] = [`${name}.report`, `${name}.html`].map((file) => join(folder, file));
  const inputs = documents.map(([id, text]) => {
    writeFileSync(join(folder, id), text);
    return join(folder, id);
  });
  run("compare_sections", ...inputs, "--out", report, "--page", out, ...flags);
  return pathToFileURL(out).href;
}

// Indexes sources { name: text }, searches suspicious documents { name: text }, and returns the address of their page.
// `change` may move or change sources after they were indexed; it gets their folder. The search ends with exit code `code`.
export function searchOf(name, sources, suspicious, flags = [], change = () => {}, code = 0) {
  const [sourceFolder, suspiciousFolder] = [`${name}.sources`, `${name}.suspicious`].map((file) => join(folder, file));
  for (const [texts, under] of [[sources, sourceFolder], [suspicious, suspiciousFolder]]) {
    mkdirSync(under, { recursive: true });
    for (const [file, text] of Object.entries(texts)) writeFileSync(join(under, file), text);
  }
  const [index, out] = [join(folder, `${name}.index`), join(folder, `${name}.html`)];
  run("ngram_index", "add", sourceFolder, "--index", index, "-n", "5", "--replace");
  change(sourceFolder);
  const search = ["-q", suspiciousFolder, "--index", index, "--format", "html", "--out", out, ...flags];
  strictEqual(spawnSync(join(executables, "ngram_search"), search).status, code);
  return pathToFileURL(out).href;
}

// The texts of exp/ngram_example.
export const exampleText = (name) => readFileSync(join(root, "exp/ngram_example", name), "utf8");

// Finds the pairs of exp/sample with a cosine of at least 0.8 and writes their report.
export function sample(...flags) {
  const texts = join(root, "exp/sample/texts");
  const [pairs, clusters, out] = ["pairs.tsv", "clusters.tsv", "sample.html"].map((file) => join(folder, file));
  run("find_near_dups", texts, "--threshold", "0.8", "--out", pairs, "--clusters", clusters);
  run("report_pairs", texts, "--threshold", "0.8", "--pairs", pairs, "--clusters", clusters, "--out", out, ...flags);
  const rows = readFileSync(pairs, "utf8").trim().split("\n").slice(1).map((line) => line.split("\t"));
  return {
    address: pathToFileURL(out).href,
    textOf: (id) => readFileSync(join(texts, id), "utf8"),
    pairs: rows.map(([similarity, left, right]) => [left, right, Number(similarity)]),
  };
}

export const HOSTILE_TEXT = "before <script>window.hacked=1</script> </script> <img src=x onerror='window.hacked=2'> <!-- after";
export const HOSTILE_ID = "<b onclick='window.hacked=3'>bold</b>\t\"quoted\" &amp;";

// Documents that look like markup.
export function hostile() {
  const other = HOSTILE_TEXT.replace("after", "<svg onload=window.hacked=4> later");
  return {
    documents: [[HOSTILE_ID, HOSTILE_TEXT], ["plain", other]],
    pairs: [[HOSTILE_ID, "plain", 0.9]],
  };
}

// `count` pairs of documents, each a cluster.
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

// A pair of each of three scripts: one of pairs of characters, one from right to left, one with marks. `changed` lists the words that differ.
export const SCRIPTS = [
  {
    name: "chinese", direction: "ltr", changed: [["由", "主"], ["兄弟", "姐妹"]],
    left: "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
    right: "人人生而自主，在尊严和权利上一律平等。他们赋有理性和良心，并应以姐妹关系的精神相对待。",
  },
  {
    name: "arabic", direction: "rtl", changed: [["الإخاء", "المحبة"]],
    left: "يُولَدُ جَمِيعُ النَّاسِ أَحْرَارًا مُتَسَاوِينَ فِي الكَرَامَةِ والحُقُوقِ، وعليهم أن يعامل بعضهم بعضا بروح الإخاء.",
    right: "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق، وعليهم أن يعامل بعضهم بعضا بروح المحبة.",
  },
  {
    name: "hindi", direction: "ltr", changed: [["भाईचारे", "मित्रता"]],
    left: "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।",
    right: "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। परस्पर उन्हें मित्रता के भाव से बर्ताव करना चाहिए।",
  },
];

// The pair of a script, for pageOf.
export const scriptPair = ({ left, right }) => ({ documents: [["first", left], ["second", right]], pairs: [["first", "second", 0.9]] });
