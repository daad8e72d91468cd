import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

walk('a banner says that no worker runs', async (v) => {
  const banner = v.main.getByText('No worker takes jobs.');
  await v.go('/dcim/regions/');
  await v.eventually('a worker runs', async () => await banner.count() === 0);
  await world.stopWorker();
  await v.eventually('no worker runs', () => banner.isVisible());
  assert.deepEqual(await v.outOfReach('the banner'), []);
  world.startWorker();
  await v.eventually('a worker runs again', async () => await banner.count() === 0);
});
