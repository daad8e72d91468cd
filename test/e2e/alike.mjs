// Types whose pages differ only in their names: the pages of the first are walked through for the others too. Of the others, only the list
// and the form for a new record are visited. A type with something of its own (a drawing, a tab, a reference that depends on another field)
// does not belong here.
const alike = {
  '/dcim/regions/': ['/dcim/site-groups/', '/tenancy/tenant-groups/'],
  '/dcim/rack-roles/': ['/dcim/device-roles/', '/dcim/inventory-item-roles/'],
  '/dcim/interface-templates/': ['/dcim/console-port-templates/', '/dcim/console-server-port-templates/', '/dcim/power-port-templates/',
    '/dcim/power-outlet-templates/', '/dcim/rear-port-templates/', '/dcim/module-bay-templates/', '/dcim/device-bay-templates/'],
  '/dcim/interfaces/': ['/dcim/console-ports/', '/dcim/console-server-ports/', '/dcim/power-ports/', '/dcim/power-outlets/', '/dcim/rear-ports/',
    '/dcim/module-bays/'],
  '/ipam/rirs/': ['/dcim/manufacturers/', '/ipam/roles/', '/virtualization/cluster-types/', '/virtualization/cluster-groups/'],
  '/ipam/asns/': ['/ipam/asn-ranges/'],
  '/ipam/route-targets/': ['/tenancy/tenants/'],
  '/ipam/services/': ['/ipam/service-templates/'],
};

const standsFor = new Map(Object.entries(alike).flatMap(([walked, others]) => others.map((path) => [path, walked])));

// walkedFor returns the type whose pages are walked through for those of a type. Most types stand for themselves.
export function walkedFor(path) { return standsFor.get(path) ?? path; }
