/* What was decided and is not saved yet: kept in this browser, so that it outlives the page, and sent in its order. Each
   entry has a key of its own, which the workbench takes once: to send it again is safe, from any tab. */

import { Refused, SignedOut } from "./server.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

/** A key that no other decision has. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, "0")).join("");
}

function stored() {
  try {
    return Object.entries(localStorage);
  } catch {
    return []; // the browser lets no page keep anything
  }
}

export class Queue {
  /** `saved(entry, answer)` and `changed()` are told what happens. */
  constructor({ name, server, saved, changed }) {
    Object.assign(this, { server, saved, changed });
    this.place = `assay/unsaved/${name}/`;
    this.aside = `assay/refused/${name}/`;
    this.memory = new Map(); // where the browser keeps nothing
    this.wait = 0;
    this.trouble = null;
    this.running = false;
    this.stamp = 0;
    addEventListener("storage", (event) => (event.key?.startsWith(this.place) || event.key?.startsWith(this.aside)) && this.changed());
    for (const event of ["online", "focus"]) addEventListener(event, () => this.hurry());
  }

  /** What is not saved yet, the oldest first. */
  get entries() {
    return this.below(this.place);
  }

  /** What the workbench did not take, and why. */
  get refused() {
    return this.below(this.aside).map(([, entry]) => entry);
  }

  below(place) {
    const kept = stored().map(([name, text]) => [name, () => JSON.parse(text)]);
    return [...kept, ...[...this.memory].map(([name, entry]) => [name, () => entry])]
      .filter(([name]) => name.startsWith(place))
      .map(([name, read]) => [name, read()])
      .sort(([one], [other]) => (one < other ? -1 : 1));
  }

  get length() {
    return this.entries.length;
  }

  /** Documents that entries are about. */
  get assignments() {
    return this.entries.map(([, entry]) => entry.fields.assignment);
  }

  /** Keep an entry, and send it when those before it are sent. */
  add(entry) {
    const last = Number(this.entries.at(-1)?.[0].slice(this.place.length).split("-")[0] ?? 0);
    this.stamp = Math.max(Date.now(), last + 1, this.stamp + 1); // in order, even if the clock is set back
    const name = `${this.place}${String(this.stamp).padStart(15, "0")}-${newKey().slice(0, 8)}`;
    this.keep(name, entry);
    this.changed();
    this.run();
  }

  /** Send again what was refused. */
  retry() {
    this.empty((name, entry) => this.keep(name.replace(this.aside, this.place), entry));
    this.run();
  }

  /** Forget what was refused. */
  discard() {
    this.empty(() => {});
  }

  empty(each) {
    for (const [name, entry] of this.below(this.aside)) {
      each(name, entry);
      this.drop(name);
    }
    this.changed();
  }

  keep(name, entry) {
    try {
      localStorage.setItem(name, JSON.stringify(entry));
    } catch {
      this.memory.set(name, entry);
    }
  }

  /** Try now, instead of waiting any longer. */
  hurry() {
    this.wake?.();
    this.run();
  }

  async run() {
    if (this.running) return;
    this.running = true;
    for (let first; (first = this.entries[0]);) {
      await this.sendOne(...first);
      this.changed();
      if (this.trouble) await this.pause();
    }
    this.running = false;
  }

  async sendOne(name, entry) {
    try {
      const answer = await this.server.post(entry.path, entry.fields);
      this.drop(name);
      this.trouble = null;
      this.wait = 0;
      this.saved(entry, answer);
    } catch (problem) {
      if (problem instanceof Refused) { // it is set aside: else nothing after it would be saved
        this.trouble = null;
        this.keep(name.replace(this.place, this.aside), { ...entry, problem: problem.message });
        this.drop(name);
      } else {
        this.trouble = problem;
        this.wait = Math.min(Math.max(this.wait * 2, FIRST_WAIT), problem instanceof SignedOut ? 4_000 : LONGEST_WAIT);
      }
    }
  }

  drop(name) {
    if (!this.memory.delete(name)) localStorage.removeItem(name);
  }

  pause() {
    return new Promise((resolve) => {
      this.wake = resolve;
      setTimeout(resolve, this.wait);
    });
  }
}
