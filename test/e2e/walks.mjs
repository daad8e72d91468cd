// The tests, by the file they are in. main.mjs decides when each runs.
import { Visitor } from './visitor.mjs';

export const walks = [];

// check adds a test without a browser.
export function check(name, steps) { walks.push({ name, steps }); }

// walk adds a test with its own browser window. For the options see Visitor.open.
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
