// Unit tests of the text diff: against a quadratic longest common subsequence, and its work limit.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import vm from "node:vm";

const source = readFileSync(join(import.meta.dirname, "../../src/lib/page/assets/diff.js"), "utf8");
const { partners, compareTexts, wordsOf, comparedForm, SPACELESS } = vm.runInThisContext(`(() => { ${source}; return { partners, compareTexts, wordsOf, comparedForm, SPACELESS }; })()`);

let state = 2007;
const random = (limit) => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return (state >>> 8) % limit;
};
const randomList = (length, kinds) => Int32Array.from({ length }, () => random(kinds));

function longestCommon(left, right) {
  const lengths = Array.from({ length: left.length + 1 }, () => new Int32Array(right.length + 1));
  for (let x = left.length - 1; x >= 0; x--) {
    for (let y = right.length - 1; y >= 0; y--) {
      lengths[x][y] = left[x] === right[y] ? lengths[x + 1][y + 1] + 1 : Math.max(lengths[x + 1][y], lengths[x][y + 1]);
    }
  }
  return lengths[0][0];
}

function checkPartners(left, right, partner) {
  let last = -1;
  let common = 0;
  partner.forEach((y, x) => {
    if (y === -1) return;
    assert.ok(y > last, "matches are in order");
    assert.equal(left[x], right[y]);
    last = y;
    common++;
  });
  return common;
}

test("the diff matches a longest common subsequence", () => {
  for (let round = 0; round < 3000; round++) {
    const kinds = 1 + random(6);
    const [left, right] = [randomList(random(30), kinds), randomList(random(30), kinds)];
    const { partner, isCut } = partners(left, right);
    assert.equal(checkPartners(left, right, partner), longestCommon(left, right));
    assert.equal(isCut, false);
  }
});

test("long texts with few common words are compared approximately", () => {
  const [left, right] = [randomList(9000, 4000), randomList(9000, 4000)];
  const { partner } = partners(left, right);
  assert.ok(checkPartners(left, right, partner) > 0);
});

test("the diff stops at its work limit and says so", () => {
  const [left, right] = [randomList(5000, 50), randomList(5000, 50)];
  const { partner, isCut } = partners(left, right, 10_000);
  checkPartners(left, right, partner);
  assert.equal(isCut, true);
});

// The words of one side of all rows.
const saidBy = (compared, side) =>
  compared.rows.flat().map(({ [side]: [start, end] }) => compared[side].keys.slice(start, end)).flatMap((keys) => [...keys]);

// Whether a passage begins a line on a side where it has words.
const beginsLine = (compared, passage) =>
  ["left", "right"].some((side) => {
    const { text, starts } = compared[side];
    const [start, end] = passage[side];
    return start < end && /\n\s*$/.test(text.slice(0, starts[start]));
  });

test("rows contain each word once and begin with a common word or a line", () => {
  for (let round = 0; round < 300; round++) {
    const words = ["the", "sea", ",", ".", "land", "é", "東京"];
    const text = () => Array.from({ length: random(60) }, () => words[random(words.length)] + ["", " ", "\n", "  "][random(4)]).join("");
    const compared = compareTexts(text(), text());
    for (const side of ["left", "right"]) assert.deepEqual(saidBy(compared, side), [...compared[side].keys]);
    for (const row of compared.rows.slice(1)) assert.ok(row[0].isSame || beginsLine(compared, row[0]), "a row begins with a common word or a line");
  }
});

test("one changed word gives one changed passage", () => {
  const compared = compareTexts("In the beginning God created the heaven.\nAnd it was so.", "In the beginning God made the heaven.\nAnd it was so.");
  const changed = compared.rows.flat().filter((passage) => !passage.isSame);
  assert.equal(compared.rows.length, 2);
  assert.deepEqual(changed.map(({ left, right }) => [left, right]), [[[4, 5], [4, 5]]]);
  assert.equal(compared.common, compared.left.count - 1);
});

test("new text at the beginning of a line is in the row of that line", () => {
  const compared = compareTexts("It was good.\nAnd God said so.\nAnd more of it.", "It was good, too.\nGod said so.\nBut other things\nfollowed.");
  const said = (row, side) => row.map(({ [side]: [start, end] }) => (start < end ? compared[side].text.slice(compared[side].starts[start], compared[side].ends[end - 1]) : "")).join("|");
  assert.deepEqual(compared.rows.map((row) => said(row, "left")), ["It was good|.", "And|God said so.", "And more of it|."]);
  assert.deepEqual(compared.rows.map((row) => said(row, "right")), ["It was good|, too.", "|God said so.", "But other things\nfollowed|."]);
});

test("changed lines are paired", () => {
  const compared = compareTexts("one two\nthree four\nfive", "six seven eight\nnine\nten");
  assert.deepEqual(compared.rows.map((row) => row.map(({ left, right }) => [left, right])), [[[[0, 2], [0, 3]]], [[[2, 4], [3, 4]]], [[[4, 5], [4, 5]]]]);
});

test("empty texts and texts without words are compared", () => {
  for (const [left, right] of [["", ""], ["a", ""], ["", " \n"], ["\u0000", "\u0000"]]) {
    assert.equal(compareTexts(left, right).isCut, false);
  }
});

// The terms of a text by the words of the diff: those with letters or digits; in scripts without spaces, pairs of neighbours.
function termsOf(text, isFolded) {
  const { starts, ends } = wordsOf(text, () => 0);
  const isUnit = new RegExp(`^(?=[${SPACELESS}])[\\p{Alphabetic}\\p{N}]`, "u");
  const words = starts.map((start, at) => text.slice(start, ends[at]));
  return words.flatMap((word, at) => {
    if (!/[\p{Alphabetic}\p{N}]/u.test(word)) return [];
    if (!isUnit.test(word)) return [comparedForm(word, isFolded)];
    const isNeighbour = (other) => other in words && isUnit.test(words[other]) && ends[Math.min(at, other)] === starts[Math.max(at, other)];
    if (isNeighbour(at + 1)) return [comparedForm(word + words[at + 1], isFolded)];
    return isNeighbour(at - 1) ? [] : [comparedForm(word, isFolded)];
  });
}

test("words are those that find_near_dups compares", () => {
  const cases = JSON.parse(readFileSync(join(import.meta.dirname, "terms.json"), "utf8"));
  for (const { text, folded, unfolded } of cases) {
    assert.deepEqual(termsOf(text, true), folded);
    if (unfolded) assert.deepEqual(termsOf(text, false), unfolded);
  }
});

test("words that are compared as equal are not marked", () => {
  const pairs = [["Große Straße", "GROSSE STRASSE"], ["كَتَبَ الولد", "كتب الولد"], ["ＬＩＮＵＸ", "linux"], ["한글", "\u1112\u1161\u11ab\u1100\u1173\u11af"], ["co\u00adop", "coop"]];
  for (const [left, right] of pairs) assert.ok(compareTexts(left, right).rows.flat().every((passage) => passage.isSame), left);
  assert.ok(compareTexts("Große", "GROSSE", false).rows.flat().some((passage) => !passage.isSame));
});

test("changed characters of a script without spaces are marked alone", () => {
  const compared = compareTexts("人人生而自由在尊严和权利上一律平等", "人人生而自主在尊严和权利上一律平等");
  const said = ({ [0]: start, [1]: end }, words) => words.text.slice(words.starts[start], words.ends[end - 1]);
  const changed = compared.rows.flat().filter((passage) => !passage.isSame);
  assert.deepEqual(changed.map(({ left, right }) => [said(left, compared.left), said(right, compared.right)]), [["由", "主"]]);
});
