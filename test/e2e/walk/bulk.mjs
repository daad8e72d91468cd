import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

const made = (prefix, n) => world.api('POST', '/api/dcim/sites/', Array.from({ length: n }, (_, i) => ({ name: `${prefix} ${i + 1}`, slug: `${prefix.toLowerCase()}-${i + 1}` })));

walk('selected rows are edited together', async (v) => {
  await made('Beja', 4);
  await v.go('/dcim/sites/?q=beja');
  await v.main.getByLabel('Select Beja 1', { exact: true }).check();
  await v.main.getByLabel('Select Beja 3', { exact: true }).check();
  await v.press('Edit 2 selected');
  await v.sees('Beja 1', 'Beja 3');
  await v.inReach('the edit of several');
  await v.main.locator('#id_description').fill('Edited together');
  assert.ok(await v.main.locator('input[name=change][value=description]').isChecked(), 'typing ticks the box');
  await v.main.locator('#id_region').fill('Portugal');
  await v.press('Change 2 sites');
  await v.sees('Updated 2 sites.');
  assert.equal(new URL(v.page.url()).search, '?q=beja', 'back in the same list');
  const now = (await world.api('GET', '/api/dcim/sites/?q=beja&ordering=name')).results;
  assert.deepEqual(now.map((site) => site.description), ['Edited together', '', 'Edited together', '']);
  assert.deepEqual(now.map((site) => site.region?.name), ['Portugal', undefined, 'Portugal', undefined]);
});

walk('all that match are edited and deleted, also those on other pages', async (v) => {
  await made('Viseu', 30);
  await v.go('/dcim/sites/?q=viseu&limit=25');
  await v.main.getByLabel('All 30 that match').check();
  await v.press('Edit 30 selected');
  await v.sees('and 20 more');
  await v.main.locator('#id_facility').fill('VIS');
  await v.press('Change 30 sites');
  await v.sees('Updated 30 sites.');

  await v.go('/dcim/sites/?facility=VIS');
  await v.press('Delete selected');
  await v.sees('Nothing is selected.');
  await v.main.getByLabel('Select all on this page').check();
  await v.press('Delete 30 selected');
  await v.inReach('the deletion of several');
  await v.press('Delete 30 sites');
  await v.sees('Deleted 30 sites.');
  assert.equal((await world.api('GET', '/api/dcim/sites/?q=viseu')).count, 0);
});

walk('what is wrong with one of many changes none', async (v) => {
  await made('Guarda', 2);
  await v.go('/dcim/sites/?q=guarda');
  await v.main.getByLabel('Select all on this page').check();
  await v.press('Edit 2 selected');
  await v.main.locator('#id_latitude').fill('91');
  await v.press('Change 2 sites', { status: 400 });
  await v.sees('Nothing was saved.', 'Ensure this value is less than or equal to 90.');
  await v.inReach('a refused edit of several');
});

walk('and each of several is named with what is wrong with it', async (v) => {
  await v.go('/dcim/regions/?name=Europe&name=Portugal');
  await v.main.getByLabel('Select Europe', { exact: true }).check();
  await v.main.getByLabel('Select Portugal', { exact: true }).check();
  await v.press('Edit 2 selected');
  await v.main.locator('#id_parent').fill('Portugal');
  await v.press('Change 2 regions', { status: 400 });
  await v.sees('What is wrong');
  assert.ok(await v.main.locator('.refused tbody tr').count() >= 1);
  await v.inReach('what is wrong with each of several');
});
