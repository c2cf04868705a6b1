/* The judging page: keys and clicks become decisions, which are shown at once, queued, and saved as soon as they can be. */

import { Clock } from "./clock.js";
import { draw, isLong, pattern } from "./paper.js";
import { Queue, newKey } from "./queue.js";
import { SignedOut, Server } from "./server.js";
import { Shelf } from "./shelf.js";

const AHEAD = 4; // the document at hand, and the next three
const LISTED = 10;
const PHONE = 700;

const $ = (name) => document.getElementById(name);
const root = $("judging");
const page = JSON.parse(root.dataset.page);
const { user, here, enter } = root.dataset;
const form = $("decision");
const name = `${user}@${here}`;

const clock = new Clock();
const server = new Server(root.dataset);
const queue = new Queue({ name, server, saved, changed: showQueue });
const shelf = new Shelf({ name, server, minutes: page.lease, clock, busy: () => queue.assignments, changed: showAll });

let papers = []; // those on the page: each { task, element, decided }
let current = null;
let answers = {}; // to questions about the document at hand, while some are open
let history = []; // decisions of this page, to undo them
let judged = page.judged;
let left = page.left;
let hit = -1;
let asList = false;
let asExcerpt = kept("excerpt") === "yes";

// What was decided

/** Decide on the document at hand: a grade, or null where none can be given. */
function decide(value, input) {
  if (!current) return;
  const { task } = current;
  const fields = {
    assignment: task.assignment, key: newKey(), note: form.note.value.trim(), active_ms: clock.take(), input,
    shown: task.shown, client_at: Date.now(), further: answers.further ?? {},
    ...(task.guideline ? { guideline: task.guideline } : {}), ...(value === null ? { cannot: true } : { grade: value }),
  };
  const grade = task.aspects[0].grades.find((each) => each.value === value);
  const said = grade?.label ?? "cannot judge";
  if (!current.decided) count(1);
  history = [...history.filter((each) => each.task !== task), { task, kind: "label" }];
  queue.add({ path: "", said, fields }); // before more is asked for: else it would be handed out again
  finish(said);
}

function skip() {
  if (!current) return;
  const { task } = current;
  history.push({ task, kind: "skip" });
  queue.add({ path: "/skip", said: "skipped", fields: { assignment: task.assignment } });
  finish("skipped");
}

/** Have the last one back. */
async function undo() {
  if (answers.value !== undefined || Object.keys(answers.further ?? {}).length) return ask({});
  const last = history.pop();
  if (!last) return undoEarlier();
  if (last.kind === "label") {
    queue.add({ path: "/undo", said: "undone", fields: { assignment: last.task.assignment, key: newKey() } });
    count(-1);
  }
  shelf.putFirst(last.task);
  const listed = papers.find((paper) => paper.task.assignment === last.task.assignment);
  if (listed) mark(listed, "");
  open(listed ? papers : [last.task], listed);
}

/** Undo what was decided before this page was loaded. */
async function undoEarlier() {
  if (queue.length) return say("Wait until all is saved, then undo.");
  try {
    const answer = await server.post("/undo", { key: newKey() });
    if (answer.data.assignment) location.reload();
    else say(answer.message);
  } catch (problem) {
    say(problem instanceof SignedOut ? "Sign in again to undo." : `Not undone: ${problem.message}.`);
  }
}

/** The document at hand is done with: go on to the next one. */
function finish(said) {
  shelf.remove(current.task.assignment);
  mark(current, said);
  const next = asList ? papers.find((paper) => !paper.decided) : null;
  if (next) turnTo(next);
  else {
    current = null;
    refresh();
  }
  shelf.fill(asList ? LISTED : AHEAD);
}

function count(by) {
  judged += by;
  left = Math.max(left - by, 0);
  $("progress").textContent = `${judged.toLocaleString("en")} judged, about ${left.toLocaleString("en")} left`;
}

// Questions and their answers

/** Take an answer to the question that is open; the last one decides. */
function answer(key) {
  const { task } = current;
  const open = task.aspects.findIndex((aspect, place) => (place ? !(aspect.name in (answers.further ?? {})) : answers.value === undefined));
  const grade = task.aspects[Math.max(open, 0)].grades.find((each) => each.key === key);
  if (!grade) return false;
  if (open === 0) ask({ ...answers, value: grade.value }, "key");
  else ask({ ...answers, further: { ...answers.further, [task.aspects[open].name]: grade.value } }, "key");
  return true;
}

/** Show what is answered, and what is asked next; decide where nothing is. */
function ask(given, input) {
  answers = given;
  const further = given.further ?? {};
  const missing = current ? current.task.aspects.slice(1).filter((aspect) => !(aspect.name in further)) : [];
  if (given.value !== undefined && !missing.length) return decide(given.value, input);
  for (const button of form.querySelectorAll("button.grade"))
    button.setAttribute("aria-pressed", given.value === Number(button.value));
  for (const choice of form.querySelectorAll(".further input"))
    choice.checked = further[choice.closest("fieldset").dataset.name] === Number(choice.value);
  const next = given.value === undefined ? "" : missing[0].name;
  form.querySelector(".grades").classList.toggle("asked", missing.length > 0 && !next);
  for (const question of form.querySelectorAll(".further")) question.classList.toggle("asked", question.dataset.name === next);
}

// What is on the page

/** Show what is at hand now, after documents came or went. */
function refresh() {
  if (!form || (current && (current.decided || shelf.has(current.task.assignment)))) return;
  const [next] = shelf.tasks;
  if (next) return open(asList ? shelf.tasks.filter((task) => task.topic_id === next.topic_id).slice(0, LISTED) : [next]);
  current = null;
  root.classList.add("waiting");
  if (shelf.ended && !shelf.elsewhere.size && !queue.length) location.assign(here);
  else if (shelf.ended && shelf.elsewhere.size && !queue.length) say("The rest is open in another tab of yours.");
  else if (!shelf.problem) say("The next document is on its way.");
  shelf.fill(asList ? LISTED : AHEAD);
}

/** Lay out tasks, or papers that lie there already, and turn to one of them. */
function open(tasks, turned) {
  if (!turned) {
    const model = $("papers").firstElementChild;
    papers = tasks.map((task, place) => {
      const element = place ? model.cloneNode(true) : model;
      element.removeAttribute("aria-labelledby");
      element.querySelector(".heading").id = `heading-${task.assignment}`;
      element.setAttribute("aria-labelledby", `heading-${task.assignment}`);
      return { task, element, decided: "" };
    });
    $("papers").replaceChildren(...papers.map((paper) => paper.element));
    papers.forEach((paper) => mark(paper, ""));
  }
  root.classList.remove("waiting");
  root.classList.toggle("as-list", papers.length > 1);
  turnTo(turned ?? papers[0]);
  shelf.fill(asList ? LISTED : AHEAD);
}

/** Make a paper the one at hand: its topic is shown, its heading has the focus. */
function turnTo(paper) {
  const isOther = current?.task !== paper.task;
  current = paper;
  const { task } = paper;
  $("topic-id").textContent = `Topic ${task.topic_id}`;
  $("topic").firstElementChild.textContent = task.title;
  for (const part of ["description", "narrative"]) {
    $(part).firstElementChild.textContent = task[part];
    $(part).hidden = !task[part];
  }
  $("guidelines").hidden = !task.guidelines;
  $("guidelines").querySelector("p").textContent = task.guidelines;
  for (const each of papers) each.element.classList.toggle("current", each === paper);
  if (isOther) form.note.value = "";
  showNote(Boolean(form.note.value));
  ask({});
  drawAll();
  paper.element.querySelector(".heading").focus({ preventScroll: true });
  if (papers.length > 1) paper.element.scrollIntoView({ block: "nearest" });
  else scrollTo({ top: 0, behavior: "instant" });
}

/** Say on a paper what was decided of it. */
function mark(paper, said) {
  paper.decided = said;
  paper.element.classList.toggle("decided", Boolean(said));
  const given = paper.element.querySelector(".given");
  given.textContent = said && `✓ ${said}`;
  given.hidden = !said;
}

function drawAll() {
  if (!current) return;
  const looked = pattern({ find: looking(), own: own(), terms: current.task.terms });
  for (const { task, element } of papers) draw(element, task, looked, asExcerpt);
  $("excerpt").setAttribute("aria-pressed", asExcerpt);
  $("excerpt").hidden = !papers.some(({ task }) => isLong(task.text));
  $("own").replaceChildren(...own().map((word) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: `${word} ×` });
    button.setAttribute("aria-label", `No longer highlight ${word}`);
    button.onclick = () => keepOwn(own().filter((each) => each !== word));
    return button;
  }));
  hit = -1;
  showHit();
}

// Words that are looked for

const looking = () => $("find").find.value.trim();
const own = () => JSON.parse(kept(`words/${current.task.topic_id}`) ?? "[]");

function keepOwn(words) {
  keep(`words/${current.task.topic_id}`, JSON.stringify(words));
  drawAll();
}

function hits() {
  return [...(current?.element.querySelectorAll(looking() ? "mark.found" : "mark") ?? [])];
}

function turnToHit(by) {
  const found = hits();
  if (!found.length) return;
  hit = hit < 0 && by < 0 ? found.length - 1 : (hit + by + found.length) % found.length;
  found.forEach((mark, place) => mark.classList.toggle("current", place === hit));
  found[hit].scrollIntoView({ block: "center" });
  showHit();
}

function showHit() {
  const { length } = hits();
  $("hits").textContent = length ? `${hit < 0 ? "" : `${hit + 1} of `}${length} hit${length === 1 ? "" : "s"}` : "no hits";
}

// What is saved

function saved(entry, { data }) {
  const late = data.is_late || data.is_surplus ? " (late: others may have had it meanwhile)" : "";
  say(entry.path ? `${entry.said[0].toUpperCase()}${entry.said.slice(1)}.` : `Saved: ${entry.said}${late}.`);
}

/** Say what the workbench does not take: it stays in this browser until somebody decides what becomes of it. */
function showRefused() {
  const found = queue.refused;
  const button = (text, does) => Object.assign(document.createElement("button"), { className: "quiet", textContent: text, onclick: does });
  const told = found.map((entry) => `${entry.said} (${entry.problem})`).join("; ");
  $("refused").hidden = !found.length;
  $("refused").replaceChildren(`Not saved: ${told}. `, button("Try again", () => queue.retry()), " ", button("Discard", () => queue.discard()));
}

/** How much is not saved, and why; on a page where nothing is left, too. */
function showQueue() {
  const number = queue.length;
  if (!number && shelf.problem) shelf.fill(AHEAD);
  const problem = (number && queue.trouble) || shelf.problem; // another tab may have sent what was here
  const unsaved = $("unsaved");
  if (unsaved) {
    unsaved.hidden = !number;
    unsaved.textContent = `${number} unsaved`;
  }
  const kept = number ? `${number} unsaved: kept in this browser, and sent ` : "";
  $("trouble").hidden = !problem;
  if (problem instanceof SignedOut) {
    const link = Object.assign(document.createElement("a"), { href: enter, target: "_blank", textContent: "Sign in again" });
    $("trouble").replaceChildren("You are signed out. ", link, ". ", kept && `${kept}then.`);
  } else if (problem) {
    $("trouble").textContent = `Something is wrong: ${problem.message}. ${kept ? `${kept}as soon as it can be` : "This page tries again"}.`;
  }
  showRefused();
  if (!number && !current) refresh();
}

function showAll() {
  refresh();
  showQueue();
}

function say(text) {
  const place = $("saving");
  if (place) place.textContent = text;
}

// Keys and clicks

function showNote(isShown) {
  $("note").hidden = !isShown;
  $("show-note").setAttribute("aria-expanded", isShown);
}

function writeNote() {
  showNote(true);
  form.note.focus();
}

function toDocument() {
  current?.element.querySelector(".heading").focus({ preventScroll: true });
}

function toggleExcerpt() {
  asExcerpt = !asExcerpt;
  keep("excerpt", asExcerpt ? "yes" : "no");
  drawAll();
}

async function toggleList() {
  if (!$("list")) return;
  asList = !asList;
  $("list").setAttribute("aria-pressed", asList);
  if (current) shelf.putFirst(current.task);
  if (asList) await shelf.fill(LISTED);
  current = null;
  refresh();
}

function step(by) {
  const next = papers[papers.indexOf(current) + by];
  if (next) turnTo(next);
}

const toggle = (element) => (element.open = !element.open);
const commands = {
  x: () => decide(null, "key"), s: skip, u: undo, n: writeNote, "/": () => ($("find").find.focus(), $("find").find.select()),
  j: () => turnToHit(1), k: () => turnToHit(-1), f: toggleExcerpt, b: toggleList, t: () => toggle($("about")),
  h: () => (($("about").open = true), toggle($("guidelines"))), "?": () => $("keys").showModal(),
};

function press(event) {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing || $("keys").open) return;
  if (target.matches("input:not([type=radio]):not([type=checkbox]), textarea, select")) {
    if (key === "Escape" || (key === "Enter" && target === form.note)) {
      event.preventDefault();
      toDocument();
    }
    return;
  }
  const arrow = papers.length > 1 && { ArrowDown: 1, ArrowUp: -1 }[key];
  const isGrade = current && answer(key);
  if (!isGrade && arrow) step(arrow);
  else if (!isGrade && commands[key] && (current || "u?".includes(key))) commands[key]();
  else if (!isGrade) return;
  event.preventDefault();
}

function start() {
  root.classList.add("live");
  if (innerWidth < PHONE) $("about").open = false;
  document.addEventListener("keydown", press);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    if (!current || !button) return;
    if (button.name === "cannot") decide(null, "click");
    else if (button.name === "skip") skip();
    else if (answers.value === Number(button.value)) decide(answers.value, "click"); // a second time: save without the rest
    else ask({ ...answers, value: Number(button.value) }, "click");
  });
  form.addEventListener("change", ({ target }) => {
    if (target.type !== "radio") return;
    const question = target.closest("fieldset").dataset.name;
    ask({ ...answers, further: { ...answers.further, [question]: Number(target.value) } }, "click");
  });
  $("undo").addEventListener("submit", (event) => (event.preventDefault(), undo()));
  $("show-note").onclick = writeNote;
  $("show-keys").onclick = () => $("keys").showModal();
  $("excerpt").onclick = toggleExcerpt;
  if ($("list")) $("list").onclick = toggleList;
  $("hit-after").onclick = () => turnToHit(1);
  $("hit-before").onclick = () => turnToHit(-1);
  $("find").find.addEventListener("input", drawAll);
  $("find").addEventListener("submit", (event) => {
    event.preventDefault();
    if (current && looking() && !own().includes(looking())) {
      const word = looking();
      $("find").find.value = "";
      keepOwn([...own(), word]);
    }
    turnToHit(1);
    toDocument();
  });
  $("papers").addEventListener("click", ({ target }) => {
    const paper = papers.find(({ element }) => element.contains(target));
    if (paper && paper !== current && !getSelection().toString()) turnTo(paper);
  });
  // A document whose label is still on its way was judged before this page was loaded.
  shelf.begin(queue.assignments.includes(page.task.assignment) ? null : page.task);
  refresh();
}

function kept(what) {
  try {
    return localStorage.getItem(`assay/${name}/${what}`);
  } catch {
    return null;
  }
}

function keep(what, value) {
  try {
    localStorage.setItem(`assay/${name}/${what}`, value);
  } catch {
    // it is forgotten with the page
  }
}

addEventListener("beforeunload", (event) => queue.length && event.preventDefault());
addEventListener("pageshow", (event) => event.persisted && location.reload()); // what it had was given back
if (form) start();
showQueue();
queue.run();
