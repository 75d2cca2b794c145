// Two texts side by side, #left and #right, with marked passages. Passages have numbers.

// The passage selected.
let current = -1;

// Marks of a text: disjoint ranges, each with the passages that have it. `passages` lists their starts, ends and numbers; they may overlap.
function marksOf(passages) {
  const bounds = [...new Set(passages.flatMap(([start, end]) => [start, end]))].sort((a, b) => a - b);
  const starts = passages.toSorted((a, b) => a[0] - b[0]);
  const marks = [];
  let [open, next] = [[], 0];
  for (let place = 0; place + 1 < bounds.length; place++) {
    const [start, end] = [bounds[place], bounds[place + 1]];
    while (next < starts.length && starts[next][0] <= start) open.push(starts[next++]);
    open = open.filter(([, last]) => last > start);
    if (open.length > 0) marks.push({ start, end, passages: open.map(([, , number]) => number) });
  }
  return marks;
}

// A pane of a text; a click on a mark calls choose(number, side).
function paneOf(side, content, choose) {
  const body = element("div", { class: `pane ${side}`, id: side, tabindex: "0", role: "region", "aria-label": side === "left" ? "Document" : "Source" }, ...content);
  body.addEventListener("click", (event) => follow(event.target, side, choose));
  return body;
}

// Lines as paragraphs, each with the start of its text; marks are cut at their ends. `attributesOf(mark, isStart)` adds to those of a mark.
function paragraphs(text, marks, attributesOf = () => ({})) {
  let [start, next] = [0, 0];
  return text.split("\n").map((line) => {
    const end = start + line.length;
    const shown = element("p", { dir: "auto", "data-start": String(start) });
    let at = start;
    while (next < marks.length && marks[next].start < end) {
      const mark = marks[next];
      const from = Math.max(mark.start, at);
      shown.append(text.slice(at, from));
      at = Math.min(mark.end, end);
      if (at > from) shown.append(element("mark", { "data-passages": mark.passages.join(" "), ...attributesOf(mark, from === mark.start) }, text.slice(from, at)));
      if (mark.end > end) break;
      next++;
    }
    shown.append(text.slice(at, end));
    start = end + 1;
    return shown;
  });
}

function passageButtons(jump) {
  return element("div", { class: "buttons", role: "toolbar", "aria-label": "Passages" },
    element("button", { type: "button", id: "previous", title: "Key p", onclick: () => jump(-1) }, "← Previous passage"),
    element("button", { type: "button", id: "next", title: "Key n", onclick: () => jump(1) }, "Next passage →"));
}

const partsOf = (side, number) => byId(side).querySelectorAll(`mark[data-passages~="${number}"]`);

// Shows a passage in both texts. The text that was clicked does not move.
function select(number, unmoved = null) {
  current = number;
  // Lines of a text that is not in view have no measured height.
  if (unmoved === null) document.querySelector(".texts").scrollIntoView({ block: "nearest" });
  for (const mark of document.querySelectorAll("mark.current")) mark.classList.remove("current");
  for (const side of ["left", "right"]) {
    const parts = partsOf(side, number);
    for (const mark of parts) mark.classList.add("current");
    if (side !== unmoved) reveal(byId(side), parts[0]);
  }
}

// What each text was scrolled to last.
const revealed = new WeakMap();

// Scrolls a text, not the page.
function reveal(pane, target) {
  revealed.set(pane, target);
  if (target !== undefined) approach(pane, target);
}

// Lines out of sight have an estimated height until some frames after they are shown, so several steps may be needed: until the target has stood
// in its place for some frames. Near an end of the text it cannot get there, so the steps are limited.
function approach(pane, target, steps = 20, still = 3) {
  if (revealed.get(pane) !== target || steps === 0 || still === 0) return;
  const offset = target.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 3;
  pane.scrollTop += offset;
  requestAnimationFrame(() => approach(pane, target, steps - 1, Math.abs(offset) > 1 ? 3 : still - 1));
}

// A click on a mark selects its passage; further clicks on the same mark select the others that have it.
function follow(target, side, choose) {
  const mark = target.closest("mark");
  if (mark === null) return;
  const numbers = mark.dataset.passages.split(" ").map(Number);
  choose(numbers[(numbers.indexOf(current) + 1) % numbers.length], side);
}

// Selects the next or previous of some passages.
function selectNext(direction, numbers, choose) {
  if (numbers.length === 0) return;
  const at = numbers.indexOf(current);
  const first = direction > 0 ? 0 : numbers.length - 1;
  choose(numbers[at === -1 ? first : (at + direction + numbers.length) % numbers.length]);
}
