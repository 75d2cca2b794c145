// Word diff of two texts. White space separates words and is not compared; punctuation marks are words of one character. In scripts without
// spaces, whose terms are overlapping pairs of characters, each character with its marks is a word of the diff. Words are compared in the form
// that find_near_dups compares: see src/lib/text/words.rs and src/lib/text/normalization.rs. Independent of the page.

// Scripts without spaces, as in src/lib/text/characters.rs.
const SPACELESS =
  "\\u{3000}-\\u{31ff}\\u{3400}-\\u{a4cf}\\u{ac00}-\\u{d7ff}\\u{f900}-\\u{faff}\\u{1100}-\\u{11ff}\\u{a960}-\\u{a97f}\\u{ff66}-\\u{ffdc}" +
  "\\u{e00}-\\u{eff}\\u{1000}-\\u{109f}\\u{1780}-\\u{17ff}\\u{1950}-\\u{19df}\\u{1a20}-\\u{1aaf}\\u{a9e0}-\\u{a9ff}\\u{aa60}-\\u{aadf}\\u{11700}-\\u{1174f}" +
  "\\u{16fe0}-\\u{18dff}\\u{1aff0}-\\u{1b16f}\\u{20000}-\\u{3ffff}";
const LETTER = "[\\p{Alphabetic}\\p{N}]";
// Marks and invisible characters continue a word.
const TAIL = "[\\p{M}\\p{DI}]";
// A Hangul syllable of single letters, a half-width kana with its voicing mark, or one character.
const UNIT = `(?:[\\u1100-\\u1112][\\u1161-\\u1175][\\u11a8-\\u11c2]?|[\\uff66-\\uff9d][\\uff9e\\uff9f]|(?=[${SPACELESS}])${LETTER})`;
const WORD = new RegExp(`${UNIT}${TAIL}*|(?![${SPACELESS}])${LETTER}(?:${TAIL}|(?![${SPACELESS}])${LETTER})*|(?!\\p{DI})\\S`, "gu");

const IGNORABLE = /\p{DI}/gu;
// Vowel marks of Arabic and Hebrew and tatweel: writers may leave them out.
const OPTIONAL = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]/gu;
// The dot that remains of İ in lower case.
const DOT_ABOVE_I = /(?<=i\p{M}*)\u0307/gu;

// The form of a word that is compared. Of characters that are no part of words, such as ™, compatibility forms stay apart.
function comparedForm(word, isFolded) {
  const seen = word.replace(IGNORABLE, "");
  if (!isFolded) return seen.normalize("NFC").toLowerCase();
  if (!/[\p{Alphabetic}\p{N}\p{M}]/u.test(seen)) return seen;
  const oneCase = seen.normalize("NFKD").toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
  return oneCase.replace(OPTIONAL, "").replace(DOT_ABOVE_I, "").normalize("NFC");
}

// Maximum number of edits in the search for the middle of a path; beyond it, the best point so far is used. Near-duplicates have fewer
// edits, and for other texts a minimal edit script is not worth its time.
const MAX_MIDDLE_EDITS = 500;
// About one second of work. The rest counts as changed, and the page says so.
const WORK_LIMIT = 60_000_000;
// Maximum number of words of a common passage that may be a coincidence.
const MAX_COINCIDENCE_WORDS = 3;
// Characters after which a row of the comparison ends with its sentence, not only with its line.
const LONG_ROW = 280;

const UNSEEN = -1;

// Numbers of words; equal for words that are compared as equal.
function wordNumbers(isFolded) {
  const [ofWords, ofForms] = [new Map(), new Map()];
  return (word) => {
    let number = ofWords.get(word);
    if (number === undefined) {
      const form = comparedForm(word, isFolded);
      number = ofForms.get(form) ?? ofForms.size;
      ofForms.set(form, number);
      ofWords.set(word, number);
    }
    return number;
  };
}

// Offsets of the words of a text, and keys that are equal for equal words.
function wordsOf(text, numberOf) {
  const starts = [];
  const ends = [];
  const keys = [];
  for (const found of text.matchAll(WORD)) {
    const word = found[0];
    starts.push(found.index);
    ends.push(found.index + word.length);
    keys.push(numberOf(word));
  }
  return { text, starts, ends, keys: Int32Array.from(keys), count: keys.length };
}

// For every word of the left text its partner in the right one, or -1: Myers' algorithm in linear space, which splits each box of the
// grid at the middle of its path.
function partners(left, right, limit = WORK_LIMIT) {
  const partner = new Int32Array(left.length).fill(-1);
  const work = { done: 0, limit };
  const boxes = [[0, left.length, 0, right.length]];
  let isCut = false;
  while (boxes.length > 0) {
    const box = trimmed(left, right, boxes.pop(), partner);
    if (box === null) continue;
    if (work.done > work.limit) {
      isCut = true;
      continue;
    }
    const [leftStart, leftEnd, rightStart, rightEnd] = box;
    const snake = middle(left, right, box, work);
    for (let step = 0; step < snake.length; step++) {
      partner[leftStart + snake.x + step] = rightStart + snake.y + step;
    }
    boxes.push([leftStart + snake.x + snake.length, leftEnd, rightStart + snake.y + snake.length, rightEnd]);
    boxes.push([leftStart, leftStart + snake.x, rightStart, rightStart + snake.y]);
  }
  return { partner, isCut };
}

// The box without its common prefix and suffix, or null if one side is empty then.
function trimmed(left, right, box, partner) {
  let [leftStart, leftEnd, rightStart, rightEnd] = box;
  while (leftStart < leftEnd && rightStart < rightEnd && left[leftStart] === right[rightStart]) {
    partner[leftStart++] = rightStart++;
  }
  while (leftStart < leftEnd && rightStart < rightEnd && left[leftEnd - 1] === right[rightEnd - 1]) {
    partner[--leftEnd] = --rightEnd;
  }
  const isEmpty = leftStart === leftEnd || rightStart === rightEnd;
  return isEmpty ? null : [leftStart, leftEnd, rightStart, rightEnd];
}

// A run of common words, possibly empty, in the middle of a path through the box: searched from both corners until the fronts meet.
function middle(left, right, box, work) {
  const [leftStart, leftEnd, rightStart, rightEnd] = box;
  const width = leftEnd - leftStart;
  const height = rightEnd - rightStart;
  const forward = front(width, height, left, leftStart, right, rightStart, 1);
  const backward = front(width, height, left, leftEnd - 1, right, rightEnd - 1, -1);
  const isOdd = (width - height) % 2 !== 0;
  for (let step = 0; ; step++) {
    if (step > MAX_MIDDLE_EDITS) return forward.best();
    const met = forward.advance(step, isOdd ? backward : null, step - 1);
    if (met) return met;
    const metBack = backward.advance(step, isOdd ? null : forward, step);
    if (metBack) return { x: width - metBack.x - metBack.length, y: height - metBack.y - metBack.length, length: metBack.length };
    work.done += forward.takeWork() + backward.takeWork();
  }
}

// Furthest points on each diagonal, by number of edits, from one corner of the box in one direction.
function front(width, height, left, leftCorner, right, rightCorner, direction) {
  const origin = Math.min(MAX_MIDDLE_EDITS, width + height) + 2;
  const reach = new Int32Array(2 * origin + 1).fill(UNSEEN);
  let work = 0;
  let lastStep = 0;

  // The furthest point on a diagonal after one more edit, or -1.
  function entered(diagonal) {
    const above = reach[origin + diagonal + 1];
    const before = reach[origin + diagonal - 1];
    let x = UNSEEN;
    if (above !== UNSEEN && above - diagonal <= height) x = above;
    if (before !== UNSEEN && before < width && before + 1 > x) x = before + 1;
    return x;
  }

  // Adds one edit to all paths. Returns the last common run of a path that meets the other front.
  function advance(step, other, otherSteps) {
    lastStep = step;
    const lowest = -(step - 2 * Math.max(0, step - height));
    const highest = step - 2 * Math.max(0, step - width);
    for (let diagonal = lowest; diagonal <= highest; diagonal += 2) {
      const start = step === 0 ? 0 : entered(diagonal);
      if (start === UNSEEN) continue;
      let x = start;
      let [leftWord, rightWord] = [leftCorner + direction * x, rightCorner + direction * (x - diagonal)];
      const end = Math.min(width, height + diagonal);
      while (x < end && left[leftWord] === right[rightWord]) {
        x++;
        leftWord += direction;
        rightWord += direction;
      }
      reach[origin + diagonal] = x;
      work += x - start + 1;
      const opposite = width - height - diagonal;
      if (other && Math.abs(opposite) <= otherSteps && other.reached(opposite, width - x)) {
        return { x: start, y: start - diagonal, length: x - start };
      }
    }
    return null;
  }

  function reached(diagonal, x) {
    const furthest = reach[origin + diagonal];
    return furthest !== UNSEEN && furthest >= x;
  }

  // The point furthest from the corner.
  function best() {
    let found = { x: 0, y: 0, length: 0 };
    for (let diagonal = -lastStep; diagonal <= lastStep; diagonal++) {
      const x = reach[origin + diagonal];
      if (x !== UNSEEN && 2 * x - diagonal > found.x + found.y) found = { x, y: x - diagonal, length: 0 };
    }
    return found;
  }

  function takeWork() {
    const taken = work;
    work = 0;
    return taken;
  }
  return { advance, reached, best, takeWork };
}

// Common and changed passages in order: { isSame, left: [start, end], right: [start, end] } in words.
function passages(partner, leftCount, rightCount) {
  const found = [];
  let [x, y] = [0, 0];
  while (x < leftCount || y < rightCount) {
    const [leftStart, rightStart] = [x, y];
    const isSame = x < leftCount && partner[x] === y;
    if (isSame) {
      while (x < leftCount && partner[x] === y) x++, y++;
    } else {
      while (x < leftCount && partner[x] === -1) x++;
      y = x < leftCount ? partner[x] : rightCount;
    }
    found.push({ isSame, left: [leftStart, x], right: [rightStart, y] });
  }
  return found;
}

// Merges common passages of a few words into longer changes on both sides: they would only split sentences.
function withoutCoincidences(found, left, right) {
  const characters = (words, [start, end]) => (start < end ? words.ends[end - 1] - words.starts[start] : 0);
  const size = (passage) => Math.max(characters(left, passage.left), characters(right, passage.right));
  const isCoincidence = (before, same, after) =>
    same.left[1] - same.left[0] <= MAX_COINCIDENCE_WORDS &&
    size(same) <= Math.min(size(before), size(after));
  const kept = [];
  for (const passage of found) {
    kept.push(passage);
    while (kept.length >= 3) {
      const [before, same, after] = kept.slice(-3);
      if (after.isSame || !isCoincidence(before, same, after)) break;
      const joined = { isSame: false, left: [before.left[0], after.left[1]], right: [before.right[0], after.right[1]] };
      kept.splice(-3, 3, joined);
    }
  }
  return kept;
}

// Rows of passages that begin at corresponding words: a row ends with a line, or with a sentence once it is long.
function rowsOf(found, left, right) {
  const rows = [];
  let rowStart = [0, 0]; // in words of either side
  for (const passage of found.flatMap((whole) => pieces(whole, left, right))) {
    let [word, leftEnd] = passage.left;
    const offset = passage.right[0] - word;
    const begin = () => {
      rows.push([]);
      rowStart = [word, word + offset];
    };
    if (rows.length === 0 || beginsRow(passage, left, right, rowStart)) begin();
    if (!passage.isSame) {
      rows.at(-1).push(passage);
      continue;
    }
    let from = word;
    const add = () => rows.at(-1).push({ isSame: true, left: [from, word], right: [from + offset, word + offset] });
    for (word++; word < leftEnd; word++) {
      if (!endsBefore(left, word, right, word + offset, rowStart)) continue;
      add();
      begin();
      from = word;
    }
    add();
  }
  return rows;
}

// Whether a passage begins a row: a changed one only at the beginning of a line.
function beginsRow(passage, left, right, rowStart) {
  if (passage.isSame) return endsBefore(left, passage.left[0], right, passage.right[0], rowStart);
  const isLineStart = (words, [start, end]) => start < end && gapBefore(words, start).includes("\n");
  return isLineStart(left, passage.left) || isLineStart(right, passage.right);
}

// Splits a changed passage line by line if equally many lines begin on both sides, counting the line of the word after it.
function pieces(passage, left, right) {
  const breaks = (words, [start, end]) => {
    const found = [];
    for (let word = start; word <= end && word < words.count; word++) if (gapBefore(words, word).includes("\n")) found.push(word);
    return found;
  };
  const [leftBreaks, rightBreaks] = passage.isSame ? [[], []] : [breaks(left, passage.left), breaks(right, passage.right)];
  if (leftBreaks.length === 0 || leftBreaks.length !== rightBreaks.length) return [passage];
  const ranges = ([start, end], cuts) => [start, ...cuts].map((from, at) => [from, cuts[at] ?? end]);
  const rightRanges = ranges(passage.right, rightBreaks);
  const cut = ranges(passage.left, leftBreaks).map((range, at) => ({ isSame: false, left: range, right: rightRanges[at] }));
  return cut.filter((piece) => piece.left[0] < piece.left[1] || piece.right[0] < piece.right[1]);
}

// The white space before a word.
const gapBefore = (words, word) =>
  words.text.slice(word > 0 ? words.ends[word - 1] : 0, word < words.count ? words.starts[word] : words.text.length);

// Whether a row ends before these words. A side without words in the row has no line to end.
function endsBefore(left, leftWord, right, rightWord, [leftStart, rightStart]) {
  if (leftWord > leftStart && gapBefore(left, leftWord).includes("\n")) return true;
  if (rightWord > rightStart && gapBefore(right, rightWord).includes("\n")) return true;
  if (leftWord === leftStart || left.starts[leftWord] - left.starts[leftStart] < LONG_ROW) return false;
  return /[.!?;。！？।؟]/u.test(left.text[left.ends[leftWord - 1] - 1]);
}

// Compares two texts: their words, rows of passages, the number of common words, and whether the work limit was reached.
function compareTexts(leftText, rightText, isFolded = true, limit = WORK_LIMIT) {
  const numberOf = wordNumbers(isFolded);
  const left = wordsOf(leftText, numberOf);
  const right = wordsOf(rightText, numberOf);
  const { partner, isCut } = partners(left.keys, right.keys, limit);
  const found = withoutCoincidences(passages(partner, left.count, right.count), left, right);
  const common = found.reduce((sum, passage) => sum + (passage.isSame ? passage.left[1] - passage.left[0] : 0), 0);
  return { left, right, rows: rowsOf(found, left, right), common, isCut };
}
