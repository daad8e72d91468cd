// The records of the pictures of addresses, VLANs and virtual machines: the networks of a campus, as network engineers name things.
import { world } from './world.mjs';

const range = (first, last) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

// Each network of the campus: third number, length, name, and how many addresses are in use.
const networks = [[0, 24, 'Loopbacks', 0], [4, 22, 'Staff', 0], [8, 24, 'Printers', 0], [12, 24, 'Servers', 60], [16, 20, 'Wireless', 0], [64, 24, 'Cameras', 0]];
const vlans = { 10: 'Management', 20: 'Staff', 21: 'Staff voice', 30: 'Printers', 40: 'Servers', 41: 'Storage', 50: 'Wireless', 51: 'Guests', 60: 'Cameras', 61: 'Doors', 100: 'Lab 1', 101: 'Lab 2', 102: 'Lab 3',
  200: 'Transit A', 201: 'Transit B' };

// demo records the campus, hands the addresses of its pages to a function, and removes all of it again.
export async function demo(show) {
  const made = [];
  try {
    await show(await campus(made));
  } finally {
    for (const [path, records] of made.reverse()) {
      await world.api('DELETE', `/api${path}`, records.map(({ id }) => ({ id })));
    }
  }
}

// campus makes the records, adds each to a list as soon as it is there, and returns the addresses of the pages that are shown.
async function campus(made) {
  const make = async (path, body) => {
    const answer = await world.api('POST', `/api${path}`, body);
    made.push([path, Array.isArray(answer) ? answer : [answer]]);
    return answer;
  };
  const rir = await make('/ipam/rirs/', { name: 'RFC 1918', slug: 'rfc-1918', is_private: true });
  await make('/ipam/aggregates/', { prefix: '10.0.0.0/8', rir: rir.id });
  const role = await make('/ipam/roles/', [{ name: 'Campus', slug: 'campus' }, { name: 'Transit', slug: 'transit' }]);
  const group = await make('/ipam/vlan-groups/', { name: 'AMS1 campus', slug: 'ams1-campus', min_vid: 2, max_vid: 257 });
  const numbered = await make('/ipam/vlans/', Object.entries(vlans).map(([vid, name]) => ({ vid: Number(vid), name, group: group.id })));
  const vlan = (name) => numbered.find((made) => made.name === name)?.id ?? null;
  await make('/ipam/prefixes/', [{ prefix: '10.0.0.0/8', status: 'container', description: 'All sites' },
    { prefix: '10.20.0.0/16', status: 'container', description: 'AMS1', role: role[0].id }]);
  const subnets = await make('/ipam/prefixes/', networks.map(([third, length, name]) => ({ prefix: `10.20.${third}.0/${length}`, description: name, role: role[0].id, vlan: vlan(name) })));
  const rest = await make('/ipam/prefixes/', [{ prefix: '10.20.12.192/27', description: 'Storage', role: role[0].id }, { prefix: '10.20.128.0/17', status: 'container', description: 'Labs' },
    ...range(0, 5).map((n) => ({ prefix: `10.20.${128 + 4 * n}.0/22`, description: `Lab ${n + 1}` })), { prefix: '10.20.255.0/30', role: role[1].id }, { prefix: '2001:db8:20::/48', status: 'container' },
    { prefix: '2001:db8:20:12::/64' }, { prefix: '2001:db8:20:12::/72' }]);
  await make('/ipam/ip-ranges/', [{ start_address: '10.20.12.100/24', end_address: '10.20.12.159/24', description: 'DHCP' }, { start_address: '10.20.16.10/20', end_address: '10.20.29.255/20', description: 'DHCP' }]);
  await make('/ipam/ip-addresses/', range(1, 60).filter((n) => n % 7 !== 3).map((n) => ({ address: `10.20.12.${n}/24`, dns_name: `srv-${n}.ams1.example` })));

  const kind = await make('/virtualization/cluster-types/', { name: 'KVM', slug: 'kvm' });
  const cluster = await make('/virtualization/clusters/', { name: 'ams1-kvm', type: kind.id });
  const context = (name, weight, data) => ({ name, weight, data, clusters: name === 'All sites' ? [] : [cluster.id] });
  await make('/extras/config-contexts/', [context('All sites', 100, { dns: ['10.20.12.1', '10.20.12.2'], ntp: ['ntp.example'], syslog: { host: 'log.example', level: 'info' } }),
    context('AMS1 cluster', 500, { ntp: ['10.20.12.4'], syslog: { level: 'warning' } })]);
  const [machine] = await make('/virtualization/virtual-machines/', range(1, 3).map((n) => ({ name: `ams1-web-0${n}`, cluster: cluster.id, vcpus: 4, memory: 8192, disk: 80, status: n === 3 ? 'staged' : 'active',
    local_context_data: n === 1 ? { syslog: { level: 'debug' } } : null })));
  const [port] = await make('/virtualization/interfaces/', [{ virtual_machine: machine.id, name: 'eth0', mtu: 9000 }, { virtual_machine: machine.id, name: 'eth1' }]);
  const address = await make('/ipam/ip-addresses/', { address: '10.20.12.80/24', dns_name: 'web-01.ams1.example', assigned_object_type: 'virtualization.vminterface', assigned_object_id: port.id });
  await world.api('PATCH', `/api/virtualization/virtual-machines/${machine.id}/`, { primary_ip4: address.id });

  return { 'prefix-tree': '/ipam/prefixes/', 'prefix-map': `/ipam/prefixes/${subnets[3].id}/`, 'prefix-map-of-ipv6': `/ipam/prefixes/${rest.at(-2).id}/`, 'vlan-group': `/ipam/vlan-groups/${group.id}/`,
    'virtual-machine': `/virtualization/virtual-machines/${machine.id}/`, 'config-context': `/virtualization/virtual-machines/${machine.id}/config-context/` };
}
