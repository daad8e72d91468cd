// Everything except live updates works without scripts.
import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

walk('without JavaScript: log in, add, edit, filter, delete', { user: null, javaScript: false }, async (v) => {
  await v.go('/login/');
  await v.label('User name').fill('admin');
  await v.label('Password').fill(world.password);
  await v.press('Log in');

  await v.go('/dcim/sites/add/');
  await v.main.locator('#id_name').fill('Setúbal 1');
  await v.main.locator('#id_region').fill('Portugal');
  await v.main.locator('#id_tags').fill('core');
  await v.press('Create');
  await v.sees('Created site Setúbal 1.', 'setubal-1', 'Portugal', 'core');

  await v.follow('Edit', { within: v.main });
  await v.main.locator('#id_description').fill('Saved without scripts');
  await v.press('Save');
  await v.sees('Saved without scripts');

  await v.go('/dcim/sites/');
  await v.main.locator('details.filters > summary').click();
  await v.main.locator('#f_name__ic').fill('setúbal');
  await v.press('Apply');
  assert.equal(await v.main.locator('.count').innerText(), '1–1 of 1');

  await v.press(v.main.locator('tbody th a'));
  await v.follow('Delete', { within: v.main });
  await v.press('Delete');
  await v.sees('Deleted site Setúbal 1.');
});

walk('without JavaScript: sections open and close, and nothing offers what needs a script', { javaScript: false }, async (v) => {
  await v.go('/dcim/sites/');
  const link = v.page.locator('.sidebar').getByRole('link', { name: 'Rack roles', exact: true });
  assert.ok(!await link.isVisible());
  await v.page.locator('.sidebar summary', { hasText: /^racks$/i }).click();
  await v.press(link);
  assert.ok(!await v.page.locator('#narrow-navigation').isVisible());
  await v.go('/users/permissions/add/');
  assert.ok(await v.label('Rack role').isVisible());
  assert.equal(await v.main.locator('[data-check-group]:visible, [data-narrows]:visible').count(), 0);
});

walk('without JavaScript: the menu of a row, the theme and the numbers of the pages', { javaScript: false }, async (v) => {
  await v.go('/dcim/sites/?limit=25');
  await v.main.getByRole('button', { name: 'Edit selected', exact: true }).waitFor();
  const menu = v.main.locator('.row-menu > details').first();
  await menu.locator('summary').click();
  await v.follow('Edit', { within: menu });
  assert.match(new URL(v.page.url()).pathname, /^\/dcim\/sites\/\d+\/edit\/$/);
  await v.page.locator('.theme-menu > summary').click();
  await v.press('Dark');
  assert.equal(await v.page.locator('html').getAttribute('data-bs-theme'), 'dark');
  await v.page.locator('.theme-menu > summary').click();
  await v.press('System');
  assert.equal(await v.page.locator('html').getAttribute('data-bs-theme'), null);
  await v.go('/dcim/sites/?limit=25');
  await v.follow('Page 2', { within: v.main });
  assert.match(await v.main.locator('.count').innerText(), /^26–50 of/);
});
