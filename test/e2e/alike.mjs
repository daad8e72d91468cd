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

let few; // in a short run: the types that are walked for all others

// walkFew makes this a short run. It chooses so few types that each kind of field and panel is in one of them; those in first are chosen in
// any case. text has a type and one of its kinds on each line.
export function walkFew(text, first) {
  const kinds = new Map();
  for (const [path, kind] of text.trim().split('\n').map((line) => line.split('\t')).filter(([path]) => !standsFor.has(path))) {
    kinds.set(path, (kinds.get(path) ?? new Set()).add(kind));
  }
  few = [];
  for (let next = first; next.length > 0;) {
    few.push(...next);
    for (const kind of next.flatMap((path) => [...kinds.get(path)])) {
      kinds.forEach((left) => left.delete(kind));
    }
    next = [...kinds.keys()].filter((path) => kinds.get(path).size > 0).sort((a, b) => kinds.get(b).size - kinds.get(a).size).slice(0, 1);
  }
}

// walkedFor returns the types whose pages are walked through for those of a type. Most types stand for themselves.
export function walkedFor(path) {
  const walked = standsFor.get(path) ?? path;
  return few && !few.includes(walked) ? few : [walked];
}

export function isWalked(path) { return walkedFor(path).includes(path); }

export function isAlike(path) { return standsFor.has(path); }
