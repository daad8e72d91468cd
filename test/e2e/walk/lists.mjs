import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';

const names = (v) => v.main.locator('tbody th a').allInnerTexts();
const address = (v) => new URL(v.page.url());
const open = (v, name) => v.main.locator('details.drop > summary', { hasText: name }).click();

walk('quick search narrows a list', async (v) => {
  await v.go('/dcim/sites/');
  await v.main.getByPlaceholder('Quick search').fill('hamburg 1');
  await v.press('Search');
  const found = await names(v);
  assert.ok(found.length === 11 && found.every((name) => name.startsWith('Hamburg 1')), found.join());
  await v.press(v.main.locator('.chip'));
  assert.equal(address(v).search, '');
  await v.go('/dcim/sites/?q=no+such+site');
  await v.sees('Nothing matches.');
  await v.follow('Show all');
});

walk('the filter panel filters, and chips take filters away', async (v) => {
  await v.go('/dcim/sites/');
  await open(v, 'Filter');
  const panel = v.main.locator('.filter-form');
  await panel.getByLabel('Planned', { exact: true }).check();
  await panel.getByLabel('Retired', { exact: true }).check();
  const region = panel.getByLabel('Region', { exact: true });
  await region.fill('germ');
  await v.page.waitForFunction(() => document.querySelector('#f_region_list')?.options.length === 1);
  await region.fill(await v.page.locator('#f_region_list option').getAttribute('value'));
  await v.press('Apply');
  assert.equal(await v.main.locator('.chip').count(), 2);
  const both = await names(v);
  assert.ok(both.length > 0 && both.every((name) => /Berlin|Hamburg/.test(name)), both.join());
  await v.press(v.main.locator('.chip', { hasText: 'Status' }));
  assert.equal(await v.main.locator('.count').innerText(), '1–40 of 40');
  assert.equal(address(v).searchParams.get('region'), 'germany');
});

walk('headers sort both ways', async (v) => {
  await v.go('/dcim/sites/?limit=25&q=point+of+presence');
  const header = (name) => v.main.locator('thead').getByRole('link', { name });
  await v.press(header('Name'));
  assert.equal((await names(v))[0], 'Porto 20');
  assert.equal(await v.main.locator('th[aria-sort]').getAttribute('aria-sort'), 'descending');
  await v.press(header('Name'));
  assert.equal((await names(v))[0], 'Berlin 2');
  await v.press(header('Facility'));
  assert.equal((await names(v))[0], 'Berlin 2');
  assert.equal(address(v).searchParams.get('ordering'), 'facility');
});

walk('columns are chosen, for one list and for longer', async (v) => {
  await v.go('/dcim/sites/');
  const heads = () => v.main.locator('thead th').allInnerTexts();
  await open(v, 'Columns');
  const box = v.main.locator('details[open] form');
  await box.getByLabel('Time zone', { exact: true }).check();
  await box.getByLabel('Facility', { exact: true }).uncheck();
  await v.press('Show');
  assert.ok((await heads()).includes('Time zone') && !(await heads()).includes('Facility'), (await heads()).join());
  await v.go('/dcim/sites/?q=porto');
  assert.ok((await heads()).includes('Time zone'));
  await v.go('/dcim/regions/');
  assert.ok(!(await heads()).includes('Time zone'));
  await v.go('/dcim/sites/');
  await open(v, 'Columns');
  await v.follow('Default');
  assert.ok((await heads()).includes('Facility') && !(await heads()).includes('Time zone'));
});

walk('pages and their size', async (v) => {
  await v.go('/dcim/sites/?region=germany');
  await v.press(v.main.locator('.limits').getByRole('link', { name: '25', exact: true }));
  assert.equal((await names(v)).length, 25);
  const first = await names(v);
  await v.press(v.main.locator('a[rel=next]'));
  assert.equal(await v.main.locator('.count').innerText(), '26–40 of 40');
  await v.press(v.main.locator('a[rel=prev]'));
  assert.deepEqual(await names(v), first);
});

walk('checking the box above checks every row', async (v) => {
  await v.go('/dcim/sites/?limit=25');
  const picked = () => v.main.locator('tbody input[name=id]:checked').count();
  await v.main.getByLabel('Select all on this page').check();
  assert.equal(await picked(), 25);
  await v.main.getByLabel('Select Berlin 1', { exact: true }).uncheck();
  assert.ok(await v.main.getByLabel('Select all on this page').evaluate((box) => box.indeterminate));
  await v.main.getByLabel('Select all on this page').check();
  await v.main.getByLabel('Select all on this page').uncheck();
  assert.equal(await picked(), 0);
});
