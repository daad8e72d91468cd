import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

walk('the API is browsed, from its root to a record, and written to', async (v) => {
  await v.go('/api/');
  await v.press(v.main.locator('a[href$="/api/dcim/"]').first());
  await v.press(v.main.locator('a[href$="/api/dcim/sites/"]').first());
  await v.sees('200 OK');

  await v.main.locator('.api-filters summary').click();
  await v.label('Name').fill('name__ic');
  await v.label('Value').fill('Lyon');
  await v.press('Add');
  assert.equal(new URL(v.page.url()).searchParams.get('name__ic'), 'Lyon');
  await v.sees('"count"');
  await v.press(v.main.locator('.chip'));

  await v.main.locator('#content').fill('{"name": "Leiria 1", "slug": "no slug!"}');
  await v.press('POST', { status: 400 });
  await v.sees('400 Bad Request');
  await v.main.locator('#content').fill('{"name": "Leiria 1", "slug": "leiria-1"}');
  await v.press('POST', { status: 201 });
  await v.sees('201 Created');
  const [site] = (await world.api('GET', '/api/dcim/sites/?slug=leiria-1')).results;
  await v.press(v.main.locator(`a[href$="/api/dcim/sites/${site.id}/"]`).first());

  await v.main.locator('#content').fill('{"description": "From the browsable API"}');
  await v.press('PATCH');
  await v.sees('From the browsable API');
  await v.press('OPTIONS');
  await v.go(`/api/dcim/sites/${site.id}/`);
  await v.accepting(/^Delete this record\?$/, () => v.press('DELETE'));
  await v.sees('Deleted.');
  assert.equal((await world.api('GET', '/api/dcim/sites/?slug=leiria-1')).count, 0);
  await v.go(`/api/dcim/sites/${site.id}/`, { status: 404 });
  await v.inReach('a record that the API does not find');
});

walk('a page of the API leads on to the next', async (v) => {
  await v.go('/api/dcim/sites/?limit=2');
  assert.deepEqual(await v.outOfReach('a page of the API'), []);
  await v.press(v.main.locator('a[rel=next]').first());
  assert.match(v.page.url(), /offset=2|cursor=/);
  const raw = v.main.getByRole('link', { name: 'Raw JSON' });
  assert.match(await raw.getAttribute('href'), /format=json/);
});

walk('Swagger UI shows every operation', async (v) => {
  await v.go('/api/docs/');
  await v.page.locator('.opblock').first().waitFor({ timeout: 60_000 }); // it draws a thousand operations before it shows one
  await v.page.waitForFunction(() => document.querySelectorAll('.opblock').length > 100);
});
