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

walk('without JavaScript: edit two records, restore a version, write a journal entry, pause a webhook and send a delivery again', { javaScript: false }, async (v) => {
  const hook = await world.api('POST', '/api/extras/webhooks/', { name: 'Scriptless', content_types: ['dcim.site'], type_update: true, payload_url: `${world.receiver.url}scriptless`,
    conditions: { attr: 'facility', value: 'scriptless' } });
  const sent = (n) => world.receiver.request(() => world.receiver.requests.filter((r) => r.path === '/scriptless').length === n, `request ${n}`);
  const [site] = await world.api('POST', '/api/dcim/sites/', [1, 2].map((n) => ({ name: `Tomar ${n}`, slug: `tomar-${n}`, facility: 'scriptless' })));
  await v.go('/dcim/sites/?q=tomar');
  await v.main.getByLabel('Select Tomar 1', { exact: true }).check();
  await v.main.getByLabel('Select Tomar 2', { exact: true }).check();
  await v.press('Edit selected');
  await v.main.locator('input[name=change][value=description]').check();
  await v.main.locator('#id_description').fill('Edited without scripts');
  await v.press('Change 2 sites');
  await v.sees('Updated 2 sites.');
  await sent(2);

  await v.go(`/dcim/sites/${site.id}/changelog/`);
  await v.follow('Restore this version', { within: v.main });
  await v.press('Restore');
  await v.sees('Restored an earlier version of site Tomar 1.');
  await sent(3);
  assert.deepEqual((await world.api('GET', '/api/dcim/sites/?q=tomar&ordering=name')).results.map(({ description }) => description), ['', 'Edited without scripts']);

  await v.press(v.main.getByRole('link', { name: /^Journal/ }));
  await v.follow('Add', { within: v.main });
  await v.label('Comments', false).fill('Written without scripts');
  await v.press('Create');
  assert.equal(new URL(v.page.url()).pathname, `/dcim/sites/${site.id}/journal/`);
  await v.sees('Written without scripts');

  await v.go(`/extras/webhooks/${hook.id}/`);
  await v.press('Pause');
  await v.sees('Paused');
  await v.press('Resume');
  await v.seesNot('Paused');
  await v.eventually('three were delivered', async () => await v.main.locator('section[aria-labelledby=sent-title] .state-successful').count() === 3);
  await v.press(v.main.locator('section[aria-labelledby=sent-title] a.time').first());
  await v.press('Send again');
  await sent(4);
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
