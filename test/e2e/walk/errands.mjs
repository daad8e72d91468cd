// Five errands that people run often, from the home page to the end, counted: each click and each key counts one, Enter and the answer to a
// question included. Names are typed as they are written here. None may take more clicks than it once did, nor more clicks and keys together:
// Enter may replace a click.
import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

// What the errands took, by the same count, before home, lists, forms and the pages of records were worked over.
const once = {
  'add a device with 48 ports': { clicks: 7, keys: 40 },
  'find who changed a prefix': { clicks: 2, keys: 14 },
  'find why a webhook did not fire': { clicks: 4, keys: 9 },
  'resend everything a receiver missed': { clicks: 4, keys: 9 },
  'let a colleague edit one site': { clicks: 9, keys: 38 },
};

// Hands do what a person does with mouse and keyboard, and count it.
class Hands {
  clicks = 0;
  keys = 0;

  constructor(visitor) { this.v = visitor; }

  async click(what) { this.clicks++; await what.click(); }

  async follow(what) { this.clicks++; await this.v.press(what); }

  async type(text) { this.keys += text.length; await this.v.page.keyboard.type(text); }

  async into(selector, text) { await this.click(this.v.main.locator(selector)); await this.type(text); }

  async enter() { this.keys++; await this.v.press(null, { act: () => this.v.page.keyboard.press('Enter') }); }

  // navigate opens the list of a record type by the box above the navigation.
  async navigate(type) {
    await this.click(this.v.page.locator('#narrow-navigation'));
    await this.type(type);
    await this.enter();
  }

  async search(text) {
    await this.type('/');
    await this.type(text);
    await this.enter();
  }
}

function errand(name, prepare, steps) {
  walk(`errand: ${name}`, async (v, t) => {
    const given = await prepare();
    await v.go('/');
    const hands = new Hands(v);
    const began = performance.now();
    await steps(v, hands, given);
    const took = ((performance.now() - began) / 1000).toFixed(1);
    t.diagnostic(`${name}: ${hands.clicks} clicks and ${hands.keys} keys, ${took} s; once ${once[name].clicks} and ${once[name].keys}`);
    const { clicks, keys } = once[name];
    assert.ok(hands.clicks <= clicks && hands.clicks + hands.keys <= clicks + keys, `${hands.clicks} clicks and ${hands.keys} keys`);
  });
}

errand('add a device with 48 ports', async () => {
  const [maker] = await world.api('POST', '/api/dcim/manufacturers/', [{ name: 'Portmaker', slug: 'portmaker' }]);
  const type = await world.api('POST', '/api/dcim/device-types/', { manufacturer: maker.id, model: 'Switch 48', slug: 'switch-48' });
  await world.api('POST', '/api/dcim/interface-templates/', Array.from({ length: 48 }, (_, n) => ({ device_type: type.id, name: `eth${n + 1}`, type: '1000base-t' })));
}, async (v, hands) => {
  await hands.navigate('Devices');
  await hands.follow(v.main.getByRole('link', { name: 'Add', exact: true }));
  await hands.into('#id_name', 'access-48');
  await hands.into('#id_device_role', 'Router');
  await hands.into('#id_device_type', 'Switch 48');
  await hands.into('#id_site', 'Lisbon 1');
  await hands.enter();
  await v.sees('access-48');
  await v.main.locator('.nav-tabs', { hasText: /Interfaces\s*48/ }).waitFor();
});

errand('find who changed a prefix', async () => {
  const prefix = await world.api('POST', '/api/ipam/prefixes/', { prefix: '10.66.0.0/24' });
  await world.api('PATCH', `/api/ipam/prefixes/${prefix.id}/`, { description: 'For the port of Sines' });
}, async (v, hands) => {
  await hands.search('10.66.0.0/24');
  await hands.follow(v.main.getByRole('link', { name: '10.66.0.0/24', exact: true }).first());
  await hands.follow(v.main.getByRole('link', { name: 'Change log', exact: true }));
  await v.sees('For the port of Sines', 'admin');
});

errand('find why a webhook did not fire', async () => {
  const hook = await world.api('POST', '/api/extras/webhooks/', { name: 'Silent', content_types: ['dcim.rackrole'], type_create: true, payload_url: `${world.receiver.url}silent`,
    conditions: { attr: 'color', value: '000000' } });
  await world.api('POST', '/api/dcim/rack-roles/', { name: 'Quiet role', slug: 'quiet-role', color: 'ffffff' });
  return hook;
}, async (v, hands) => {
  await hands.navigate('Webhooks');
  await hands.follow(v.main.getByRole('link', { name: 'Silent', exact: true }));
  await hands.follow(v.main.getByRole('link', { name: 'Edit', exact: true }));
  await hands.click(v.main.getByRole('button', { name: /^Try conditions/ }));
  await v.page.locator('#webhook-trial', { hasText: /Quiet role[\s\S]*color is "ffffff"/ }).waitFor();
});

errand('resend everything a receiver missed', async () => {
  const hook = await world.api('POST', '/api/extras/webhooks/', { name: 'Missed', content_types: ['dcim.rackrole'], type_create: true, payload_url: `${world.failing.url}missed`,
    conditions: { attr: 'name', op: 'regex', value: 'Missed ' } });
  await world.api('POST', '/api/dcim/rack-roles/', [1, 2, 3, 4, 5].map((n) => ({ name: `Missed ${n}`, slug: `missed-${n}`, color: 'ffffff' })));
  await world.failing.request(() => sent() === 5, 'missed events');
  await world.until('it is failing', async () => (await world.api('GET', `/api/extras/webhooks/${hook.id}/`)).failing_since);
}, async (v, hands) => {
  const failing = v.main.locator('section', { hasText: 'Failing and held webhooks' }).getByRole('link', { name: 'Missed', exact: true });
  await v.eventually('it is on the home page', () => failing.isVisible());
  await hands.follow(failing);
  const button = v.main.getByRole('button', { name: 'Retry all 5 failed' });
  await v.eventually('five failed', () => button.isVisible());
  await v.accepting(/^Send all 5 failed deliveries/, () => hands.follow(button));
  hands.clicks++; // the answer to the question
  await world.failing.request(() => sent() === 10, 'all again');
});

const sent = () => world.failing.requests.filter((r) => r.path === '/missed').length;

errand('let a colleague edit one site', async () => {
  await world.api('POST', '/api/users/users/', { username: 'colleague', password: world.password });
  return (await world.api('GET', '/api/dcim/sites/?name=Porto%201')).results[0];
}, async (v, hands, site) => {
  await hands.navigate('Permissions');
  await hands.follow(v.main.getByRole('link', { name: 'Add', exact: true }));
  await hands.into('#id_name', 'Porto 1');
  await hands.click(v.main.locator('input[name=object_types][value="dcim.site"]'));
  for (const action of ['view', 'change']) {
    await hands.click(v.main.locator(`input[name=actions][value=${action}]`));
  }
  await hands.into('#id_users', 'colleague');
  await hands.into('#id_constraints', `{"id": ${site.id}}`);
  await hands.follow(v.main.getByRole('button', { name: 'Create', exact: true }));
  await v.sees('Porto 1', 'colleague');
  const key = await world.provision('colleague');
  const edit = async (id) => (await world.ask('PATCH', `/api/dcim/sites/${id}/`, { comments: 'by a colleague' }, key)).status;
  assert.deepEqual([await edit(site.id), await edit((await world.api('GET', '/api/dcim/sites/?name=Porto%202')).results[0].id)], [200, 404]);
});
