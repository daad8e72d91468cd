// Checks every kind of page for accessibility: with axe in both themes, and without sideways scrolling on a narrow screen.
import assert from 'node:assert/strict';
import { picture } from '../needs.mjs';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

const first = async (path) => (await world.api('GET', `/api${path}${path.includes('?') ? '&' : '?'}limit=1`)).results[0].id;

// The address of one page of each kind. What they show is made once.
let known;
function pages() { return known ??= list(); }

// restorable makes a site with a picture and two versions, and returns its address and that of the preview of the first version.
async function restorable() {
  const { id } = await world.api('POST', '/api/dcim/sites/', { name: 'Looked at', slug: 'looked-at', description: 'first' });
  await world.api('PATCH', `/api/dcim/sites/${id}/`, { name: 'Looked at twice', description: 'second', tags: [{ slug: 'core' }] });
  await world.api('POST', '/api/extras/image-attachments/', { content_type: 'dcim.site', object_id: id, image: picture, name: 'Entrance' });
  const change = await first(`/extras/object-changes/?changed_object_type=dcim.site&changed_object_id=${id}&action=create`);
  return [`/dcim/sites/${id}/`, `/dcim/sites/${id}/restore/?change=${change}`];
}

async function list() {
  const [pictured, restoring] = await restorable();
  await world.api('POST', '/api/extras/saved-filters/', [true, false].map((shared) => ({ name: `Planned, shared: ${shared}`, slug: `looked-at-${shared}`, content_types: ['dcim.site'], shared,
    parameters: { status: 'planned' } })));
  const site = `/dcim/sites/${await first('/dcim/sites/?name=Lisbon%201')}/`;
  const group = `/dcim/site-groups/${await first('/dcim/site-groups/?slug=backbone')}/`;
  const hook = `/extras/webhooks/${await first('/extras/webhooks/?name=CMDB%20sync')}/`;
  const token = `/user/tokens/${await first('/users/tokens/')}/`;
  return ['/', '/search/?q=lisbon', '/search/?q=nothing+at+all', '/dcim/sites/?limit=10', '/dcim/sites/?status=planned&q=porto', '/dcim/sites/?q=nothing+at+all', '/dcim/sites/saved/?status=planned', site, `${site}changelog/`,
    group, `${group}journal/`,
    `${site}edit/`, `${site}delete/`, '/dcim/sites/add/', '/dcim/sites/import/', '/extras/tags/', '/extras/custom-fields/add/', '/extras/object-changes/?limit=10',
    `/extras/object-changes/${await first('/extras/object-changes/?action=create')}/`, '/extras/webhooks/', '/extras/webhooks/add/', hook, `${hook}edit/`, `${hook}test/`, `${hook}rotate/`,
    `${hook}replay/?count=true`, '/extras/deliveries/?limit=10', `/extras/deliveries/${await first('/extras/deliveries/?state=successful')}/`, '/extras/condition-errors/',
    '/extras/audit-events/?limit=10', `/extras/audit-events/${await first('/extras/audit-events/')}/`,
    '/extras/deliveries/retry/?webhook_id=1', '/system/tasks/', '/system/health/', '/users/permissions/add/', '/users/users/add/', '/user/', '/user/password/', '/user/tokens/', '/user/tokens/add/', `${token}edit/`, `${token}delete/`,
    '/api/', '/api/dcim/sites/?limit=1', '/no/such/page/',
    '/?arrange', restoring, `${pictured}images/`, '/extras/saved-filters/', '/extras/custom-links/add/', '/extras/journal-entries/', '/dcim/regions/', '/dcim/devices/add/', '/dcim/device-types/add/',
    '/ipam/prefixes/add/', ...['1h', '7d', '30d'].map((range) => `${hook}?range=${range}`)];
}

const refused = { '/no/such/page/': 404 };

for (const width of [1280, 320]) {
  for (const part of [0, 1, 2, 3]) {
    walk(`no page is out of reach at ${width} pixels, light or dark (${part + 1} of 4)`, { width }, async (v) => {
      const found = [];
      for (const path of (await pages()).filter((_, i) => i % 4 === part)) {
        await v.go(path, { status: refused[path] ?? 200 });
        found.push(...await v.outOfReachAtBoth(path));
      }
      assert.deepEqual(found, []);
    });
  }
}

for (const width of [1280, 320]) {
  walk(`the headings of a file that are mapped to fields are in reach at ${width} pixels`, { width }, async (v) => {
    await v.go('/dcim/sites/import/');
    await v.label('Text').fill(`Name,Slug,Region name,${'Remarks'.repeat(12)}\nLooked at 1,looked-at-1,Portugal,${'long '.repeat(40)}\nLooked at 2,looked-at-2,nowhere,\n`);
    await v.live(() => v.page.getByRole('button', { name: 'Dry run' }).click(), '#file-columns select');
    assert.deepEqual(await v.outOfReachAtBoth('the headings'), []);
    await v.live(() => v.page.getByRole('button', { name: 'Dry run' }).click(), '#outcome .alert', { status: 400 });
    assert.deepEqual(await v.outOfReachAtBoth('the headings with errors'), []);
  });
}

walk('on paper there are no menus and buttons, tables are whole, and all is black on white', { theme: 'dark', width: 794 }, async (v) => {
  for (const path of ['/dcim/sites/?limit=50', '/', '/extras/webhooks/', `/dcim/sites/${await first('/dcim/sites/?name=Lisbon%201')}/`]) {
    await v.go(path);
    await v.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const wrong = await v.page.evaluate(() => [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0).flatMap((e) => {
      const { color, backgroundColor, overflowY } = getComputedStyle(e);
      const found = [];
      if (e.matches('nav:not([aria-label=Breadcrumb]), header, button, input, select, .btn, summary.btn')) { found.push('a control'); }
      if (!e.closest('svg') && color !== 'rgb(0, 0, 0)') { found.push(color); }
      if (!e.matches('.key, svg *') && !['rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)'].includes(backgroundColor)) { found.push(backgroundColor); }
      if (['auto', 'scroll'].includes(overflowY) && e.scrollHeight > e.clientHeight + 1) { found.push('cut off'); }
      return found.map((what) => `${what}: ${e.outerHTML.slice(0, 80)}`);
    }));
    assert.deepEqual(wrong, [], path);
    assert.equal(await v.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), 'rgb(255, 255, 255)', path);
    await v.page.emulateMedia({ media: null, colorScheme: 'dark' });
  }
});

walk('open menus and panels are in reach too', async (v) => {
  const found = [];
  await v.go('/dcim/sites/?limit=10');
  const menus = [...await v.page.locator('details.drop, details.user-menu').all(), v.page.locator('.row-menu > details').first()];
  assert.ok(menus.length >= 6);
  for (const menu of menus) {
    await menu.locator('summary').click();
    await menu.evaluate((element) => element.toggleAttribute('data-looked-at', true));
    found.push(...await v.outOfReach('the menu', '[data-looked-at]'));
    await menu.evaluate((element) => { element.open = false; element.removeAttribute('data-looked-at'); });
  }
  await v.go('/dcim/site-groups/?slug=backbone');
  await v.press(v.main.getByRole('link', { name: 'Backbone', exact: true }));
  const menu = v.main.locator('.actions details.drop').first();
  await menu.locator('summary').click();
  await menu.evaluate((element) => element.toggleAttribute('data-looked-at', true));
  found.push(...await v.outOfReach('the menu of custom links', '[data-looked-at]'));
  assert.deepEqual(found, []);
});

walk('the login page', { user: null, width: 320 }, async (v) => {
  await v.go('/login/');
  assert.deepEqual(await v.outOfReach('/login/'), []);
});
