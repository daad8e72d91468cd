import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

const preview = '#webhook-preview .request-line';

walk('a webhook is written with a live preview, tried, saved and tested', async (v) => {
  await world.api('POST', '/api/dcim/sites/', { name: 'Nazare 1', slug: 'nazare-1', status: 'planned' });
  await v.go('/extras/webhooks/');
  await v.follow('Add', { within: v.main });
  await v.sees('For trusted people only.');
  await v.press(v.main.locator('.gallery a', { hasText: 'Slack' }));
  assert.match(await v.main.locator('#id_body_template').inputValue(), /data/);

  await v.main.locator('#id_name').fill('Chat of the field engineers');
  await v.main.locator('input[name=content_types][value="dcim.site"]').check();
  await v.main.locator('#id_type_create').check();
  await v.main.locator('#id_type_update').check();
  await v.main.locator('#id_payload_url').fill(`${world.receiver.url}chat?of=engineers`);
  await v.main.locator('#id_sample_type').selectOption('dcim.site');
  await v.live(() => v.main.locator('#id_sample_record').fill('Nazare'), '#id_sample_record_list option[value^="Nazare"]');
  await v.main.locator('#id_sample_record').fill('Nazare 1');
  await v.live(() => v.main.locator('#id_secret').fill(world.receiverSecret), preview);
  assert.match(await v.main.locator(preview).innerText(), /^POST http:\/\/127\.0\.0\.1:\d+\/chat\?of=engineers$/);
  await v.main.locator('#webhook-preview .headers', { hasText: /X-Hook-Signature/i }).waitFor(); // the preview of what was typed before the secret may arrive first
  assert.match(await v.main.locator('#webhook-preview .headers').innerText(), /X-Hook-Signature\s+\(made when it is sent\)/i);
  assert.match(await v.main.locator('#webhook-preview .request-body').first().innerText(), /Nazare 1/);

  await v.live(() => v.main.locator('#id_body_template').fill('{"name":\n "{{ data.name | no_such_filter }}"}'), '#webhook-preview .wrong-line');
  assert.equal(await v.main.locator('.wrong-line').evaluate((line) => line.value), 2);
  assert.match(await v.main.locator('.wrong-line').innerText(), /no_such_filter/);
  await v.inReach('the preview');
  await v.live(() => v.main.locator('#id_body_template').fill('{"name": "{{ data.name }}", "event": "{{ event }}"}'), preview);
  assert.equal(await v.main.locator('#webhook-preview .request-body').first().innerText(), '{"name": "Nazare 1", "event": "updated"}');

  await v.main.locator('#id_conditions').fill('{"attr": "status", "value": "planned"}');
  await v.live(() => v.main.getByRole('button', { name: /^Try conditions/ }).click(), '#webhook-trial .verdict');
  assert.match(await v.main.locator('#webhook-trial .verdict').innerText(), /would have fired for [1-9]\d* of [1-9]\d* changes/);
  await v.live(async () => {
    await v.main.locator('#id_trial_show').selectOption('quiet');
    await v.main.getByRole('button', { name: /^Try conditions/ }).click();
  }, '#webhook-trial .no');
  await v.inReach('the form with a preview and a dry run');

  await v.press('Create');
  await v.sees('Chat of the field engineers', 'Enabled');
  assert.doesNotMatch(await v.page.content(), new RegExp(world.receiverSecret), 'the secret is not shown');

  await v.follow('Send a test');
  await v.press('Send the newest change of its types');
  const got = await world.receiver.request((r) => r.path === '/chat?of=engineers', 'test');
  assert.equal(got.signature, 'valid');
  assert.match(JSON.parse(got.body).name, /./);
  await v.page.locator('.badge.state-successful').first().waitFor();
});

walk('a preview says that the address is still being typed, so that half a name is never looked up', async (v) => {
  const asked = [];
  v.page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/preview/')) {
      const form = new URLSearchParams(request.postData());
      asked.push([form.get('payload_url'), form.get('typing')]);
    }
  });
  const shown = () => v.page.evaluate(() => new Promise((done) => { document.addEventListener('htmx:afterSettle', () => done(), { once: true }); }));
  await v.go('/extras/webhooks/add/');
  const address = v.main.locator('#id_payload_url');
  await Promise.all([shown(), address.fill('http://localhost')]);
  await Promise.all([shown(), address.press('Tab')]);
  await Promise.all([shown(), v.main.locator('#id_name').fill('Typed')]);
  await Promise.all([shown(), address.evaluate((input) => { // as if somebody left the field at once
    input.value = 'http://localhost:9/';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
  })]);
  await v.page.waitForTimeout(600); // longer than the preview waits for more
  assert.deepEqual(asked, [['http://localhost', 'payload_url'], ['http://localhost', null], ['http://localhost', 'name'], ['http://localhost:9/', null]]);
});

walk('the page of a webhook: pause, resume, recent deliveries, replay, secret', async (v) => {
  const hook = await world.api('POST', '/api/extras/webhooks/', { name: 'Ledger of changes', content_types: ['dcim.region'], type_create: true, type_update: true,
    payload_url: `${world.receiver.url}ledger`, secret: 'an older secret', conditions: { attr: 'slug', value: 'madeira' } });
  const path = `/extras/webhooks/${hook.id}/`;
  const region = await world.api('POST', '/api/dcim/regions/', { name: 'Madeira', slug: 'madeira' });
  await world.receiver.request((r) => r.path === '/ledger');
  await v.go(path);
  await v.eventually('the delivery is listed', () => v.main.locator('.state-successful').first().isVisible());
  await v.eventually('the chart is drawn', () => v.main.locator('.chart svg').first().isVisible());

  await v.press('Pause');
  await v.sees('Paused');
  await world.api('PATCH', `/api/dcim/regions/${region.id}/`, { description: 'while paused' });
  await v.go(path);
  assert.match(await v.main.locator('.numbers').innerText(), /Queued\s+1/);
  assert.ok(!world.receiver.requests.some((r) => r.path === '/ledger' && r.body.includes('while paused')));
  await v.press('Resume');
  await world.receiver.request((r) => r.path === '/ledger' && r.body.includes('while paused'));

  await v.follow('Replay');
  await v.press('Count');
  await v.eventually('both changes can be sent', () => v.main.getByRole('button', { name: 'Send 2' }).isVisible());
  const before = world.receiver.requests.filter((r) => r.path === '/ledger').length;
  await v.press('Send 2');
  await world.receiver.request(() => world.receiver.requests.filter((r) => r.path === '/ledger').length === before + 2, 'replay');

  await v.go(path);
  await v.follow('Rotate secret');
  await v.press('Generate a secret');
  await v.sees('shown once');
  const secret = await v.main.locator('#made').innerText();
  assert.ok(secret.length >= 32);
  await v.inReach('a secret just rotated');
  await v.press('The receiver knows the new one');
  await v.go(path);
  assert.doesNotMatch(await v.page.content(), new RegExp(secret.replace(/[^\w]/g, '\\$&')));
});

walk('a bar of the chart leads to the deliveries of its time, in the chosen range', async (v) => {
  const hook = await world.api('POST', '/api/extras/webhooks/', { name: 'Counted by bars', content_types: ['dcim.region'], type_create: true, payload_url: `${world.receiver.url}bars`,
    conditions: { attr: 'slug', op: 'regex', value: 'barred' } });
  await world.api('POST', '/api/dcim/regions/', ['Barred 1', 'Barred 2'].map((name) => ({ name, slug: name.toLowerCase().replace(' ', '-') })));
  await v.go(`/extras/webhooks/${hook.id}/`);
  await v.eventually('both requests are counted', async () => /of 2 requests/.test(await v.main.innerText()));
  await v.follow('7 d');
  assert.equal(await v.main.locator('nav[aria-label="Time that the charts cover"] [aria-current]').innerText(), '7 d');
  await v.press(v.main.locator('.chart-plot').first().locator('a').last());
  const { pathname, searchParams } = new URL(v.page.url());
  assert.equal(pathname, '/extras/deliveries/');
  const moments = [...searchParams].filter(([, value]) => /^\d{4}-/.test(value)).map(([, value]) => Date.parse(value)).sort();
  assert.equal(moments[1] - moments[0], 3 * 60 * 60_000, `a bar of seven days is three hours: ${searchParams}`);
  assert.equal(await v.main.locator('.count').innerText(), '1–2 of 2');
  await v.sees('Barred 1', 'Barred 2');
});

walk('the preview, the page and the form warn of an address that the egress policy forbids', async (v) => {
  const warning = /^The egress policy forbids this address/;
  await v.go('/extras/webhooks/add/');
  await v.main.locator('#id_name').fill('Sent to nobody');
  await v.main.locator('#id_enabled').uncheck();
  await v.main.locator('input[name=content_types][value="dcim.site"]').check();
  await v.main.locator('#id_type_delete').check();
  const address = v.main.locator('#id_payload_url');
  const previewed = v.main.locator('#webhook-preview .alert-warning', { hasText: warning });
  await v.live(() => address.fill(`${world.receiver.url}allowed`), preview);
  assert.equal(await previewed.count(), 0);
  await address.fill('http://10.1.2.3/hook');
  await previewed.waitFor();
  await v.inReach('a webhook to a forbidden address');
  await v.press('Create');
  await v.main.locator('.alert-warning', { hasText: warning }).waitFor();
  await v.follow('Edit', { within: v.main });
  await v.main.locator('#id_payload_url_warning', { hasText: warning }).waitFor();
});

walk('an existing webhook is edited with its preview and dry run', async (v) => {
  const hook = await world.api('POST', '/api/extras/webhooks/', { name: 'Edited hook', content_types: ['dcim.site'], type_update: true, payload_url: `${world.receiver.url}edited`, enabled: false });
  await v.go(`/extras/webhooks/${hook.id}/edit/`);
  await v.page.locator(preview).waitFor();
  await v.live(() => v.main.getByRole('button', { name: /^Try conditions/ }).click(), '#webhook-trial .verdict, #webhook-trial .nothing');
  await v.main.locator('#id_http_method').selectOption('PUT');
  await v.page.locator(preview, { hasText: 'PUT' }).waitFor();
  await v.main.locator('#id_additional_headers').fill('X-Team: field\nHost: elsewhere');
  await v.page.locator('#webhook-preview .hook-problem').waitFor();
  await v.press('Save', { status: 400 });
  await v.main.locator('#id_additional_headers').fill('X-Team: field');
  await v.press('Save');
  await v.sees('Saved webhook');
});

walk('without JavaScript: preview and dry run', { javaScript: false }, async (v) => {
  await v.go('/extras/webhooks/add/');
  await v.main.locator('#id_name').fill('No scripts');
  await v.main.locator('input[name=content_types][value="dcim.site"]').check();
  await v.main.locator('#id_type_create').check();
  await v.main.locator('#id_payload_url').fill(`${world.receiver.url}plain`);
  await v.press('Preview');
  await v.sees(`${world.receiver.url}plain`);
  assert.equal(await v.main.locator('#id_name').inputValue(), 'No scripts', 'what was typed stays');
  await v.press(v.main.getByRole('button', { name: /^Try conditions/ }));
  await v.sees(/would have fired for/);
  await v.press('Create');
  await v.sees('No scripts');
});
