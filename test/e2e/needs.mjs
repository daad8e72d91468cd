// What a new record of each type needs besides texts. References are ids.
import assert from 'node:assert/strict';
import { world } from './world.mjs';

// The records of seed.mjs that required references lead to, by the name of the field.
const seeded = {
  device: '/dcim/devices/?name=edge-1',
  device_role: '/dcim/device-roles/?slug=router',
  device_type: '/dcim/device-types/?slug=mx-router',
  manufacturer: '/dcim/manufacturers/?slug=acme',
  module_type: '/dcim/module-types/?model=Line%20card',
  site: '/dcim/sites/?slug=lisbon-1',
  user: '/users/users/?username=admin',
};

async function find(path) {
  const { results } = await world.api('GET', `/api${path}`);
  assert.ok(results.length > 0, `${path} finds nothing`);
  return results[0].id;
}

let made = 0;
async function make(path, body) { return (await world.api('POST', `/api${path}`, { name: `needed ${++made}`, ...body })).id; }

// Types whose rules ask for more. What only one record can have is made for each.
const own = {
  '/dcim/device-bays/': async () => ({ device: await find('/dcim/devices/?name=chassis-1') }),
  '/dcim/front-port-templates/': async ({ device_type }) => ({ device_type, rear_port: await make('/dcim/rear-port-templates/', { device_type, type: 'lc' }) }),
  '/dcim/front-ports/': async ({ device }) => ({ rear_port: await make('/dcim/rear-ports/', { device, type: 'lc' }) }),
  '/dcim/interface-templates/': async ({ device_type }) => ({ device_type }),
  '/dcim/modules/': async ({ device }) => ({ module_bay: await make('/dcim/module-bays/', { device }) }),
  '/dcim/rack-reservations/': async ({ site }) => ({ rack: await make('/dcim/racks/', { site }), units: [1] }),
  '/extras/custom-fields/': async () => ({ type: 'text', content_types: ['dcim.region'] }),
  '/extras/webhooks/': async () => ({ content_types: ['dcim.region'], payload_url: 'http://127.0.0.1:1/', type_create: true }),
  '/users/permissions/': async () => ({ object_types: ['dcim.region'], actions: ['view'] }),
  '/users/users/': async () => ({ password: world.password }),
};

let ids;
async function idsOfSeeded() {
  ids ??= Promise.all(Object.entries(seeded).map(async ([name, path]) => [name, await find(path)])).then(Object.fromEntries);
  return ids;
}

// describe returns the fields that a client can set, by name, as the API describes them.
export async function describe(path) {
  const { actions } = await world.api('OPTIONS', `/api${path}`);
  return Object.fromEntries(Object.entries(actions.POST).filter(([, field]) => !field.read_only));
}

// needs returns the values that one new record of a type needs, without its texts.
export async function needs(path) {
  const fields = await describe(path);
  const known = await idsOfSeeded();
  const values = await own[path]?.(known) ?? {};
  for (const [name, field] of Object.entries(fields).filter(([, field]) => field.required)) {
    values[name] ??= known[name] ?? field.choices?.[0].value;
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
