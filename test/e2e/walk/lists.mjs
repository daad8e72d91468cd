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

// person makes a user whose choices no other walk meets.
async function person(username) {
  await world.api('POST', '/api/users/users/', { username, password: world.password, is_superuser: true });
  return Visitor.open({ user: username });
}

const heads = (v) => v.main.locator('thead th').allInnerTexts();

walk('columns are chosen, for one list and for longer', async () => {
  const v = await person('column-chooser');
  await v.go('/dcim/sites/');
  await open(v, 'Columns');
  const box = v.main.locator('details[open] form');
  await box.getByLabel('Time zone', { exact: true }).check();
  await box.getByLabel('Facility', { exact: true }).uncheck();
  await v.press('Show');
  assert.ok((await heads(v)).includes('Time zone') && !(await heads(v)).includes('Facility'), (await heads(v)).join());
  await v.go('/dcim/sites/?q=porto');
  assert.ok((await heads(v)).includes('Time zone'));
  await v.go('/dcim/regions/');
  assert.ok(!(await heads(v)).includes('Time zone'));
  await v.go('/dcim/sites/?q=porto');
  await open(v, 'Columns');
  await v.press('Default');
  assert.ok((await heads(v)).includes('Facility') && !(await heads(v)).includes('Time zone'));
  assert.equal(address(v).searchParams.get('q'), 'porto');
  await v.settle();
  await v.close();
});

walk('custom fields are columns, sort and filter, and stay columns in another browser', async () => {
  const v = await person('custom-chooser');
  await v.go('/dcim/sites/?q=porto');
  await open(v, 'Columns');
  const box = v.main.locator('details[open] form');
  for (const label of ['Power (kW)', 'Owner page', 'Tier']) {
    await box.getByLabel(label, { exact: true }).check();
  }
  await v.press('Show');
  assert.deepEqual((await heads(v)).slice(-4), ['Power (kW)', 'Owner page', 'Tier', 'Actions']);
  assert.equal(await v.main.locator('tbody tr', { hasText: 'Porto 2' }).first().getByRole('link', { name: 'https://example.com/sites/22' }).getAttribute('href'), 'https://example.com/sites/22');
  const header = v.main.locator('thead').getByRole('link', { name: 'Power (kW)' });
  await v.press(header);
  assert.equal((await names(v))[0], 'Porto 1');
  await v.press(header);
  assert.equal((await names(v))[0], 'Porto 20');
  assert.equal(address(v).searchParams.get('ordering'), '-cf_power_kw');

  await open(v, 'Filter');
  const panel = v.main.locator('.filter-form');
  await panel.getByLabel('II', { exact: true }).check();
  await panel.getByRole('group', { name: 'Power (kW)' }).getByLabel('At least').fill('50');
  await v.press('Apply');
  assert.deepEqual(await names(v), ['Porto 13', 'Porto 17']);
  assert.deepEqual((await v.main.locator('.chip').allInnerTexts()).map((text) => text.replace(/\s*✕[^]*/, '')),
    ['Power (kW) is at least 50', 'Tier is II', 'Anything contains porto']);
  assert.deepEqual(await v.accessible('main'), []);

  const site = (await world.api('GET', '/api/dcim/sites/?name=Lisbon%201')).results[0];
  await v.go(`/dcim/locations/?site_id=${site.id}`);
  await v.sees('Site is Lisbon 1');

  const other = await Visitor.open({ user: 'custom-chooser', width: 320, javaScript: false });
  await other.go('/dcim/sites/');
  assert.deepEqual((await heads(other)).slice(-4), ['Power (kW)', 'Owner page', 'Tier', 'Actions']);
  await other.close();
  await v.settle();
  await v.close();
});

walk('what is below a prefix is folded away, and stays so', async (v) => {
  await world.api('POST', '/api/ipam/prefixes/', ['10.200.0.0/16', '10.200.1.0/24', '10.200.1.64/26', '10.200.2.0/24'].map((prefix) => ({ prefix })));
  await world.api('POST', '/api/ipam/prefixes/', { prefix: '10.201.0.0/16' });
  const shown = () => v.main.locator('tbody tr:visible th a').allInnerTexts();
  const below = (prefix) => v.main.getByRole('button', { name: `Below ${prefix}` });
  await v.go('/ipam/prefixes/?within_include=10.200.0.0/15');
  const all = ['10.200.0.0/16', '10.200.1.0/24', '10.200.1.64/26', '10.200.2.0/24', '10.201.0.0/16'];
  assert.deepEqual(await shown(), all);
  assert.equal(await v.main.locator('.fold').count(), 2);
  await below('10.200.1.0/24').press('Enter');
  assert.deepEqual(await shown(), all.filter((one) => one !== '10.200.1.64/26'));
  assert.equal(await below('10.200.1.0/24').getAttribute('aria-expanded'), 'false');
  await below('10.200.0.0/16').press('Space');
  assert.deepEqual(await shown(), ['10.200.0.0/16', '10.201.0.0/16']);
  await v.main.getByLabel('Select all on this page').check();
  assert.equal(await v.main.locator('tbody input[name=id]:checked').count(), 2);
  await v.go('/ipam/prefixes/?within_include=10.200.0.0/15');
  assert.deepEqual(await shown(), ['10.200.0.0/16', '10.201.0.0/16']);
  assert.deepEqual(await v.accessible('main'), []);
  await below('10.200.0.0/16').click();
  assert.deepEqual(await shown(), all.filter((one) => one !== '10.200.1.64/26'));
  const other = await Visitor.open({ javaScript: false });
  await other.go('/ipam/prefixes/?within_include=10.200.0.0/15');
  assert.deepEqual(await other.main.locator('tbody tr:visible th a').allInnerTexts(), all);
  await other.close();
});

walk('what is below a region is folded away, and this browser remembers it', async (v) => {
  const oceania = await world.api('POST', '/api/dcim/regions/', { name: 'Oceania', slug: 'oceania' });
  await world.api('POST', '/api/dcim/regions/', ['Fiji', 'Samoa'].map((name) => ({ name, slug: name.toLowerCase(), parent: oceania.id })));
  const path = '/dcim/regions/?name=Oceania&name=Fiji&name=Samoa';
  const shown = () => v.main.locator('tbody tr:visible th a').allInnerTexts();
  await v.go(path);
  assert.deepEqual(await shown(), ['Oceania', 'Fiji', 'Samoa']);
  await v.main.getByRole('button', { name: 'Below Oceania' }).click();
  assert.deepEqual(await shown(), ['Oceania']);
  await v.go(path);
  assert.deepEqual(await shown(), ['Oceania']);
  const other = await Visitor.open();
  await other.go(path);
  assert.equal(await other.main.locator('tbody tr:visible').count(), 3, 'another browser shows all');
  await other.close();
});

walk('pages and their size', async (v) => {
  await v.go('/dcim/sites/?region=germany');
  await v.press(v.main.locator('.limits').getByRole('link', { name: '25', exact: true }));
  assert.equal((await names(v)).length, 25);
  const first = await names(v);
  await v.press(v.main.locator('a[rel=next]'));
  assert.equal(await v.main.locator('.count').innerText(), '26–40 of 40');
  assert.deepEqual(await v.main.locator('.page-numbers > *').allInnerTexts(), ['1', '2']);
  assert.equal(await v.main.locator('.page-numbers [aria-current]').innerText(), '2');
  await v.press(v.main.locator('a[rel=prev]'));
  assert.deepEqual(await names(v), first);
  await v.follow('Page 2', { within: v.main });
  assert.equal(await v.main.locator('.count').innerText(), '26–40 of 40');
  await v.follow('Page 1', { within: v.main });
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

walk('the buttons say how many are selected', async (v) => {
  await v.go('/dcim/sites/?region=germany&limit=25');
  const edit = (name) => v.main.getByRole('button', { name, exact: true }).waitFor();
  await edit('Edit selected');
  await v.main.getByLabel('Select Berlin 1', { exact: true }).check();
  await v.main.getByLabel('Select Berlin 3', { exact: true }).check();
  await edit('Edit 2 selected');
  await edit('Delete 2 selected');
  await v.main.getByLabel('Select all on this page').check();
  await edit('Edit 25 selected');
  await v.main.getByLabel('All 40 that match').check();
  await edit('Edit 40 selected');
  await v.main.getByLabel('All 40 that match').uncheck();
  await v.main.getByLabel('Select all on this page').uncheck();
  await edit('Edit selected');
});

walk('the menu of a row is used with the keyboard', async (v) => {
  await v.go('/dcim/sites/?region=germany&limit=25');
  const menus = v.main.locator('.row-menu > details');
  const open = () => menus.evaluateAll((all) => all.flatMap((menu, i) => (menu.open ? [i] : [])));
  await menus.nth(1).locator('summary').press('Enter');
  await menus.nth(2).locator('summary').press('Enter');
  assert.deepEqual(await open(), [2], 'one at most');
  await v.page.keyboard.press('Tab');
  assert.equal(await v.page.evaluate(() => document.activeElement.textContent), 'Edit');
  await v.page.keyboard.press('Escape');
  assert.deepEqual(await open(), []);
  assert.equal(await v.page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Actions for Berlin 3');
  await v.page.keyboard.press('Enter');
  for (const name of ['Edit', 'Delete', 'Change log']) {
    await v.page.keyboard.press('Tab');
    assert.equal(await v.page.evaluate(() => document.activeElement.textContent), name);
    assert.ok(await v.page.evaluate(() => { // it is in sight, and nothing is on it
      const { left, top, width, height } = document.activeElement.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2) === document.activeElement;
    }), name);
  }
  await v.page.keyboard.press('Tab');
  assert.deepEqual(await open(), [], 'it closes when the focus leaves it');
  await menus.nth(2).locator('summary').click();
  assert.deepEqual(await v.accessible('.row-menu:has([open])'), []);
  await v.main.locator('h1').click();
  assert.deepEqual(await open(), []);
  await menus.nth(2).locator('summary').click();
  await v.follow('Change log', { within: menus.nth(2) });
  assert.equal(await v.main.locator('h1').innerText(), 'Berlin 3');
});

walk('the head and the names stay in view', { width: 800, height: 600 }, async (v) => {
  await v.go('/dcim/sites/?limit=50');
  const wrap = v.main.locator('.table-wrap');
  await wrap.evaluate((element) => { element.scrollTop = 700; element.scrollLeft = 200; });
  const inside = await wrap.evaluate((element) => {
    const { left, top } = element.getBoundingClientRect();
    const at = (x, y) => document.elementFromPoint(left + x, top + y)?.closest('th, td');
    return { head: at(60, 10)?.textContent.trim(), name: at(60, 200)?.scope, pick: at(10, 200)?.className };
  });
  assert.deepEqual(inside, { head: 'Name ▲', name: 'row', pick: 'pick' });
});

walk('a long text is shortened until it has the focus', async (v) => {
  const { id } = (await world.api('GET', '/api/dcim/sites/?name=Porto%202')).results[0];
  const text = `${'A long text that nobody reads in a table. '.repeat(4)}The end.`;
  await world.api('PATCH', `/api/dcim/sites/${id}/`, { description: text });
  await v.go(`/dcim/sites/?id=${id}`);
  const cut = v.main.locator('.cut');
  assert.equal(await cut.getAttribute('title'), text);
  const whole = () => cut.evaluate((element) => element.scrollWidth <= element.clientWidth);
  assert.ok(!await whole());
  await cut.focus();
  assert.ok(await whole());
  assert.deepEqual(await v.outOfReach('a long text'), []);
});

walk('on a narrow screen the filters cover the page, and records are cards', { width: 320, height: 640 }, async (v) => {
  await v.go('/dcim/sites/?limit=25');
  assert.equal(await v.tooWide(), 0);
  const card = v.main.locator('tbody tr').first();
  assert.equal(await card.evaluate((row) => getComputedStyle(row).display), 'block');
  assert.match(await card.locator('td[data-label=Status]').evaluate((cell) => getComputedStyle(cell, '::before').content), /Status/);
  const sideways = await v.main.evaluate((main) => [...main.querySelectorAll('.table-wrap, .records-table *')].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible' && !e.matches('.cut, .visually-hidden')).map((e) => e.outerHTML.slice(0, 80)));
  assert.deepEqual(sideways, []);

  const summary = v.main.locator('.filters > summary');
  await summary.press('Enter');
  const sheet = v.main.locator('.filter-form');
  assert.deepEqual(await sheet.evaluate((form) => { const { left, top, width, height } = form.getBoundingClientRect(); return [left, top, width, height]; }), [0, 0, 320, 640]);
  assert.deepEqual(await v.outOfReach('the sheet', '.filters'), []);
  await v.page.keyboard.press('Tab');
  assert.ok(await sheet.evaluate((form) => form.contains(document.activeElement)));
  await v.page.keyboard.press('Escape');
  assert.ok(!await sheet.isVisible());
  assert.ok(await summary.evaluate((element) => element === document.activeElement));
  await summary.click();
  await sheet.getByRole('link', { name: 'Clear' }).focus();
  await v.page.keyboard.press('Tab'); // what comes next is below the sheet
  assert.ok(!await sheet.isVisible());
  await summary.click();
  await sheet.getByLabel('Retired', { exact: true }).check();
  await v.press('Apply');
  assert.equal(await v.main.locator('.chip').count(), 1);
});
