// Racks are drawn, and components are added by the range.
import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

const found = async (path) => (await world.api('GET', `/api${path}`)).results[0].id;

walk('a free unit leads to the form for a device there', async (v) => {
  const rack = await found('/dcim/racks/?name=R101');
  await v.go(`/dcim/racks/${rack}/`);
  await v.main.locator('.drawn-table').getByText('Storage project').waitFor();
  await v.press(v.main.locator('a[href*="position=30&"][href*="face=rear"]').last());
  assert.equal(await v.main.locator('#id_position').inputValue(), '30');
  assert.equal(await v.main.locator('#id_face').inputValue(), 'rear');
  await v.main.locator('#id_name').fill('placed-1');
  await v.main.locator('#id_device_type').fill('Server 1U');
  await v.main.locator('#id_device_role').fill('Server');
  assert.equal(await v.main.locator('#id_site').inputValue(), 'Lisbon 1', 'it is at the site of the rack');
  await v.press('Create');
  assert.equal(new URL(v.page.url()).pathname, `/dcim/racks/${rack}/`, 'it leads back to the rack');
  await v.main.locator('.drawn-table').getByText('placed-1').waitFor();
});

walk('interfaces are added by the range, from the tab of a device', async (v) => {
  const device = await found('/dcim/devices/?name=edge-2');
  await v.go(`/dcim/devices/${device}/interfaces/`);
  assert.match(await v.main.locator('.nav-link.active').innerText(), /Interfaces\s*24/);
  await v.follow('Add', { within: v.main });
  await v.main.locator('#id_name').fill('ge-1/0/[0-11]');
  await v.main.locator('#id_label').fill('port [1-12]');
  await v.main.locator('#id_type').selectOption('1000base-t');
  await v.press('Create');
  await v.sees('Create 12 interfaces?', 'ge-1/0/11', 'port 12');
  await v.inReach('what a range of names adds');
  await v.press('Create 12 interfaces');
  await v.sees('Created 12 interfaces.');
  assert.match(await v.main.locator('.nav-link.active').innerText(), /Interfaces\s*36/);
});

walk('what the type got later is added to one device, and to all of the type', async (v) => {
  const known = { manufacturer: await found('/dcim/manufacturers/?slug=acme'), device_role: await found('/dcim/device-roles/?slug=server'), site: await found('/dcim/sites/?slug=lisbon-2') };
  const type = await world.api('POST', '/api/dcim/device-types/', { manufacturer: known.manufacturer, model: 'Grows', slug: 'grows' });
  const [one] = await world.api('POST', '/api/dcim/devices/', ['grows-1', 'grows-2'].map((name) => ({ name, device_type: type.id, device_role: known.device_role, site: known.site })));
  await world.api('POST', '/api/dcim/power-port-templates/', { device_type: type.id, name: 'psu 1' });

  await v.go(`/dcim/devices/${one.id}/`);
  await v.follow('Compare with type', { within: v.main });
  await v.sees('psu 1');
  await v.inReach('what a device lacks');
  await v.press('Add what is missing (1)');
  await v.go(`/dcim/devices/${one.id}/power-ports/`);
  await v.sees('psu 1');

  await v.go(`/dcim/device-types/${type.id}/`);
  await v.follow('Compare devices', { within: v.main });
  await v.sees('There are 2 devices of this type.');
  await v.press('Add what is missing');
  await v.sees('2 of 2 devices compared', 'Done.');
  await v.inReach('devices after they were compared');
  assert.equal((await world.api('GET', `/api/dcim/power-ports/?device_type_id=${type.id}`)).count, 2);
});

for (const width of [1280, 320]) {
  walk(`racks, devices and types are in reach at ${width} pixels, light or dark`, { width }, async (v) => {
    const site = await found('/dcim/sites/?name=Lisbon%201');
    const problems = [];
    for (const path of [`/dcim/racks/${await found('/dcim/racks/?name=R101')}/`, `/dcim/sites/${site}/racks/`, `/dcim/devices/${await found('/dcim/devices/?name=edge-1')}/`,
      `/dcim/devices/${await found('/dcim/devices/?name=edge-1')}/interfaces/`, `/dcim/device-types/${await found('/dcim/device-types/?model=MX%20Router')}/interfaces/`,
      '/dcim/interfaces/add/', '/dcim/devices/import/']) {
      await v.go(path);
      problems.push(...await v.outOfReachAtBoth(path));
    }
    assert.deepEqual(problems, []);
  });
}

walk('the tabs of a device are one line on a narrow window, with the open one in view', { width: 320 }, async (v) => {
  const [device] = (await world.api('GET', '/api/dcim/devices/?limit=1')).results;
  await v.go(`/dcim/devices/${device.id}/changelog/`);
  const { height, left, right } = await v.main.locator('.nav-tabs').evaluate((tabs) => {
    const open = tabs.querySelector('.active').getBoundingClientRect();
    return { height: tabs.getBoundingClientRect().height, left: open.left, right: open.right };
  });
  assert.ok(height < 60, `${height} pixels high`);
  assert.ok(left >= 0 && right <= 320, `the open tab is at ${left} to ${right}`);
  assert.equal(await v.tooWide(), 0);
});

walk('folded tabs and the focus are in view on a narrow window', { width: 320 }, async (v) => {
  const [device] = (await world.api('GET', '/api/dcim/devices/?limit=1')).results;
  await v.go(`/dcim/devices/${device.id}/`);
  const tabs = v.main.locator('.nav-tabs');
  await v.page.keyboard.press('Tab');
  const ring = await tabs.locator('.nav-link').first().evaluate((link) => {
    link.focus();
    const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(link);
    return { outlineStyle, outside: parseFloat(outlineWidth) + parseFloat(outlineOffset) };
  });
  assert.deepEqual(ring, { outlineStyle: 'solid', outside: 0 }, 'what is outside the line of tabs is cut off');
  await tabs.locator('.more-tabs > summary').click();
  const links = await tabs.locator('.more-tabs a').evaluateAll((all) => all.map((link) => {
    const { left, right } = link.getBoundingClientRect();
    return { text: link.innerText, left, right };
  }));
  assert.ok(links.length > 0);
  assert.deepEqual(links.filter(({ left, right }) => left < 0 || right > 320), []);
  assert.deepEqual(await v.outOfReach('the folded tabs'), []);
});
