// The records of the pictures of racks and devices: a row of racks in a data centre, as network engineers name things.
import { world } from './world.mjs';

const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
const range = (first, last) => Array.from({ length: last - first + 1 }, (_, n) => first + n);
const two = (n) => String(n).padStart(2, '0');

// Each type: maker, model, units, kilograms, and more fields.
const types = {
  leaf: ['Arista', 'DCS-7050SX3-48YC8', 1, 9.2, { airflow: 'front-to-rear', part_number: 'DCS-7050SX3-48YC8-F' }],
  spine: ['Juniper', 'QFX5220-32CD', 1, 11.3, { airflow: 'front-to-rear' }],
  oob: ['Juniper', 'EX4400-48T', 1, 7.2, { is_full_depth: false }],
  edge: ['Juniper', 'MX480', 8, 59.3, { airflow: 'side-to-rear' }],
  firewall: ['Palo Alto Networks', 'PA-5450', 5, 48.5, {}],
  console: ['Opengear', 'OM2216-L', 1, 4.5, { is_full_depth: false }],
  panel: ['Panduit', 'QuickNet 48', 1, 1.4, { is_full_depth: false, airflow: 'passive' }],
  server: ['Dell', 'PowerEdge R650', 1, 21.9, {}],
  big: ['Dell', 'PowerEdge R750', 2, 35.3, {}],
  storage: ['NetApp', 'AFF A400', 4, 50.8, {}],
  pdu: ['APC', 'AP8959EU3', 0, 6.8, { is_full_depth: false }],
};
const roles = { 'Leaf switch': '1e6fd9', 'Spine switch': '5e35b1', 'Edge router': '00796b', Firewall: 'c62828', Management: 'f9a825', 'Patching': 'cfd8dc', Compute: '455a64', Storage: '6d4c41',
  'Power distribution': '9e9e9e' };

// Each rack: devices as [name, type, role, unit, face]. Units that are left out are free.
function layout(row, n) {
  const leaf = 2 * n - 1;
  const top = [[`ams1-pp-${row}${two(n)}`, 'panel', 'Patching', 42, 'front'], [`ams1-leaf-${two(leaf)}`, 'leaf', 'Leaf switch', 41, 'front'], [`ams1-leaf-${two(leaf + 1)}`, 'leaf', 'Leaf switch', 40, 'front'],
    [`ams1-oob-${two(n)}`, 'oob', 'Management', 38, 'rear']];
  const power = ['a', 'b'].map((feed) => [`ams1-pdu-${row}${two(n)}-${feed}`, 'pdu', 'Power distribution']);
  const servers = (name, first, last, type = 'server') => range(first, last).filter((u) => type === 'server' || (u - first) % 2 === 0)
    .map((u, i) => [`ams1-${name}-${100 * n + i + 1}`, type, 'Compute', u, 'front']);
  switch (n) {
    case 1:
      return [...power, ['ams1-pp-a01', 'panel', 'Patching', 42, 'front'], ['ams1-pp-a01-2', 'panel', 'Patching', 41, 'front'], ['ams1-con-01', 'console', 'Management', 40, 'rear'],
        ['ams1-spine-01', 'spine', 'Spine switch', 37, 'front'], ['ams1-spine-02', 'spine', 'Spine switch', 36, 'front'], ['ams1-fw-01', 'firewall', 'Firewall', 27, 'front'], ['ams1-fw-02', 'firewall', 'Firewall', 21, 'front'],
        ['ams1-edge-01', 'edge', 'Edge router', 11, 'front'], ['ams1-edge-02', 'edge', 'Edge router', 2, 'front']];
    case 3:
      return [...power, ...top, ...range(0, 4).map((i) => [`ams1-nas-${two(i + 1)}`, 'storage', 'Storage', 2 + 5 * i, 'front']), ...servers('bak', 30, 33)];
    case 4:
      return [...power, ...top, ...servers('db', 1, 20, 'big'), ...servers('app', 24, 29)];
    default:
      return [...power, ...top, ...servers('vm', 1, 14, 'big'), ...servers('app', 17, 30)];
  }
}

// demo records the row. It returns what is shown, and a function that removes all of it again.
export async function demo() {
  const api = world.api.bind(world);
  const all = async (path, list) => Object.fromEntries((await api('POST', path, list)).map((made) => [made.slug ?? made.name, made]));
  const [europe] = (await api('GET', '/api/dcim/regions/?slug=europe')).results;
  const [internal] = (await api('GET', '/api/tenancy/tenant-groups/?slug=internal')).results;
  const country = await api('POST', '/api/dcim/regions/', { name: 'Netherlands', slug: 'netherlands', parent: europe.id });
  const tenant = await api('POST', '/api/tenancy/tenants/', { name: 'Platform team', slug: 'platform-team', group: internal.id });
  const site = await api('POST', '/api/dcim/sites/', { name: 'AMS1', slug: 'ams1', region: country.id, facility: 'Amsterdam South-East', time_zone: 'Europe/Amsterdam', description: 'Data centre' });
  const makers = await all('/api/dcim/manufacturers/', [...new Set(Object.values(types).map(([maker]) => maker))].map((name) => ({ name, slug: slug(name) })));
  const eos = await api('POST', '/api/dcim/platforms/', { name: 'Arista EOS', slug: 'arista-eos', manufacturer: makers.arista.id });
  const models = await all('/api/dcim/device-types/', Object.entries(types).map(([key, [maker, model, height, weight, more]]) => ({ manufacturer: makers[slug(maker)].id, model, slug: slug(model),
    u_height: height, weight, weight_unit: 'kg', default_platform: key === 'leaf' ? eos.id : null, ...more })));
  const model = (key) => models[slug(types[key][1])];
  await templates(api, model);
  const role = await all('/api/dcim/device-roles/', Object.entries(roles).map(([name, color]) => ({ name, slug: slug(name), color })));
  const racks = await api('POST', '/api/dcim/racks/', range(1, 6).map((n) => ({ name: `A${two(n)}`, site: site.id, type: '4-post-cabinet', outer_width: 600, outer_depth: 1200, outer_unit: 'mm',
    weight: 128, max_weight: 1360, weight_unit: 'kg', tenant: tenant.id })));
  const devices = await all('/api/dcim/devices/', racks.flatMap((rack, i) => layout('a', i + 1).map(([name, type, does, position, face]) => ({ name, device_type: model(type).id, device_role: role[slug(does)].id,
    site: site.id, rack: rack.id, position, face, tenant: tenant.id }))));
  const card = await cards(api, [devices['ams1-edge-01'], devices['ams1-edge-02']], makers.juniper);
  const [user] = (await api('GET', '/api/users/users/?username=admin')).results;
  await api('POST', '/api/dcim/rack-reservations/', [{ rack: racks[0].id, units: [33, 34], user: user.id, description: 'DDoS filter, Q2' }, { rack: racks[1].id, units: [33, 34, 35, 36], user: user.id, description: 'GPU nodes' }]);
  await ports(api, devices['ams1-leaf-03']);
  const remove = async () => {
    const many = (path, list) => api('DELETE', path, list.map(({ id }) => ({ id })));
    await many('/api/dcim/devices/', Object.values(devices));
    await many('/api/dcim/racks/', racks);
    await many('/api/dcim/sites/', [site]);
    await many('/api/dcim/regions/', [country]);
    await many('/api/tenancy/tenants/', [tenant]);
    await many('/api/dcim/device-types/', Object.values(models));
    await many('/api/dcim/module-types/', [card]);
    await many('/api/dcim/device-roles/', Object.values(role));
    await many('/api/dcim/platforms/', [eos]);
    await many('/api/dcim/manufacturers/', Object.values(makers));
  };
  return { site, rack: racks[0], device: devices['ams1-leaf-03'], type: model('leaf'), remove };
}

// templates give the types their components.
async function templates(api, model) {
  const on = (key, list) => list.map((item) => ({ device_type: model(key).id, ...item }));
  await api('POST', '/api/dcim/interface-templates/', [
    ...on('leaf', [...range(1, 48).map((n) => ({ name: `Ethernet${n}`, type: '25gbase-x-sfp28' })), ...range(49, 56).map((n) => ({ name: `Ethernet${n}/1`, type: '100gbase-x-qsfp28' })),
      { name: 'Management1', type: '1000base-t', mgmt_only: true }]),
    ...on('spine', range(0, 31).map((n) => ({ name: `et-0/0/${n}`, type: '400gbase-x-qsfpdd' }))),
    ...on('oob', range(0, 47).map((n) => ({ name: `ge-0/0/${n}`, type: '1000base-t' }))),
    ...['server', 'big'].flatMap((key) => on(key, [{ name: 'eno1', type: '25gbase-x-sfp28' }, { name: 'eno2', type: '25gbase-x-sfp28' }, { name: 'iDRAC', type: '1000base-t', mgmt_only: true }]))]);
  await api('POST', '/api/dcim/console-port-templates/', ['leaf', 'spine', 'oob', 'edge'].flatMap((key) => on(key, [{ name: 'Console', type: 'rj-45' }])));
  await api('POST', '/api/dcim/power-port-templates/', ['leaf', 'spine', 'oob', 'server', 'big', 'storage', 'firewall'].flatMap((key) => on(key, [1, 2].map((n) => ({ name: `PSU${n}`, type: 'iec-60320-c14', maximum_draw: 500 })))));
  await api('POST', '/api/dcim/module-bay-templates/', on('edge', range(0, 5).map((n) => ({ name: `FPC ${n}`, position: `${n}` }))));
  await api('POST', '/api/dcim/inventory-item-templates/', on('leaf', range(1, 4).map((n) => ({ name: `Fan ${n}` }))));
}

// ports describes the interfaces of a leaf switch: the uplinks first, because that is how they are sorted.
async function ports(api, leaf) {
  const [core] = (await api('GET', '/api/extras/tags/?slug=core')).results;
  const { results } = await api('GET', `/api/dcim/interfaces/?device_id=${leaf.id}&limit=100`);
  await api('PATCH', '/api/dcim/interfaces/', results.map((port, i) => {
    const known = { id: port.id, mac_address: `44:4C:A8:1F:20:${(16 + i).toString(16)}` };
    const server = i - 8;
    if (i < 4) {
      return { ...known, mtu: 9214, description: `ams1-spine-0${1 + i % 2} et-0/0/${2 + Math.floor(i / 2)}`, tags: [core.id] };
    }
    return i < 8 || server > 41 ? { ...known, enabled: false } : { ...known, mtu: 9214, mode: 'tagged', description: server < 14 ? `ams1-vm-${201 + Math.floor(server / 2)} eno${1 + server % 2}` : `ams1-app-${201 + Math.floor((server - 14) / 2)} eno${1 + server % 2}` };
  }));
}

// cards puts two line cards into each router.
async function cards(api, routers, maker) {
  const card = await api('POST', '/api/dcim/module-types/', { manufacturer: maker.id, model: 'MPC7E-MRATE', weight: 8.4, weight_unit: 'kg' });
  await api('POST', '/api/dcim/interface-templates/', range(0, 5).map((n) => ({ module_type: card.id, name: `et-{module}/0/${n}`, type: '100gbase-x-qsfp28' })));
  for (const router of routers) {
    const bays = (await api('GET', `/api/dcim/module-bays/?device_id=${router.id}`)).results;
    await api('POST', '/api/dcim/modules/', bays.slice(0, 2).map((bay) => ({ device: router.id, module_bay: bay.id, module_type: card.id })));
  }
  return card;
}
