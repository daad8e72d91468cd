import assert from 'node:assert/strict';
import { check } from '../walks.mjs';
import { world } from '../world.mjs';

check('every page was visited', (t) => {
  t.diagnostic(`${world.visited.count} addresses`);
  assert.deepEqual(world.visited.missing, []);
});

check('no page has loaded more styles and scripts than it may', (t) => { // each visit looks; this says how many it may get before that
  const { bytes, pathname } = world.heaviest;
  t.diagnostic(`at most ${bytes} bytes compressed, by ${pathname}`);
  assert.ok(bytes > 20_000, 'they were counted');
});
