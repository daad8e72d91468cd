// Free addresses, prefixes and numbers are taken from the pages of what they are free in.
import assert from 'node:assert/strict';
import { demo } from '../demo_addresses.mjs';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

const make = (path, body) => world.api('POST', `/api${path}`, body);

// take opens the form of an action, fills it in and sends it. The form first shows what it creates, if that is not what it showed at first.
async function take(v, path, values = {}) {
  await v.go(path);
  await v.inReach(path);
  for (const [name, value] of Object.entries(values)) {
    await v.main.locator(`#id_${name}`).fill(`${value}`);
  }
  const create = v.main.locator('.form-buttons .btn-primary').first();
  await v.press(create);
  if (new URL(v.page.url()).pathname === path) {
    assert.match(await create.textContent(), /^Create /);
    await v.press(create);
  }
}

walk('the first free address, prefix and AS number are taken', async (v) => {
  const prefix = await make('/ipam/prefixes/', { prefix: '100.64.0.0/24' });
  await take(v, `/ipam/prefixes/${prefix.id}/available-ips/`);
  await take(v, `/ipam/prefixes/${prefix.id}/available-prefixes/`, { prefix_length: 26 });
  const range = await make('/ipam/ip-ranges/', { start_address: '100.64.1.10/24', end_address: '100.64.1.20/24' });
  await take(v, `/ipam/ip-ranges/${range.id}/available-ips/`);
  const group = await make('/ipam/vlan-groups/', { name: 'Given out', slug: 'given-out', min_vid: 7, max_vid: 9 });
  await take(v, `/ipam/vlan-groups/${group.id}/available-vlans/`, { name: 'Guests' });
  await v.sees('VLAN 7 Guests (Given out)');
  const rir = await make('/ipam/rirs/', { name: 'Gives out', slug: 'gives-out' });
  const run = await make('/ipam/asn-ranges/', { name: 'Given out', slug: 'given-out', rir: rir.id, start: 4199999990, end: 4199999999 });
  await take(v, `/ipam/asn-ranges/${run.id}/available-asns/`);

  // From the page of the prefix: the first press writes nothing, the second creates what its button says.
  await v.go(`/ipam/prefixes/${prefix.id}/`);
  await v.follow('Allocate addresses');
  await v.main.getByRole('button', { name: 'Create 100.64.0.2/24' }).waitFor();
  await v.main.getByLabel('How many').fill('2');
  await v.press('Create 100.64.0.2/24');
  await v.press('Create 2 IP addresses: 100.64.0.2/24 …');
  await v.main.getByRole('status').getByText('Created 2 IP addresses').waitFor();
  await take(v, `/ipam/prefixes/${prefix.id}/available-prefixes/`, { prefix_length: 28 });
  await v.sees('100.64.0.64/28');

  const shown = async (path) => (await world.api('GET', `/api${path}`)).results.map((record) => record.display);
  assert.deepEqual(await shown('/ipam/ip-addresses/?parent=100.64.0.0/16'), ['100.64.0.1/24', '100.64.0.2/24', '100.64.0.3/24',
    '100.64.1.10/24']);
  assert.deepEqual(await shown('/ipam/prefixes/?within=100.64.0.0/24'), ['100.64.0.0/26', '100.64.0.64/28']);
  assert.deepEqual(await shown('/ipam/asns/?asn=4199999990'), ['AS4199999990 (64086.59894)']);
});

// overflowing returns the tables beside drawings that are wider than their card.
const overflowing = (v) => v.main.locator('.drawn-table .table').evaluateAll((tables) =>
  tables.filter((table) => table.getBoundingClientRect().right > table.closest('.drawing').getBoundingClientRect().right + 1).length);

walk('trees, maps and contexts are in reach, wide or narrow, light or dark', (v) => demo(async (pages) => {
  const problems = [];
  for (const [name, path] of Object.entries(pages)) {
    await v.go(path);
    for (const width of [1280, 320]) {
      await v.page.setViewportSize({ width, height: 800 });
      problems.push(...await v.outOfReachAtBoth(`${name} at ${width}`));
      assert.equal(await overflowing(v), 0, `the table of ${name} fits at ${width}`);
    }
  }
  await v.go(pages['prefix-map']);
  await v.press(v.main.locator('.drawn-table').getByRole('link', { name: 'Free: add here' }).first());
  assert.equal(await v.main.locator('#id_address').inputValue(), '10.20.12.3/24');
  assert.deepEqual(problems, []);
}));
