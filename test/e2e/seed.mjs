// The records that all tests read and none changes: the register of a small carrier.
import { world } from './world.mjs';

const cities = [['Lisbon', 'Portugal'], ['Porto', 'Portugal'], ['Berlin', 'Germany'], ['Hamburg', 'Germany'], ['Paris', 'France'], ['Lyon', 'France']];
const statuses = ['active', 'active', 'active', 'planned', 'staging', 'decommissioning', 'retired'];
const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
const named = (name, more = {}) => ({ name, slug: slug(name), ...more });

export async function seed() {
  const api = world.api.bind(world);
  const [europe] = await api('POST', '/api/dcim/regions/', ['Europe', 'Asia', 'Africa'].map((name) => named(name)));
  const countries = await api('POST', '/api/dcim/regions/', ['Portugal', 'Germany', 'France'].map((name) => named(name, { parent: europe.id })));
  const groups = await api('POST', '/api/dcim/site-groups/', ['Backbone', 'Customer premises'].map((name) => named(name)));
  const [customers] = await api('POST', '/api/tenancy/tenant-groups/', [named('Customers'), named('Internal')]);
  const tenants = await api('POST', '/api/tenancy/tenants/', ['Acme Logistics', 'Harbour Bank', 'Initech'].map((name) => named(name, { group: customers.id })));
  const tags = await api('POST', '/api/extras/tags/', [['core', 'f44336'], ['edge', '2196f3'], ['lab', '4caf50'], ['legacy', '9e9e9e']].map(([name, color]) => ({ ...named(name), color })));
  await api('POST', '/api/extras/custom-fields/', [
    { name: 'power_kw', label: 'Power (kW)', type: 'integer', content_types: ['dcim.site'] },
    { name: 'owner_page', label: 'Owner page', type: 'url', content_types: ['dcim.site'] },
    { name: 'tier', label: 'Tier', type: 'select', choices: ['I', 'II', 'III', 'IV'], content_types: ['dcim.site'] },
  ]);
  const sites = [];
  for (const [i, [city, country]] of cities.entries()) {
    for (let n = 1; n <= 20; n++) {
      const k = i * 20 + n;
      sites.push(named(`${city} ${n}`, { status: statuses[k % statuses.length], region: countries.find((c) => c.name === country).id, group: groups[k % 2].id,
        tenant: k % 3 ? tenants[k % tenants.length].id : null, facility: `${city.slice(0, 3).toUpperCase()}-${String(n).padStart(2, '0')}`, time_zone: 'Europe/Lisbon',
        description: n === 1 ? `Main exchange of ${city}` : `Point of presence ${n} in ${city}`, tags: tags.filter((_, t) => (k >> t) % 3 === 0).map((tag) => tag.id),
        custom_fields: { power_kw: 20 + k, owner_page: `https://example.com/sites/${k}`, tier: ['I', 'II', 'III', 'IV'][k % 4] } }));
    }
  }
  const made = await api('POST', '/api/dcim/sites/', sites);
  await api('POST', '/api/dcim/locations/', ['Meet-me room', 'Battery room', 'Hall A'].map((name) => named(name, { site: made[0].id })));
  // This webhook compares names as numbers. So it is not notified of the first rack role, and has a condition error.
  await api('POST', '/api/extras/webhooks/', [
    { name: 'CMDB sync', content_types: ['dcim.location', 'dcim.rackrole'], type_create: true, type_update: true, type_delete: true, payload_url: `${world.receiver.url}cmdb`, secret: world.receiverSecret },
    { name: 'Capacity planning', content_types: ['dcim.rackrole'], type_create: true, payload_url: `${world.receiver.url}capacity`, conditions: { attr: 'name', op: 'gt', value: 5 } },
  ]);
  await api('POST', '/api/dcim/rack-roles/', [['Compute', '3f51b5'], ['Storage', '009688']].map(([name, color]) => ({ ...named(name), color })));
  await racks(api, made[0], tenants[0]);
  await links(api, groups[0]);
}

// links gives site groups custom links of every colour, in both forms, and one of the groups a journal.
async function links(api, { id }) {
  const colors = ['outline-dark', 'blue', 'indigo', 'purple', 'pink', 'red', 'orange', 'yellow', 'green', 'teal', 'cyan', 'gray', 'black', 'white', 'ghost-dark'];
  const link = (name, more) => ({ name, content_types: ['dcim.sitegroup'], link_text: name, link_url: 'https://wiki.example/{{ object.slug }}', ...more });
  await api('POST', '/api/extras/custom-links/', [...colors.map((color) => link(color, { button_class: color })),
    ...colors.map((color) => link(`menu of ${color}`, { button_class: color, group_name: color })), link('broken', { link_text: '{{ 1 // 0 }}' }),
    link('nowhere', { link_url: 'javascript:alert(1)' })]);
  const entry = (kind, comments) => ({ assigned_object_type: 'dcim.sitegroup', assigned_object_id: id, kind, comments });
  await api('POST', '/api/extras/journal-entries/', [entry('info', 'Two sites joined.'), entry('success', 'Audited.'), entry('warning', 'The contract ends soon.\nCall them.'),
    entry('danger', 'Power failed at three sites.')]);
}

// racks fills two racks of a site with devices, half units, both faces and a reservation.
async function racks(api, site, tenant) {
  const [acme] = await api('POST', '/api/dcim/manufacturers/', [named('Acme')]);
  const roles = await api('POST', '/api/dcim/device-roles/', [['Router', 'b71c1c'], ['Server', '2196f3'], ['Patch panel', 'ffeb3b']].map(([name, color]) => ({ ...named(name), color })));
  const model = (name, more = {}) => ({ manufacturer: acme.id, model: name, slug: slug(name), ...more });
  const [router, server, panel, chassis] = await api('POST', '/api/dcim/device-types/', [model('MX Router', { u_height: 4 }), model('Server 1U'),
    model('Patch panel 24', { is_full_depth: false, u_height: 0.5 }), model('Chassis', { subdevice_role: 'parent', u_height: 8 })]);
  await api('POST', '/api/dcim/module-types/', [{ manufacturer: acme.id, model: 'Line card' }]);
  await api('POST', '/api/dcim/interface-templates/', Array.from({ length: 24 }, (_, n) => ({ device_type: router.id, name: `xe-0/0/${n}`, type: '10gbase-x-sfpp' })));
  await api('POST', '/api/dcim/rear-port-templates/', [{ device_type: router.id, name: 'rear 1', type: 'lc', positions: 24 }]);
  await api('POST', '/api/dcim/module-bay-templates/', [1, 2, 3].map((n) => ({ device_type: router.id, name: `Bay ${n}`, position: `${n}` })));
  const [first, second] = await api('POST', '/api/dcim/racks/', [{ name: 'R101', site: site.id, tenant: tenant.id }, { name: 'R102', site: site.id, u_height: 24, desc_units: true }]);
  const device = (name, type, role, rack, position, face) => ({ name, device_type: type.id, device_role: roles[role].id, site: site.id, rack: rack.id, position, face });
  await api('POST', '/api/dcim/devices/', [device('edge-1', router, 0, first, 1, 'front'), device('edge-2', router, 0, second, 1, 'front'), device('chassis-1', chassis, 1, first, 20, 'front'),
    device('patch-1', panel, 2, first, 12, 'front'), device('patch-2', panel, 2, first, 12.5, 'rear'), ...[6, 7, 8].map((n) => device(`server-${n}`, server, 1, first, n, 'rear'))]);
  const [user] = (await api('GET', '/api/users/users/?username=admin')).results;
  await api('POST', '/api/dcim/rack-reservations/', [{ rack: first.id, units: [40, 41, 42], user: user.id, description: 'Storage project' }]);
}
