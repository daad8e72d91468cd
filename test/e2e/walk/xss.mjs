// Puts hostile text into every field that takes text and shows it on every page. None of it may run, or even try to.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { isWalked } from '../alike.mjs';
import { describe, needs } from '../needs.mjs';
import { check, walk } from '../walks.mjs';
import { world } from '../world.mjs';

const payloads = [
  '<script>window.__xss=1</script>',
  '"><img src=x onerror=window.__xss=1>',
  '\'-window.__xss=1-\'',
  'javascript:window.__xss=1',
  '{{constructor.constructor(\'window.__xss=1\')()}}',
  '</title><script>window.__xss=1</script>',
  '<svg/onload=window.__xss=1>',
  '" hx-get="/logout/" hx-trigger="load',
  '</textarea><script>window.__xss=1</script>',
  '--><script>window.__xss=1</script>',
];

// Types whose records have no text of their own.
const textless = ['/ipam/fhrp-group-assignments/', '/ipam/l2vpn-terminations/'];

const types = world.visited.lists.filter(({ path, fixed }) => !fixed && isWalked(path) && !textless.includes(path)).map((type) => type.path);

// Records that do nothing by themselves, and appear where other tests look least.
const quiet = {
  '/extras/custom-fields/': { content_types: ['dcim.site'] },
  '/extras/webhooks/': { content_types: ['dcim.location'], enabled: false },
  '/users/permissions/': { enabled: false },
};

// hostile creates a record whose texts are a payload, as far as the type accepts it. Without the fields that it refuses, it tries again.
async function hostile(path, fields, payload, n) {
  const body = { ...await needs(path), ...quiet[path] };
  const tried = [];
  for (const [name, field] of Object.entries(fields)) {
    const most = field.max_length ?? 1000;
    if (field.required) {
      body[name] ??= `hostile_${n}`;
    }
    if (field.type === 'string' && !['password', 'key', 'client_key', 'payload_url', 'color'].includes(name) && payload.length + 3 <= most) {
      tried.push([name, body[name]]);
      body[name] = /^(name|username)$/.test(name) ? `${payload}${n}` : payload;
    }
  }
  for (let round = 0; round < 4; round++) {
    const { status, json } = await world.ask('POST', `/api${path}`, body);
    if (status === 201) {
      return { id: json.id, fields: tried.filter(([name]) => typeof body[name] === 'string' && body[name].startsWith(payload)).map(([name]) => name) };
    }
    assert.equal(status, 400, `POST ${path}: ${JSON.stringify(json)}`);
    for (const name of Object.keys(json)) {
      const usual = tried.find(([other]) => other === name)?.[1];
      if (usual === undefined) {
        delete body[name];
      } else {
        body[name] = usual;
      }
    }
  }
  assert.fail(`${path} takes no body: ${JSON.stringify(body)}`);
}

// isDue says whether a run visits number n of many pages that differ only in their text: a short run visits every second.
function isDue(n) { return !world.quick || n % 2 === 0; }

// sow creates records of every type with the payloads, once, and returns their ids by type.
let sown;
function sow() {
  sown ??= (async () => {
    const ids = new Map();
    let n = 0;
    for (const path of types) {
      const made = [];
      const fields = await describe(path);
      for (const payload of payloads) {
        made.push(await hostile(path, fields, payload, ++n));
      }
      const taken = new Set(made.flatMap((record) => record.fields));
      assert.ok(taken.size > 0, `${path} takes text somewhere`);
      ids.set(path, { ids: made.map((record) => record.id), fields: [...taken] });
    }
    await world.api('POST', '/api/extras/custom-fields/', { name: 'hostile_text', type: 'text', content_types: ['dcim.site'] });
    await world.api('PATCH', '/api/dcim/sites/', ids.get('/dcim/sites/').ids.map((id, i) => ({ id, custom_fields: { hostile_text: payloads[i] } })));
    return ids;
  })();
  return sown;
}

check('hostile text is put into every field that takes it', async (t) => {
  for (const [path, { fields }] of await sow()) {
    t.diagnostic(`${path}: ${fields.join(', ')}`);
  }
  const [site] = (await sow()).get('/dcim/sites/').ids;
  const { status } = await world.ask('PATCH', `/api/dcim/sites/${site}/`, { custom_fields: { owner_page: 'javascript:window.__xss=1' } });
  assert.equal(status, 400, 'a link that is a script is refused');
});

// harmless checks that a page runs and requests nothing that comes from a payload.
async function harmless(v) {
  assert.equal(await v.page.evaluate(() => window.__xss), undefined, `${v.page.url()} runs what is in a field`);
  const links = await v.page.evaluate(() => [...document.querySelectorAll('[href], [src], [action], [formaction], [hx-get], [hx-post]')]
    .flatMap((element) => ['href', 'src', 'action', 'formaction', 'hx-get', 'hx-post'].map((name) => element.getAttribute(name) ?? ''))
    .filter((address) => /^\s*javascript:/i.test(address)));
  assert.deepEqual(links, [], v.page.url());
  const foreign = '[onerror], [onload], [hx-get="/logout/"], main script:not([type="module"][src^="/static/"])'; // a form has its own module
  assert.equal(await v.page.locator(foreign).count(), 0, v.page.url());
  assert.deepEqual(v.dialogs, []);
}

// looker returns a function that opens a page and checks it.
const looker = (v) => async (path) => {
  await v.go(path);
  await harmless(v);
};

for (const part of [0, 1, 2]) {
  walk(`no list, record, form, change log or API page of a type runs it (${part + 1} of 3)`, async (v) => {
    const look = looker(v);
    for (const [path, { ids }] of [...await sow()].filter((_, i) => i % 3 === part)) {
      await look(`${path}?ordering=-id&limit=25`);
      await look(`/api${path}?ordering=-id&limit=10`);
      // All kinds of text for the types whose pages differ most. For those whose pages are only derived, the text that breaks out of
      // attributes and elements alike.
      const own = ['/dcim/sites/', '/extras/webhooks/', '/users/users/'].includes(path);
      const some = own ? ids : ids.slice(1, 2);
      for (const [i, id] of some.entries()) {
        for (const [n, rest] of ['', 'edit/', 'changelog/', 'delete/'].entries()) {
          if (!own || n < 2 || isDue(i + n)) {
            await look(`${path}${id}/${rest}`);
          }
        }
      }
      if (own) { // the API shows one record as it shows ten
        await look(`/api${path}${ids[1]}/`);
      }
    }
  });
}

walk('no page that shows several types runs it', async (v) => {
  await sow();
  const look = looker(v);
  for (const path of ['/', '/extras/object-changes/?limit=250', '/system/tasks/', '/user/', '/user/tokens/', '/dcim/sites/add/']) {
    await look(path);
  }
  const { results } = await world.api('GET', '/api/extras/object-changes/?limit=30');
  for (const change of results.filter((_, i) => i % 5 === 0)) {
    await look(`/extras/object-changes/${change.id}/`);
  }
});

walk('no address runs it', async (v) => {
  for (const [i, payload] of payloads.entries()) {
    const text = encodeURIComponent(payload);
    const addresses = [[`/search/?q=${text}`, 200], [`/dcim/sites/?q=${text}&name__ic=${text}`, 200], [`/dcim/sites/?${text}=1`, 400], [`/${text}/`, 404],
      [`/api/dcim/sites/?name=${text}`, 200], [`/api/dcim/sites/?${text}=1`, 400], [`/dcim/sites/add/?name=${text}&description=${text}&region=${text}`, 200]];
    for (const [path, status] of addresses.filter((_, n) => isDue(i + n))) {
      await v.go(path, { status });
      await harmless(v);
    }
  }
});

walk('no login page runs it, nor leads elsewhere', { user: null }, async (v) => {
  for (const next of ['javascript:window.__xss=1', '//evil.example/', 'https://evil.example/', '/\\evil.example/', ...payloads]) {
    await v.go(`/login/?next=${encodeURIComponent(next)}`);
    await harmless(v);
    const kept = await v.page.locator('main input[name=next]').inputValue();
    assert.ok(kept.startsWith('/') && !/^[/\\]{2}/.test(kept) && !kept.includes('\\'), kept);
  }
});

walk('no live part runs it', async (v) => {
  await world.api('POST', '/api/dcim/regions/', { name: `${payloads[1]} to choose`, slug: 'hostile-choice' });
  await v.go('/dcim/sites/add/');
  await v.live(() => v.main.locator('#id_region').fill('window.__xss'), '#id_region_list option[value*="__xss"]');
  await harmless(v);
  await v.go('/dcim/sites/import/');
  await v.label('Text').fill(JSON.stringify(payloads.map((payload) => ({ name: payload, slug: payload, status: payload, region: payload }))));
  await v.live(() => v.page.getByRole('button', { name: 'Dry run' }).click(), '#outcome .refused', { status: 400 });
  await harmless(v);
  await v.go('/extras/webhooks/add/');
  await v.main.locator('input[name=content_types][value="dcim.site"]').check();
  await v.main.locator('#id_type_create').check();
  await v.main.locator('#id_payload_url').fill('http://127.0.0.1:1/<script>window.__xss=1</script>');
  await v.main.locator('#id_name').fill(payloads[0]);
  for (const template of [payloads.join('\n'), '{{ data.name }} <img src=x onerror=window.__xss=1>', '<script>window.__xss=1</script>{{ no.such | filter }}']) {
    const answered = v.page.waitForResponse((response) => response.url().endsWith('/preview/'));
    await v.main.locator('#id_body_template').fill(template);
    await answered;
    await harmless(v);
  }
  await v.live(() => v.main.getByRole('button', { name: /^Try conditions/ }).click(), '#webhook-trial .hook-problem');
  await harmless(v);
  await v.main.locator('#id_body_template').fill('');
  await v.live(() => v.main.getByRole('button', { name: /^Try conditions/ }).click(), '#webhook-trial .verdict');
  await harmless(v);
});

walk('no answer of a receiver runs it', async (v) => {
  const receiver = createServer((_, response) => {
    response.writeHead(500, { 'Content-Type': 'text/html', 'X-Hostile': payloads[0] });
    response.end(`<!doctype html><title>${payloads[0]}</title>${payloads.join('')}`);
  }).listen(0, '127.0.0.1');
  try {
    await once(receiver, 'listening');
    const hook = await world.api('POST', '/api/extras/webhooks/', { name: `${payloads[1]} of a receiver`, content_types: ['dcim.rackrole'], type_create: true,
      payload_url: `http://127.0.0.1:${receiver.address().port}/`, body_template: `${payloads[0]} {{ data.name }}`, http_content_type: 'text/html', additional_headers: `X-Mine: ${payloads[1]}` });
    const role = await world.api('POST', '/api/dcim/rack-roles/', { name: payloads.slice(0, 2).join(''), slug: 'hostile-receiver' });
    await v.go(`/extras/deliveries/?webhook_id=${hook.id}`);
    await v.eventually('the delivery failed', () => v.main.locator('.state-failed').first().isVisible());
    await harmless(v);
    await v.press(v.main.locator('tbody th a').first());
    await v.sees('Attempt 1', '500');
    await harmless(v);
    for (const path of ['/system/tasks/', `/extras/webhooks/${hook.id}/`, `/dcim/rack-roles/${role.id}/changelog/`, `/extras/webhooks/${hook.id}/test/`, `/extras/webhooks/${hook.id}/replay/?count=true`,
      `/extras/webhooks/${hook.id}/rotate/`, `/extras/deliveries/retry/?webhook_id=${hook.id}`]) {
      await v.go(path);
      await harmless(v);
    }
  } finally {
    receiver.close();
  }
});
