import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

const group = (name) => world.api('POST', '/api/dcim/site-groups/', { name, slug: name.toLowerCase(), description: 'for the broken receiver' });

walk('what fails is listed live, looked into and sent again', async (v) => {
  const hook = await world.api('POST', '/api/extras/webhooks/', { name: 'Broken receiver', content_types: ['dcim.sitegroup'], type_create: true, payload_url: `${world.failing.url}broken`,
    conditions: { attr: 'description', value: 'for the broken receiver' } });
  await v.go('/system/tasks/');
  await v.sees('Deliveries by webhook', 'Workers');
  await v.live(() => group('Olives'), '#failed-title');
  await v.page.locator('#tasks-live tbody tr', { hasText: 'Olives' }).waitFor();
  assert.deepEqual(await v.outOfReach('the tasks'), []);

  await v.press(v.main.locator('tr', { hasText: 'Olives' }).locator('a.time'));
  await v.sees('Attempt 1', 'Request', 'Response', 'Timeline', '500');
  await v.inReach('a failed delivery');
  const sent = () => world.failing.requests.filter((r) => r.path === '/broken').length;
  assert.equal(sent(), 1);
  await v.press('Send again');
  await v.page.locator('#attempt-2').waitFor();
  assert.equal(sent(), 2);

  await v.go('/system/tasks/');
  await v.press(v.main.getByRole('button', { name: 'Retry Olives to Broken receiver' }));
  await world.failing.request(() => sent() === 3, 'third request');

  await Promise.all(['Figs', 'Almonds'].map(group));
  await world.failing.request(() => sent() === 5, 'others');
  await v.go('/system/tasks/');
  await v.page.waitForFunction(() => ['Olives', 'Figs', 'Almonds'].every((name) => document.querySelector('#failed-wrap')?.innerText.includes(name)));
  await v.main.locator('#retry-webhook').selectOption(String(hook.id));
  await v.press('Retry all that match…');
  await v.sees('3 deliveries', 'Broken receiver');
  await v.inReach('what is sent again');
  await v.press('Send them again');
  await v.sees('Queued 3 deliveries again.');
  await world.failing.request(() => sent() === 8, 'all again');

  await v.go(`/extras/webhooks/${hook.id}/`);
  const button = v.main.getByRole('button', { name: 'Retry all 3 failed' });
  await v.eventually('three failed', () => button.isVisible());
  await v.accepting(/^Send all 3 failed deliveries/, () => v.press(button));
  await world.failing.request(() => sent() === 11, 'all once more');
});

walk('refreshing can be paused', async (v) => {
  await v.go('/system/tasks/');
  const asks = v.page.locator('#tasks-live[hx-get]');
  assert.equal(await asks.count(), 1);
  await v.live(() => v.main.getByRole('link', { name: 'Pause refreshing' }).click(), 'text=Resume refreshing');
  assert.equal(await asks.count(), 0);
  await v.live(() => v.main.getByRole('link', { name: 'Resume refreshing' }).click(), 'text=Pause refreshing');
  assert.equal(await asks.count(), 1);
  await v.page.waitForResponse((response) => response.url().includes('/system/tasks/') && response.request().headers()['hx-request'] === 'true');
});

walk('without JavaScript: the tasks page shows itself', { javaScript: false }, async (v) => {
  await v.go('/system/tasks/');
  await v.sees('Deliveries by webhook', 'Workers');
  await v.follow('Refresh');
});
