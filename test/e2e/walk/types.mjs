// Every type has every page, derived from its declaration. So the pages of each type are visited, with values that its own description
// requires.
import assert from 'node:assert/strict';
import { check, walk } from '../walks.mjs';
import { world } from '../world.mjs';

// The values of required fields, by name. Any other field gets a text.
const fitting = { site: 'Lisbon 1', user: 'admin', payload_url: 'http://127.0.0.1:1/' };
const boxes = { content_types: 'dcim.region', object_types: 'dcim.region', actions: 'view' };

async function required(path) {
  const { actions } = await world.api('OPTIONS', `/api${path}`);
  return Object.entries(actions.POST).filter(([, field]) => field.required).map(([name]) => name);
}

async function fill(v, names, text) {
  for (const name of names) {
    const box = v.main.locator(`input[type=checkbox][name="${name}"][value="${boxes[name] ?? fitting[name]}"]`);
    if (await box.count() > 0) {
      await box.check();
    } else {
      await v.main.locator(`#id_${name}`).fill(fitting[name] ?? text);
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
      await fill(v, names, `tour_${path.replace(/\W/g, '')}_${n}`);
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
