// Takes the pictures of the README and the guide, from the records of seed.mjs and some that are added here.
import assert from 'node:assert/strict';
import { demo } from '../demo.mjs';
import { shoot } from '../shoot.mjs';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

const narrow = { width: 390, height: 844 };

walk('pictures: the way in', { user: null }, async (v) => {
  await v.go('/login/');
  await shoot(v, 'login', 'light', { width: 1280, height: 500 });
});

walk('pictures: records', async (v) => {
  const site = (await world.api('GET', '/api/dcim/sites/?name=Lisbon%201')).results[0];
  await world.api('POST', '/api/extras/webhooks/', [
    { name: 'Field engineers', content_types: ['dcim.site'], type_update: true, payload_url: `${world.receiver.url}engineers`, conditions: { attr: 'slug', value: 'lisbon-1' } },
    { name: 'Old ticket system', content_types: ['dcim.site', 'dcim.region'], type_create: true, type_update: true, payload_url: `${world.failing.url}tickets` }]);
  await world.api('PATCH', `/api/dcim/sites/${site.id}/`, { status: 'planned', comments: 'Meet at the north gate.\nThe key is with the guard.' });
  await world.api('PATCH', `/api/dcim/sites/${site.id}/`, { status: 'active', comments: 'Meet at the south gate.\nThe key is with the guard.', facility: 'LIS-01A' });
  await v.go('/');
  await v.eventually('the changes of today are counted', async () => await v.main.locator('.card', { hasText: 'Changes per day' }).locator('svg').count() > 0);
  await shoot(v, 'home', 'light');
  await shoot(v, 'home', 'dark', narrow);
  await v.go('/search/?q=exchange');
  await shoot(v, 'search', 'light');
  await shoot(v, 'search', 'dark');
  await v.go('/dcim/sites/?region=portugal&status=active&limit=25');
  await shoot(v, 'sites', 'light');
  await shoot(v, 'sites', 'dark');
  await shoot(v, 'sites', 'light', narrow);
  await v.go(`/dcim/sites/${site.id}/`);
  await shoot(v, 'site', 'light');
  await shoot(v, 'site', 'dark', narrow);
  await v.go(`/dcim/sites/${site.id}/edit/`);
  await shoot(v, 'site-form', 'light');
  await v.go(`/dcim/sites/${site.id}/changelog/`);
  await v.eventually('both were notified twice', async () => await v.main.locator('.notified .state-successful').count() === 2 && await v.main.locator('.notified .state-failed').count() === 2);
  await shoot(v, 'changelog', 'light');
  await v.go('/dcim/sites/import/');
  await v.label('Text').fill('name,slug,status,region\nSintra 1,sintra-1,active,portugal\nSintra 2,sintra 2,active,portugal\nSintra 3,sintra-3,sleeping,atlantis\n');
  await v.live(() => v.page.getByRole('button', { name: 'Dry run' }).click(), '#outcome .refused', { status: 400 });
  await v.page.locator('.refused').scrollIntoViewIfNeeded();
  await shoot(v, 'import', 'light');
});

walk('pictures: tokens', async (v) => {
  await v.go('/user/tokens/add/');
  await v.main.locator('#id_description').fill('Nightly inventory job');
  await v.press(v.main.locator('form button.btn-primary'));
  const key = await v.main.locator('#made-key').innerText();
  const tokens = (await world.api('GET', '/api/users/tokens/?description=Nightly%20inventory%20job')).results;
  await world.api('DELETE', `/api/users/tokens/${tokens[0].id}/`);
  assert.equal((await world.ask('GET', '/api/dcim/sites/', undefined, key)).status, 403, 'a key that is shown to all is revoked first');
  await shoot(v, 'token', 'light');
});

walk('pictures: webhooks', async (v) => {
  const regions = (name) => world.api('POST', '/api/dcim/regions/', { name, slug: name.toLowerCase() });
  const broken = (await world.api('GET', '/api/extras/webhooks/?name=Old%20ticket%20system')).results[0];
  const hook = await world.api('POST', '/api/extras/webhooks/', { name: 'Chat', content_types: ['dcim.region'], type_create: true, type_update: true, payload_url: `${world.receiver.url}chat`, secret: world.receiverSecret,
      body_template: '{"text": "{{ username }} {{ event }} {{ model }} {{ data.name }}"}' });
  for (const name of ['Algarve', 'Alentejo', 'Azores']) {
    await regions(name);
  }
  await v.go(`/extras/webhooks/${broken.id}/`);
  await v.eventually('all failed', async () => await v.main.locator('.state-failed').count() >= 5);
  await v.go('/system/tasks/');
  await v.page.locator('#failed-wrap').waitFor();
  await shoot(v, 'tasks', 'light');
  await shoot(v, 'tasks', 'dark');
  await shoot(v, 'tasks', 'dark', narrow);
  await v.press(v.main.locator('#failed-wrap a.time').first());
  await shoot(v, 'delivery', 'light', { width: 1280, height: 1000 });
  await v.go(`/extras/webhooks/${hook.id}/`);
  await v.eventually('the chart is drawn', () => v.main.locator('.chart svg').first().isVisible());
  await shoot(v, 'webhook', 'light');
  await v.go(`/extras/webhooks/${hook.id}/edit/`);
  await v.page.locator('#webhook-preview .request-body').first().waitFor();
  await shoot(v, 'webhook-form', 'light');
  await shoot(v, 'webhook-form', 'dark');
});

walk('pictures: the API', async (v) => {
  await v.go('/api/dcim/sites/?name=Lisbon%202');
  await shoot(v, 'api', 'light');
  // The tests after this one count deliveries.
  const { results } = await world.api('GET', '/api/extras/webhooks/?name=Chat&name=Field%20engineers&name=Old%20ticket%20system');
  await world.api('DELETE', '/api/extras/webhooks/', results.map(({ id }) => ({ id })));
});

walk('pictures: racks and devices', async (v) => {
  const { site, rack, device, type, remove } = await demo();
  const pages = [['site-racks', `/dcim/sites/${site.id}/racks/`], ['rack', `/dcim/racks/${rack.id}/`, 1170], ['device', `/dcim/devices/${device.id}/interfaces/`, 720],
    ['device-type', `/dcim/device-types/${type.id}/interfaces/`, 720]];
  for (const [name, path, height] of pages) {
    await v.go(path);
    await shoot(v, name, 'light', { height });
    await shoot(v, name, 'dark', { height });
    await v.page.setViewportSize(narrow);
    if (name === 'rack') {
      await v.main.locator('.panel').evaluate((panel) => panel.scrollIntoView()); // below the fields
    }
    await shoot(v, name, 'light', narrow);
    await shoot(v, name, 'dark', narrow);
  }
  await remove();
});
