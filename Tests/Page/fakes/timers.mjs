/**
 * `setTimeout` on a clock of the test's: older versions of Node have no such timers, or others.
 *
 * @param {import("node:test").TestContext} t whose end brings the real ones back
 */
export function fakeTimers(t) {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  let now = 0, last = 0;
  const due = new Map();
  globalThis.setTimeout = (body, delay = 0, ...rest) => {
    last += 1;
    due.set(last, { at: now + Math.max(0, delay), body: () => body(...rest) });
    return last;
  };
  globalThis.clearTimeout = (id) => { due.delete(id); };
  const timers = {
    /** Lets so many ms pass: what falls due runs in order, also what that begins. */
    tick(ms) {
      const end = now + ms;
      for (;;) {
        const next = [...due].filter(([, { at }]) => at <= end).sort(([a, one], [b, other]) => one.at - other.at || a - b)[0];
        if (!next) break;
        due.delete(next[0]);
        now = next[1].at;
        next[1].body();
      }
      now = end;
    },
    reset() { Object.assign(globalThis, real); },
  };
  t.after(() => timers.reset());
  return timers;
}
