import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';

walk('the home page counts what there is', async (v) => {
  await v.go('/');
  await v.sees('Recent changes');
  assert.match(await v.main.locator('li', { has: v.page.getByRole('link', { name: 'Sites', exact: true }) }).innerText(), /Sites\s*1\d\d/);
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
  await v.page.getByRole('button', { name: 'Light mode' }).waitFor();
  await v.theme('light');
  await v.press('Dark mode');
  assert.equal(new URL(v.page.url()).pathname, '/dcim/sites/', 'the page stays');
  assert.equal(await theme(), 'dark');
  await v.go('/');
  assert.equal(await theme(), 'dark');
  await v.press('Light mode');
  assert.equal(await theme(), 'light');
});
