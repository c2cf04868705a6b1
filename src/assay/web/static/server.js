/* What the page asks of the workbench: forms as JSON, with what proves that this page sends them. */

/** Nobody is signed in, or somebody else is: what is to be sent waits. */
export class SignedOut extends Error {}

/** The workbench does not answer, or cannot now: the same is sent again later. */
export class Unreachable extends Error {}

/** The workbench says that it will not take this, and why. */
export class Refused extends Error {}

const PATIENCE = 20_000;

export class Server {
  constructor({ api, here, user }) {
    this.api = api;
    this.here = here;
    this.user = user;
    this.csrf = document.querySelector("meta[name=csrf]").content;
  }

  /** Send a form; its answer, or one of the errors above. */
  async post(path, fields) {
    let answer = await this.send(path, fields);
    if (answer.status === 403) { // signed in again meanwhile: this page's proof is that of the session before
      await this.refresh();
      answer = await this.send(path, fields);
    }
    if (answer.status === 401) throw new SignedOut();
    const found = await answer.json().catch(() => null);
    if (answer.ok && found) return found;
    const message = found?.error?.message ?? `the workbench answered ${answer.status}`;
    const refused = [400, 403, 404, 409, 413, 415, 422].includes(answer.status);
    throw refused ? new Refused(message) : new Unreachable(message);
  }

  /** Send a form when the page is left: nobody waits for the answer. */
  tell(path, fields) {
    this.send(path, fields, { keepalive: true }).catch(() => {});
  }

  async send(path, fields, more = { signal: AbortSignal.timeout(PATIENCE) }) {
    try {
      return await fetch(this.api + path, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRF-Token": this.csrf },
        body: JSON.stringify(fields),
        ...more,
      });
    } catch {
      throw new Unreachable("the workbench does not answer");
    }
  }

  /** Read the proof of the session that there is now, from the page itself. */
  async refresh() {
    let answer;
    try {
      answer = await fetch(this.here, { redirect: "manual", signal: AbortSignal.timeout(PATIENCE) });
    } catch {
      throw new Unreachable("the workbench does not answer");
    }
    if (answer.type === "opaqueredirect") throw new SignedOut();
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (page.getElementById("judging")?.dataset.user !== this.user) throw new SignedOut();
    this.csrf = page.querySelector("meta[name=csrf]").content;
  }
}
