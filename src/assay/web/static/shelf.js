/* The documents that this tab has: the one at hand and those that come next. They are fetched ahead, kept while somebody
   is at work, and given back when the page is left. Two tabs of one assessor share nothing out twice: they tell each
   other what they have. */

const SHORTEST = 15_000;
const AGAIN = 4_000;
const SOON = 200;

export class Shelf {
  /** `busy()` names documents whose labels are not saved yet; `changed()` is told when documents come or go. */
  constructor({ name, server, minutes, clock, busy, changed }) {
    Object.assign(this, { server, clock, busy, changed, lease: minutes * 60_000 });
    this.tasks = [];
    this.finished = new Set();
    this.elsewhere = new Map();
    this.problem = null;
    this.ended = false;
    this.filling = null;
    this.resting = false;
    this.tab = `${String(Date.now()).padStart(15, "0")}-${Math.random()}`;
    this.channel = new BroadcastChannel(`assay/${name}`);
    this.channel.onmessage = ({ data }) => this.heard(data);
    addEventListener("pagehide", () => this.leave());
    setInterval(() => this.renew(), Math.max(this.lease / 4, SHORTEST));
  }

  /** Begin with the document of the page. */
  begin(task) {
    if (task) this.tasks = [task];
    this.say("hello");
  }

  has(assignment) {
    return this.tasks.some((task) => task.assignment === assignment);
  }

  /** Put a document before all others. */
  putFirst(task) {
    this.finished.delete(task.assignment);
    this.tasks = [task, ...this.tasks.filter((each) => each.assignment !== task.assignment)];
  }

  /** Take a document away: it is done with. */
  remove(assignment) {
    this.tasks = this.tasks.filter((task) => task.assignment !== assignment);
    this.finished.add(assignment);
    this.ended = false;
    this.say("judged", { assignment });
  }

  /** Fetch documents until there are so many. */
  async fill(number) {
    if (this.ended || this.tasks.length >= number) this.problem = null; // nothing is missing any more
    else if (!this.filling && !this.resting) return this.fetch(number);
    return this.filling;
  }

  async fetch(number) {
    this.filling = this.fetchMore(number);
    const pause = await this.filling;
    this.filling = null;
    if (pause) {
      this.resting = true;
      setTimeout(() => {
        this.resting = false;
        this.changed();
      }, pause);
    }
    this.changed();
  }

  /** Fetch what is missing; how long to wait before more is asked for. */
  async fetchMore(number) {
    const mine = this.tasks.map((task) => task.assignment);
    const others = [...this.elsewhere.values()].flat();
    const wanted = number - mine.length;
    this.finished.clear(); // what is done with while the answer is on its way does not come again
    try {
      const answer = await this.server.post("/ahead", { number: wanted, besides: [...mine, ...others, ...this.busy()] });
      const isTheirs = (key) => [...this.elsewhere].some(([tab, theirs]) => tab < this.tab && theirs.includes(key));
      const isNew = (key) => !this.has(key) && !this.finished.has(key) && !isTheirs(key);
      const fresh = answer.data.tasks.filter((task) => isNew(task.assignment));
      this.tasks.push(...fresh);
      this.ended = answer.data.tasks.length < wanted;
      this.problem = null;
      this.say("mine");
      return fresh.length ? 0 : SOON;
    } catch (problem) {
      this.problem = problem;
      return AGAIN;
    }
  }

  /** Keep what is here, as long as somebody is at work: a page that was forgotten keeps nothing from others. */
  async renew() {
    if (!this.tasks.length || this.clock.idle > this.lease) return;
    const asked = this.tasks.map((task) => task.assignment);
    let leases;
    try {
      ({ leases } = (await this.server.post("/keep", { assignments: asked })).data);
    } catch {
      return; // what is decided is saved all the same, as a late label
    }
    const [first] = this.tasks;
    for (const task of this.tasks) task.lease_until = leases[task.assignment] ?? task.lease_until;
    const lost = (task) => asked.includes(task.assignment) && !(task.assignment in leases) && task !== first;
    if (this.tasks.some(lost)) {
      this.tasks = this.tasks.filter((task) => !lost(task));
      this.changed();
    }
  }

  /** Give back what is here; a lease that was renewed elsewhere meanwhile is not ended. */
  leave() {
    const leases = Object.fromEntries(this.tasks.map((task) => [task.assignment, task.lease_until]));
    if (this.tasks.length) this.server.tell("/leave", { leases });
    this.say("gone");
  }

  say(kind, more = {}) {
    const assignments = this.tasks.map((task) => task.assignment);
    this.channel.postMessage({ kind, tab: this.tab, assignments, ...more });
  }

  heard({ kind, tab, assignments, assignment }) {
    if (kind === "gone") this.elsewhere.delete(tab);
    else this.elsewhere.set(tab, assignments);
    if (kind === "hello") this.say("mine");
    if (assignment) this.finished.add(assignment);
    const before = this.tasks.length;
    // Of two tabs with the same document, the one that was opened first keeps it.
    const theirs = kind === "mine" && tab < this.tab ? assignments : [];
    this.tasks = this.tasks.filter((task) => task.assignment !== assignment && !theirs.includes(task.assignment));
    if (this.tasks.length === before && kind !== "gone") return;
    this.ended = false; // there may be more now
    this.changed();
  }
}
