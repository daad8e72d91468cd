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

// The smallest picture, as JSON has it.
export const picture = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=';

let made = 0;
async function make(path, body) { return (await world.api('POST', `/api${path}`, { name: `needed ${++made}`, ...body })).id; }

async function slugged(path) { return make(path, { slug: `needed-${made + 1}` }); }

// once makes a record when it is first needed.
function once(makes) {
  let kept;
  return () => kept ??= makes();
}

const registry = once(() => slugged('/ipam/rirs/'));
const clusterType = once(() => slugged('/virtualization/cluster-types/'));
const machine = once(async () => make('/virtualization/virtual-machines/', { site: (await idsOfSeeded()).site }));

// toInterface returns a reference of several types to a new interface.
async function toInterface(name, device) {
  return { [`${name}_type`]: 'dcim.interface', [`${name}_id`]: await make('/dcim/interfaces/', { device, type: 'virtual' }) };
}

// Types whose rules ask for more. What only one record can have is made for each.
const own = {
  '/dcim/device-bays/': async () => ({ device: await find('/dcim/devices/?name=chassis-1') }),
  '/dcim/front-port-templates/': async ({ device_type }) => ({ device_type, rear_port: await make('/dcim/rear-port-templates/', { device_type, type: 'lc' }) }),
  '/dcim/front-ports/': async ({ device }) => ({ rear_port: await make('/dcim/rear-ports/', { device, type: 'lc' }) }),
  '/dcim/interface-templates/': async ({ device_type }) => ({ device_type }),
  '/dcim/modules/': async ({ device }) => ({ module_bay: await make('/dcim/module-bays/', { device }) }),
  '/dcim/rack-reservations/': async ({ site }) => ({ rack: await make('/dcim/racks/', { site }), units: [1] }),
  '/extras/config-contexts/': async () => ({ data: { ntp: '192.0.2.1' } }),
  '/extras/custom-fields/': async () => ({ type: 'text', content_types: ['dcim.region'] }),
  '/extras/custom-links/': async () => ({ content_types: ['dcim.region'] }),
  '/extras/journal-entries/': async ({ site }) => ({ assigned_object_type: 'dcim.site', assigned_object_id: site }),
  '/extras/image-attachments/': async ({ site }) => ({ content_type: 'dcim.site', object_id: site, image: picture }),
  '/extras/saved-filters/': async () => ({ content_types: ['dcim.region'], parameters: { name: 'Lisbon' } }),
  '/extras/webhooks/': async () => ({ content_types: ['dcim.region'], payload_url: 'http://127.0.0.1:1/', type_create: true }),
  '/ipam/aggregates/': async () => ({ prefix: `198.18.${++made}.0/24`, rir: await registry() }),
  '/ipam/asn-ranges/': async () => ({ rir: await registry(), start: 64512, end: 64600 }),
  '/ipam/asns/': async () => ({ rir: await registry(), asn: 64512 + ++made }),
  '/ipam/fhrp-group-assignments/': async ({ device }) => ({ group: await make('/ipam/fhrp-groups/', { protocol: 'vrrp2', group_id: 7 }),
    ...await toInterface('interface', device), priority: 10 }),
  '/ipam/fhrp-groups/': async () => ({ group_id: 7 }),
  '/ipam/ip-addresses/': async () => ({ address: `198.51.100.${++made}/24` }),
  '/ipam/ip-ranges/': async () => ({ start_address: `203.0.113.${++made}/24`, end_address: `203.0.113.${++made}/24` }),
  '/ipam/l2vpn-terminations/': async ({ device }) => ({
    l2vpn: await make('/ipam/l2vpns/', { slug: `needed-${made}`, type: 'vxlan' }), ...await toInterface('assigned_object', device) }),
  '/ipam/prefixes/': async () => ({ prefix: `198.19.${++made}.0/24` }),
  '/ipam/route-targets/': async () => ({ name: `65000:${++made}` }),
  '/ipam/service-templates/': async () => ({ ports: [443] }),
  '/ipam/services/': async ({ device }) => ({ device, ports: [443] }),
  '/ipam/vlans/': async () => ({ vid: ++made }),
  '/virtualization/clusters/': async () => ({ type: await clusterType() }),
  '/virtualization/interfaces/': async () => ({ virtual_machine: await machine() }),
  '/virtualization/virtual-machines/': async ({ site }) => ({ site }),
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
