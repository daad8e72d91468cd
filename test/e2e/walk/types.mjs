// Every type has every page, derived from its declaration. So the pages of each type are visited, with values that its own description
// requires.
import assert from 'node:assert/strict';
import { check, walk } from '../walks.mjs';
import { world } from '../world.mjs';

// The values of fields, by name. A required field that is not here gets a text, or the first choice.
const fitting = { site: 'Lisbon 1', user: 'admin', payload_url: 'http://127.0.0.1:1/', manufacturer: 'Acme', device_type: 'MX Router', module_type: 'Line card', device_role: 'Router', device: 'edge-1',
  rack: 'R101' };
// What some types need besides, by the number of the record.
const more = {
  '/dcim/rack-reservations/': (n) => ({ units: `${n + 10}` }),
  '/dcim/modules/': (n) => ({ module_bay: `Bay ${n}` }),
  '/dcim/front-ports/': (n) => ({ rear_port: 'rear 1', rear_port_position: `${n}` }),
  '/dcim/front-port-templates/': (n) => ({ rear_port: 'rear 1', rear_port_position: `${n}` }),
  '/dcim/device-bays/': () => ({ device: 'chassis-1' }),
  '/dcim/device-bay-templates/': () => ({ device_type: 'Chassis' }),
};
const boxes = { content_types: 'dcim.region', object_types: 'dcim.region', actions: 'view' };

async function required(path) {
  const { actions } = await world.api('OPTIONS', `/api${path}`);
  return Object.entries(actions.POST).filter(([, field]) => field.required).map(([name]) => name);
}

async function fill(v, path, names, n) {
  const values = { ...fitting, ...more[path]?.(n) };
  const needed = new Set([...names, ...Object.keys(more[path]?.(n) ?? {}), ...(path.endsWith('-templates/') ? ['device_type'] : [])]);
  for (const name of needed) {
    const box = v.main.locator(`input[type=checkbox][name="${name}"][value="${boxes[name] ?? values[name]}"]`);
    const input = v.main.locator(`#id_${name}`);
    if (await box.count() > 0) {
      await box.check();
    } else if (await input.evaluate((element) => element.matches('select'))) {
      await input.selectOption({ index: 1 });
    } else {
      await input.fill(values[name] ?? `tour_${path.replace(/\W/g, '')}_${n}`);
    }
  }
  const event = v.main.locator('#id_type_create');
  if (await event.count() > 0) {
    await event.check();
  }
}

const lists = world.visited.lists;

check('there are types to walk through', () => assert.ok(lists.length >= 10));

for (const { path, fixed } of lists) {
  walk(`every page of ${path}`, async (v) => {
    await v.go(path);
    assert.equal(await v.page.evaluate(async (address) => (await fetch(address)).status, `${path}choices/?typed=a`), 200);
    const exported = await v.page.evaluate(async (address) => (await fetch(`${address}export/?format=json`)).json(), path);
    assert.ok(Array.isArray(exported));
    if (fixed) {
      assert.ok(exported.length > 0, 'other walks make some');
      await v.go(`${path}${exported[0].id}/`);
      return;
    }
    const names = await required(path);
    const ids = [];
    for (const n of [1, 2, 3]) {
      await v.go(`${path}add/`);
      await fill(v, path, names, n);
      await v.press(v.main.locator('.form-buttons .btn-primary').first());
      const { results } = await world.api('GET', `/api${path}?ordering=-id&limit=1`);
      ids.push(results[0].id);
    }
    assert.equal(new Set(ids).size, 3);

    await v.go(`${path}${ids[0]}/`);
    await v.go(`${path}${ids[0]}/edit/`);
    await v.press('Save');
    await v.sees('Nothing was changed.');
    await v.go(`${path}${ids[0]}/changelog/`);
    assert.equal(await v.main.locator('.change').count(), 1, 'saving what is there changes nothing');

    const rows = await v.page.evaluate(async (address) => (await fetch(address)).text(), `${path}export/?format=json&id=${ids[0]}`);
    await v.go(`${path}import/`);
    await v.label('Text').fill(rows);
    await v.live(() => v.page.getByRole('button', { name: 'Dry run' }).click(), '#outcome .alert-success');
    await v.sees(/ 1 would stay as they are/);

    await v.go(`${path}${ids[0]}/delete/`);
    await v.press('Delete');
    await v.sees('is deleted.');

    await v.go(`${path}?id=${ids[1]}&id=${ids[2]}`);
    await v.main.getByLabel('Select all on this page').check();
    await v.press('Edit selected');
    await v.press(v.main.getByRole('button', { name: /^Change 2 / }), { status: 400 });
    await v.go(`${path}?id=${ids[1]}&id=${ids[2]}`);
    await v.main.getByLabel('Select all on this page').check();
    await v.press('Delete selected');
    await v.press(v.main.getByRole('button', { name: /^Delete 2 / }));
    await v.sees('2 ', 'are deleted.');
    for (const gone of ['edit/', 'delete/']) {
      await v.go(`${path}${gone}`);
      assert.equal(new URL(v.page.url()).pathname, path, 'whoever comes back to where several were edited finds the list');
    }
  });
}
