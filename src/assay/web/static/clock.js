/* Time at work: while the page is visible and somebody uses it. A pause counts up to half a minute. */

const LONGEST_PAUSE = 30_000;

export class Clock {
  constructor() {
    this.active = 0;
    this.last = performance.now();
    this.visible = !document.hidden;
    for (const event of ["keydown", "pointerdown", "pointermove", "wheel", "touchmove"])
      addEventListener(event, () => this.count(), { passive: true });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.count();
      this.last = performance.now();
      this.visible = !document.hidden;
    });
  }

  count() {
    const now = performance.now();
    if (this.visible) this.active += Math.min(now - this.last, LONGEST_PAUSE);
    this.last = now;
  }

  /** Milliseconds since somebody did something. */
  get idle() {
    return performance.now() - this.last;
  }

  /** Milliseconds at work since this was last asked. */
  take() {
    this.count();
    const active = Math.round(this.active);
    this.active = 0;
    return active;
  }
}
