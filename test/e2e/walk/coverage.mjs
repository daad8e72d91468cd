import assert from 'node:assert/strict';
import { check } from '../walks.mjs';
import { world } from '../world.mjs';

check('every page was visited', (t) => {
  t.diagnostic(`${world.visited.count} addresses`);
  assert.deepEqual(world.visited.missing, []);
});
