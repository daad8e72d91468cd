// Takes the pictures of the README and the guide: pages of the demo network, in both themes, wide and narrow.
import assert from 'node:assert/strict';
import { shoot } from '../shoot.mjs';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

const narrow = { width: 320, height: 700 };

async function first(list, query = '') {
  const { results } = await world.api('GET', `/api${list}?limit=1&${query}`);
  assert.ok(results.length > 0, `${list}?${query} finds a record`);
  return `${list}${results[0].id}/`;
}

// What is shown: a name, the page, and how it is shown: the height of a wide window, and what is at the top of a narrow one.
const pages = [
  ['home', () => '/', { height: 900 }],
  ['sites', () => '/dcim/sites/'],
  ['regions', () => '/dcim/regions/'],
  ['devices', () => '/dcim/devices/?site_id=1&role=firewall&role=router&role=access-switch'],
  ['site', () => first('/dcim/sites/', 'slug=lis1'), { height: 900 }],
  ['site-form', async () => `${await first('/dcim/sites/', 'slug=lis1')}edit/`],
  ['site-racks', async () => `${await first('/dcim/sites/', 'slug=lis1')}racks/`],
  ['rack', () => first('/dcim/racks/', 'site=lis1&name=R01'), { height: 1170, top: '.panel' }],
  ['device', async () => `${await first('/dcim/devices/', 'name=lis1-rtr01')}interfaces/`, { height: 720 }],
  ['device-type', async () => `${await first('/dcim/device-types/', 'slug=cs-3148')}interfaces/`, { height: 720 }],
  ['prefix-tree', () => '/ipam/prefixes/', { height: 760 }],
  ['prefix-map', () => first('/ipam/prefixes/', 'prefix=10.1.8.0/24'), { height: 760, top: '.panel' }],
  ['vlan-group', () => first('/ipam/vlan-groups/'), { height: 760, top: '.panel' }],
  ['virtual-machine', () => first('/virtualization/virtual-machines/'), { height: 760 }],
  ['config-context', async () => `${await first('/dcim/devices/', 'name=lis1-fw01')}config-context/`],
  ['changelog', async () => `${await first('/dcim/sites/', 'slug=lis1')}changelog/`],
  ['restore', async () => {
    const log = (await world.api('GET', `/api/extras/object-changes/?changed_object_type=dcim.site&changed_object_id=1&limit=3`)).results;
    return `/dcim/sites/1/restore/?change=${log[2].id}`;
  }],
  ['search', () => '/search/?q=harbor'],
  ['webhooks', () => '/extras/webhooks/'],
  ['webhook', async () => `${await first('/extras/webhooks/', 'name=CMDB')}?range=7d`, { height: 1000 }],
  ['webhook-form', async () => `${await first('/extras/webhooks/', 'name=Monitoring')}edit/`, { shown: '#webhook-preview .request-body' }],
  ['delivery', () => first('/extras/deliveries/', 'state=failed&webhook=CMDB'), { height: 1000 }],
  ['tasks', () => '/system/tasks/', { shown: '#failed-wrap' }],
  ['permissions', () => '/users/permissions/'],
];

for (const [name, address, { height = 800, top, shown } = {}] of pages) {
  walk(`pictures: ${name}`, async (v) => {
    const path = await address();
    for (const size of [{ width: 1280, height }, narrow]) {
      await v.page.setViewportSize(size);
      await v.go(path);
      if (shown) {
        await v.page.locator(shown).first().waitFor();
      }
      if (top && size === narrow) {
        await v.main.locator(top).first().evaluate((part) => part.scrollIntoView());
      }
      for (const theme of ['light', 'dark']) {
        await shoot(v, name, theme, size);
      }
    }
  });
}

walk('pictures: the way in', { user: null }, async (v) => {
  await v.go('/login/');
  await shoot(v, 'login', 'light', { width: 1280, height: 500 });
});

walk('pictures: the filters on a narrow window', narrow, async (v) => {
  await v.go('/dcim/devices/');
  await v.main.locator('.filters > summary').click();
  for (const theme of ['light', 'dark']) {
    await shoot(v, 'filters', theme, narrow);
  }
});

walk('pictures: an import with errors', async (v) => {
  await v.go('/dcim/sites/import/');
  await v.label('Text').fill('name,slug,status,region\nPorto 1,opo1,active,portugal\nPorto 2,opo 2,active,portugal\nPorto 3,opo3,sleeping,atlantis\n');
  await v.live(() => v.page.getByRole('button', { name: 'Dry run' }).click(), '#outcome .refused', { status: 400 });
  await v.page.locator('.refused').scrollIntoViewIfNeeded();
  await shoot(v, 'import', 'light');
});

walk('pictures: a new token', async (v) => {
  await v.go('/user/tokens/add/');
  await v.main.locator('#id_description').fill('Nightly inventory job');
  await v.press(v.main.locator('form button.btn-primary'));
  const key = await v.main.locator('#made-key').innerText();
  const [token] = (await world.api('GET', '/api/users/tokens/?description=Nightly%20inventory%20job')).results;
  await world.api('DELETE', `/api/users/tokens/${token.id}/`);
  assert.equal((await world.ask('GET', '/api/dcim/sites/', undefined, key)).status, 403, 'a key that is shown to all is revoked first');
  await shoot(v, 'token', 'light');
});

walk('pictures: the API', async (v) => {
  await v.go('/api/dcim/sites/?name=Lisbon%201');
  await shoot(v, 'api', 'light');
});
