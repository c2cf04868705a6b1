/* A document on the page: its words highlighted, whole or as an excerpt. Text is only ever set as text. */

const PASSAGE = 320;
const MOST_PASSAGES = 4;
const SHORT = 1_200;

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
const stems = (words) => words.map((word) => `(?<![\\p{L}\\p{N}_])${escaped(word)}[\\p{L}\\p{N}_]*`).join("|");

/** What is looked for, in one pattern: what is typed into the box, words of one's own, words of the topic. */
export function pattern({ find, own, terms }) {
  const groups = { found: find && escaped(find), mine: stems(own), word: stems(terms) };
  const given = Object.entries(groups).filter(([, source]) => source);
  return given.length ? new RegExp(given.map(([name, source]) => `(?<${name}>${source})`).join("|"), "giu") : null;
}

/** True if an excerpt would leave something out. */
export const isLong = (text) => text.length > SHORT;

/** The passages with most hits, in their order; the beginning, where there is no hit. */
export function excerpt(text, looked) {
  if (!isLong(text)) return text;
  const hits = looked ? [...text.matchAll(looked)].map((hit) => hit.index) : [];
  const around = hits.map((at) => ({ from: at - PASSAGE / 2, hits: hits.filter((other) => Math.abs(other - at) < PASSAGE / 2).length }));
  const chosen = [];
  for (const each of around.sort((one, other) => other.hits - one.hits)) {
    if (chosen.length === MOST_PASSAGES) break;
    if (chosen.every((other) => Math.abs(other.from - each.from) >= PASSAGE)) chosen.push(each);
  }
  if (!chosen.length) return `${cut(text, 0, SHORT)} …`;
  const passages = chosen.sort((one, other) => one.from - other.from).map(({ from }) => cut(text, from, from + PASSAGE));
  return `… ${passages.join("\n\n… ")} …`;
}

/** A part of a text that begins and ends between words. */
function cut(text, from, to) {
  const begin = from <= 0 ? 0 : text.indexOf(" ", from) + 1 || from;
  const end = to >= text.length ? text.length : text.lastIndexOf(" ", to);
  return text.slice(begin, end > begin ? end : to).trim();
}

/** Fill an element with a text, hits marked. */
export function fill(element, text, looked) {
  const parts = [];
  let at = 0;
  for (const hit of looked ? text.matchAll(looked) : []) {
    if (!hit[0]) continue;
    const mark = document.createElement("mark");
    mark.textContent = hit[0];
    mark.className = Object.entries(hit.groups).find(([, found]) => found !== undefined)[0];
    parts.push(text.slice(at, hit.index), mark);
    at = hit.index + hit[0].length;
  }
  element.replaceChildren(...parts, text.slice(at));
}

/** A paper with a task on it, made of the one that the page came with. */
export function draw(paper, task, looked, asExcerpt) {
  const shown = (text) => (asExcerpt ? excerpt(text, looked) : text);
  const [whole, ...sides] = paper.querySelectorAll(".text bdi");
  paper.dataset.assignment = task.assignment;
  paper.querySelector(".doc-id").textContent = `Document ${task.doc_id}`;
  fill(paper.querySelector(".heading bdi"), task.heading || task.doc_id, looked);
  const inPairs = task.sides.length > 0;
  fill(whole, inPairs ? "" : shown(task.text), looked);
  sides.forEach((side, place) => fill(side, shown(task.sides[place] ?? ""), looked));
  paper.querySelector(".single").hidden = inPairs;
  paper.querySelector(".sides").hidden = !inPairs;
  paper.querySelector(".no-text").hidden = Boolean(task.text);
}
