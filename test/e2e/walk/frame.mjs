import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';

walk('the home page counts what there is', async (v) => {
  await v.go('/');
  await v.main.getByRole('heading', { name: 'Recent changes' }).waitFor();
  assert.match(await v.main.locator('li', { has: v.page.getByRole('link', { name: 'Sites', exact: true }) }).innerText(), /Sites\s*1\d\d/);
});

walk('cards of the home page are moved and hidden, and stay so in another browser, which needs no scripts', { width: 320 }, async (v) => {
  const cards = async (visitor) => {
    await visitor.go('/');
    return visitor.main.locator('.cards > .card > h2').allInnerTexts();
  };
  const first = await cards(v);
  assert.equal(first.length, 6);
  await v.main.locator('.arrange > summary').click();
  await v.press('Move Recent changes up');
  await v.press('Hide Queued deliveries');
  assert.deepEqual(await v.outOfReach('the open form that arranges cards'), []);
  const chosen = [...first.slice(0, 3), 'Recent changes', 'Records'];
  assert.deepEqual(await cards(v), chosen);
  const other = await v.constructor.open({ javaScript: false });
  assert.deepEqual(await cards(other), chosen);
  await other.main.locator('.arrange > summary').click();
  await other.press('Reset');
  assert.deepEqual(await cards(other), first);
  await other.close();
});

walk('a slash moves to the search, which finds a site', async (v) => {
  await v.go('/');
  await v.page.keyboard.press('/');
  const search = v.page.getByLabel('Search everything');
  assert.ok(await search.evaluate((input) => input === document.activeElement));
  await search.fill('Lisbon 7');
  await v.press(search, { act: (input) => input.press('Enter') });
  await v.follow('Lisbon 7');
  assert.equal(await v.main.locator('h1').innerText(), 'Lisbon 7');
  await v.go('/search/?q=nothing+is+called+so');
  await v.sees('Nothing found for “nothing is called so”.');
});

walk('the theme follows the system until somebody chooses, and then stays', async (v) => {
  const theme = () => v.page.evaluate(() => document.documentElement.dataset.bsTheme);
  await v.go('/dcim/sites/');
  assert.equal(await theme(), 'light');
  await v.theme('dark');
  await v.theme('light');
  const choose = async (name) => {
    await v.page.locator('.theme-menu > summary').press('Enter');
    const choice = v.page.getByRole('button', { name, exact: true });
    await choice.press('Enter');
    assert.equal(await choice.getAttribute('aria-pressed'), 'true');
    assert.equal(await v.page.locator('.theme-menu [aria-pressed=true]').count(), 1);
    await v.page.keyboard.press('Escape');
  };
  await v.main.getByPlaceholder('Quick search').fill('typed');
  await choose('Dark');
  assert.equal(await v.main.getByPlaceholder('Quick search').inputValue(), 'typed', 'the page stays');
  assert.equal(await theme(), 'dark');
  await v.go('/');
  assert.equal(await theme(), 'dark');
  await choose('Light');
  await v.page.emulateMedia({ colorScheme: 'dark' });
  assert.equal(await theme(), 'light');
  await choose('System');
  assert.equal(await theme(), 'dark');
  await v.theme('light');
});

walk('the theme is there before anything is painted', { theme: 'dark' }, async (v) => {
  await v.context.addInitScript(() => {
    window.__themes = [];
    new MutationObserver((_, seen) => {
      if (document.body) { // nothing is painted before it
        window.__themes.push(document.documentElement.dataset.bsTheme);
        seen.disconnect();
      }
    }).observe(document, { childList: true, subtree: true });
  });
  await v.go('/dcim/sites/');
  assert.deepEqual(await v.page.evaluate(() => window.__themes), ['dark']);
});

walk('sections fold, stay as they were left, and can be searched', async (v) => {
  const open = () => v.page.locator('.sidebar details[open] > summary').allInnerTexts();
  const seen = async () => (await v.page.locator('.sidebar li a:first-child').all()).reduce(async (list, link) => [...await list, ...(await link.isVisible() ? [await link.innerText()] : [])], []);
  await v.go('/');
  assert.deepEqual(await open(), []);
  await v.page.locator('.sidebar summary', { hasText: /^racks$/i }).press('Enter');
  await v.page.getByRole('link', { name: 'Rack roles', exact: true }).first().waitFor();
  await v.go('/dcim/sites/');
  assert.deepEqual((await open()).map((name) => name.toLowerCase()), ['organization', 'racks'], 'that of the page, and the one that was opened');

  const find = v.page.getByLabel('Find a section or a record type');
  await find.fill('tenant gr');
  assert.deepEqual(await seen(), ['Tenant groups']);
  await find.press('Escape');
  assert.deepEqual((await open()).map((name) => name.toLowerCase()), ['organization', 'racks'], 'as it was before');
  await find.fill('logging');
  assert.ok((await seen()).length >= 3, 'a whole section');
  await find.fill('deliv');
  await v.press(find, { act: (input) => input.press('Enter') });
  assert.equal(new URL(v.page.url()).pathname, '/extras/deliveries/');
  assert.deepEqual(await v.accessible('.sidebar'), []);

  await v.page.locator('.sidebar summary', { hasText: /^racks$/i }).click();
  await v.go('/');
  assert.deepEqual(await open(), []);
});
