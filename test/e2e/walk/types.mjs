// Every type has every page, derived from its declaration. So the pages of each type are visited, with values that its own description
// requires; of types that are alike, all pages of one. A short run walks through few types, and visits what is cheap of the others.
import assert from 'node:assert/strict';
import { isAlike, isWalked, walkedFor } from '../alike.mjs';
import { describe, needs } from '../needs.mjs';
import { check, walk } from '../walks.mjs';
import { world } from '../world.mjs';

// valuesOf returns the values of record n of a type.
async function valuesOf(path, n) {
  const values = await needs(path);
  for (const [name, { required }] of Object.entries(await describe(path))) {
    if (required) {
      values[name] ??= `tour_${path.replace(/\W/g, '')}_${n}`;
    }
  }
  return values;
}

// fill fills in a form.
async function fill(v, values) {
  for (const [name, value] of Object.entries(values)) {
    const boxes = v.main.locator(`input[type=checkbox][name="${name}"]`);
    const input = v.main.locator(`#id_${name}`);
    if (await boxes.count() > 0) {
      for (const one of [value].flat()) {
        await (one === true ? boxes : boxes.and(v.main.locator(`[value="${one}"]`))).check();
      }
    } else if (await input.evaluate((element) => element.type === 'file')) {
      await input.setInputFiles({ name: 'tour.gif', mimeType: 'image/gif', buffer: Buffer.from(value.split(',')[1], 'base64') });
    } else if (await input.evaluate((element) => element.matches('select'))) {
      await input.selectOption(`${value}`);
    } else {
      const isJson = typeof value === 'object' && !Array.isArray(value);
      const isId = typeof value === 'number' && await input.evaluate((element) => element.inputMode !== 'numeric');
      await input.fill(isJson ? JSON.stringify(value) : isId ? `#${value}` : `${value}`);
    }
  }
}

const lists = world.visited.lists;

check('there are types to walk through', () => assert.ok(lists.length >= 10));

// fetched requests an address as a script of the page does.
function fetched(v, address) {
  return v.page.evaluate(async (to) => {
    const answer = await fetch(to);
    return { status: answer.status, path: new URL(answer.url).pathname, text: await answer.text() };
  }, address);
}

// looksAround visits a page of a type, requests what its pages load, and returns the exported records.
async function looksAround(v, path, page = path) {
  await v.go(page);
  assert.equal((await fetched(v, `${path}choices/?typed=a`)).status, 200);
  const exported = JSON.parse((await fetched(v, `${path}export/?format=json`)).text);
  assert.ok(Array.isArray(exported));
  return exported;
}

// visitsTabs visits the tabs of the record that is shown, except for itself and its change log.
async function visitsTabs(v, log) {
  const tabs = await v.main.locator('.nav-tabs a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))); // also folded ones
  assert.ok(tabs.includes(log), 'one of the tabs is the change log');
  for (const tab of tabs.slice(1).filter((tab) => tab !== log)) {
    await v.go(tab);
  }
}

// holds makes a webhook whose receiver fails and waits until its health is recorded.
async function holds() {
  const { id } = await world.api('POST', '/api/extras/webhooks/', { name: 'Receiver away', content_types: ['tenancy.tenantgroup'], type_create: true,
    payload_url: world.failing.url, hold_on_failure: true });
  await world.api('POST', '/api/tenancy/tenant-groups/', { name: 'Held', slug: 'held' });
  await world.until('the health of a webhook is recorded', async () => (await world.api('GET', `/api/extras/webhook-health/?webhook_id=${id}`)).count > 0);
}

for (const { path, fixed } of lists.filter(({ path }) => isWalked(path))) {
  walk(`every page of ${path}`, async (v) => {
    if (path === '/extras/webhook-health/') {
      await holds();
    }
    const exported = await looksAround(v, path, fixed ? path : `${path}add/`);
    if (fixed) {
      assert.ok(exported.length > 0, 'other walks make some');
      await v.go(`${path}${exported[0].id}/`);
      return;
    }
    const { id: second } = await world.api('POST', `/api${path}`, await valuesOf(path, 2));
    await fill(v, await valuesOf(path, 1));
    await v.press(v.main.locator('.form-buttons .btn-primary').first());
    const { results: [{ id: first }] } = await world.api('GET', `/api${path}?ordering=-id&limit=1`);
    assert.notEqual(first, second);

    if (new URL(v.page.url()).pathname !== `${path}${first}/`) { // a new token is shown on a page of its own
      await v.go(`${path}${first}/`);
    }
    const log = `${path}${first}/changelog/`;
    await visitsTabs(v, log);
    await v.go(`${path}${first}/edit/`);
    await v.press('Save');
    await v.sees('Nothing was changed.');
    await v.go(log);
    assert.equal(await v.main.locator('.change').count(), 1, 'saving what is there changes nothing');
    const change = (await v.main.locator('.change-head a').first().getAttribute('href')).match(/\d+/)[0];
    await v.go(`${path}${first}/restore/?change=${change}`);
    await v.sees('has these values already');
    await v.press(v.main.locator('form'), { act: (form) => form.evaluate((f) => f.requestSubmit()) });
    await v.sees('Nothing was changed.');

    const { text: rows } = await fetched(v, `${path}export/?format=json&id=${first}`);
    await v.go(`${path}import/`);
    await v.label('Text').fill(rows);
    await v.live(() => v.page.getByRole('button', { name: 'Dry run' }).click(), '#outcome .alert-success');
    await v.sees(/ 1 would stay as they are/);

    await v.go(`${path}?id=${second}`);
    await v.main.getByLabel('Select all on this page').check();
    await v.press('Edit 1 selected');
    await v.press(v.main.getByRole('button', { name: /^Change 1 / }), { status: 400 });

    await v.go(`${path}${first}/delete/`);
    await v.press('Delete');
    await v.sees(/^Deleted .+\.$/);

    const row = v.main.locator(`tbody input[name=id][value="${second}"]`); // of the list that followed, if it is not on another page
    if (await row.count() === 0) {
      await v.go(`${path}?id=${second}`);
    }
    await row.check();
    await v.press('Delete 1 selected');
    await v.press(v.main.getByRole('button', { name: /^Delete 1 / }));
    assert.equal((await world.ask('GET', `/api${path}${second}/`)).status, 404);
    for (const gone of ['edit/', 'delete/', 'columns/']) {
      assert.equal((await fetched(v, `${path}${gone}`)).path, path, 'whoever comes back to where something was chosen or edited finds the list');
    }
  });
}

for (const part of [0, 1, 2]) {
  walk(`lists and forms of the types that others are walked for (${part + 1} of 3)`, async (v) => {
    for (const { path } of lists.filter(({ path }) => !isWalked(path)).filter((_, i) => i % 3 === part)) {
      assert.ok(walkedFor(path).every((other) => lists.some((list) => list.path === other)), `${walkedFor(path)} are types`);
      await looksAround(v, path, `${path}add/`);
      if (world.quick) { // these lists differ from those that are walked in their columns
        assert.equal((await fetched(v, path)).status, 200);
      } else {
        await v.go(path);
      }
      if (!isAlike(path)) { // the same kinds of tabs are walked elsewhere, but not these
        const { id } = await world.api('POST', `/api${path}`, await valuesOf(path, 2));
        await v.go(`${path}${id}/`);
        await visitsTabs(v, `${path}${id}/changelog/`);
        await world.api('DELETE', `/api${path}${id}/`);
      }
    }
  });
}
