// The tests, by the file they stand in. main.mjs says when each runs.
import { Visitor } from './visitor.mjs';

export const walks = [];

// check is a test without a browser.
export function check(name, steps) { walks.push({ name, steps }); }

// walk is a test with a browser of its own. Options: see Visitor.open.
export function walk(name, options, steps) {
  if (typeof options === 'function') {
    [options, steps] = [{}, options];
  }
  check(name, async (t) => {
    const visitor = await Visitor.open(options);
    try {
      await steps(visitor, t);
      await visitor.settle();
    } catch (error) {
      await visitor.leaveTraces(name);
      throw error;
    } finally {
      await visitor.close();
    }
  });
}
