import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

walk('the change log shows before and after, and the notified webhooks', async (v) => {
  const hook = await world.api('POST', '/api/extras/webhooks/', { name: 'Notified of Coimbra', content_types: ['dcim.site'], type_create: true, type_update: true,
    payload_url: `${world.receiver.url}changes`, conditions: { attr: 'slug', value: 'coimbra-1' } });
  const site = await world.api('POST', '/api/dcim/sites/', { name: 'Coimbra 1', slug: 'coimbra-1', comments: 'One line\nAnother line' });
  await world.api('PATCH', `/api/dcim/sites/${site.id}/`, { description: 'A new description', comments: 'One line\nA better line' });
  await world.receiver.request((r) => r.path === '/changes' && JSON.parse(r.body).event === 'updated', 'update');

  await v.go(`/dcim/sites/${site.id}/`);
  await v.sees('Recent changes');
  await v.follow('Change log', { within: v.main });
  const [update, creation] = await v.main.locator('.change').all();
  assert.match(await update.innerText(), /Updated[\s\S]*admin[\s\S]*A new description/);
  assert.match(await update.locator('.removed').innerText(), /^- Another line\s*$/);
  assert.match(await update.locator('.added').innerText(), /^\+ A better line\s*$/);
  await v.eventually('both deliveries are done', async () => await v.main.locator('.state-successful').count() === 2);
  assert.match(await creation.locator('.notified').innerText(), /Notified: Notified of Coimbra Successful 200/);
  await v.press(update.locator('.notified a'));
  await v.go(`/extras/object-changes/?changed_object_type=dcim.site&changed_object_id=${site.id}`);
  await v.sees('Coimbra 1');
  await v.press(v.main.locator('tbody th a').first());

  await v.go(`/dcim/sites/${site.id}/changelog/`);
  await v.follow('Restore this version', { within: v.main });
  await v.sees('A new description', 'This gives the site');
  await v.press('Restore');
  await v.sees('Restored an earlier version of site Coimbra 1.');
  const restored = await world.api('GET', `/api/dcim/sites/${site.id}/`);
  assert.deepEqual([restored.description, restored.comments], ['', 'One line\nAnother line']);
  await world.api('DELETE', `/api/extras/webhooks/${hook.id}/`);
});
