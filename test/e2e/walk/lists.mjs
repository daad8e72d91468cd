import assert from 'node:assert/strict';
import { Visitor } from '../visitor.mjs';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

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

async function logIn(v) {
  await v.go('/login/');
  await v.label('User name').fill('admin');
  await v.label('Password').fill(world.password);
  await v.press('Log in');
}

walk('filters are saved under a name, and found again in another browser', async (v) => {
  const name = '<img src=x onerror=alert(1)> & planned';
  await v.go('/dcim/sites/?status=planned');
  const wanted = await names(v);
  const saved = v.main.locator('details.saved');
  await saved.locator('summary').focus();
  await v.live(() => v.page.keyboard.press('Enter'), '.save-filter');
  await saved.getByLabel('Name', { exact: true }).fill(name);
  await v.press(null, { act: () => v.page.keyboard.press('Enter') });
  assert.match(address(v).searchParams.get('filter'), /planned$/);
  assert.deepEqual(await names(v), wanted);

  const other = await Visitor.open({ user: null, width: 320 });
  try {
    await logIn(other);
    await other.go('/dcim/sites/?limit=25');
    const menu = other.main.locator('details.saved');
    await other.live(() => menu.locator('summary').click(), '.saved-links');
    assert.deepEqual(await other.outOfReach('the menu of saved filters', 'details.saved'), []);
    await other.press(menu.getByRole('link', { name, exact: true }));
    assert.deepEqual(await names(other), wanted);
    const chip = other.main.locator('.chip');
    assert.equal(await chip.count(), 1);
    assert.ok((await chip.innerText()).startsWith(`Saved filter: ${name}`), await chip.innerText());
    await other.press(chip);
    assert.equal(address(other).search, '');
    await other.settle();
  } finally {
    await other.close();
  }
});

walk('without JavaScript: a filter is saved on a page of its own', { javaScript: false }, async (v) => {
  await v.go('/dcim/sites/?status=retired');
  await v.main.locator('details.saved > summary').click();
  await v.follow('Saved filters', { within: v.main });
  await v.label('Name').fill('Retired sites');
  await v.label('Share with everybody').check();
  await v.press('Save this filter');
  await v.sees('Saved the filter Retired sites.');
  await v.main.locator('details.saved > summary').click();
  await v.follow('Saved filters', { within: v.main });
  assert.equal(await v.main.locator('.saved-links [aria-current]').innerText(), 'Retired sites');
  await v.follow('Manage saved filters');
  await v.sees('Retired sites');
});
