// What people do on the page of a record.
import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

walk('a journal entry is written on the tab of a record', async (v) => {
  const site = await world.api('POST', '/api/dcim/sites/', { name: 'Lagos 1', slug: 'lagos-1' });
  await v.go(`/dcim/sites/${site.id}/`);
  await v.press(v.main.getByRole('link', { name: /^Journal/ }));
  await v.follow('Add', { within: v.main });
  await v.main.locator('#id_kind').selectOption('warning');
  await v.main.locator('#id_comments').fill('The roof leaks.\nCall the owner.');
  await v.press('Create');
  assert.equal(new URL(v.page.url()).pathname, `/dcim/sites/${site.id}/journal/`, 'back in the tab');
  const row = v.main.locator('tbody tr');
  assert.match(await row.innerText(), /admin\s+Warning\s+The roof leaks\.\s+Call the owner\./);
  assert.match(await v.main.locator('.nav-link.active').innerText(), /Journal\s*1/);
});

walk('a map shows where a site is', async (v) => {
  const site = await world.api('POST', '/api/dcim/sites/', { name: 'Aljezur 1', slug: 'aljezur-1', latitude: 37.008, longitude: -8.943 });
  await v.context.route('https://maps.example/**', (route) => route.fulfill({ contentType: 'text/html', body: '<title>A map</title>' }));
  await v.go(`/dcim/sites/${site.id}/`);
  await v.main.getByRole('link', { name: '37.008,-8.943', exact: true }).click();
  await v.page.waitForURL('https://maps.example/?q=37.008%2C-8.943');
  assert.deepEqual(v.problems.splice(0), ['asked another site: https://maps.example/?q=37.008%2C-8.943'], 'only the link leads there');
});
