// A thesis, and another one that copies parts of it.

const letters = (number) => [...String(number)].map((digit) => "abcdefghij"[digit]).join("");
// Sentences of words that no other sentence has.
const sentence = (number, words = 12) => `${Array.from({ length: words }, (_, at) => `w${letters(number * 100 + at)}`).join(" ")}.`;
const paragraph = (first, count = 6) => Array.from({ length: count }, (_, at) => sentence(first + at)).join(" ");
const chapter = (title, first, paragraphs = 6) => [`# ${title}`, ...Array.from({ length: paragraphs }, (_, at) => paragraph(first + 10 * at))].join("\n\n");

export const thesis = () => [chapter("Introduction", 1000), chapter("Methods", 2000), chapter("Results", 3000)].join("\n\n");

// The methods as they are, one paragraph of the results twice; the rest is new.
export const copiedThesis = () => [
  ["copy.md", [chapter("Preface", 7000), chapter("Our methods", 2000), `# Our results\n\n${paragraph(8000)}\n\n${paragraph(3010)} ${paragraph(8100)}\n\n${paragraph(3010)}`].join("\n\n")],
  ["source.md", thesis()],
];
