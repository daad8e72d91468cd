import assert from 'node:assert/strict';
import { read, unexpected, write } from '../../../internal/web/assets/own/conditions.js';
import { check, walk } from '../walks.mjs';
import { world } from '../world.mjs';

walk('conditions are built from rows, and the JSON follows; an edit of the JSON shows in the rows', async (v) => {
  await v.go('/extras/webhooks/add/');
  await v.main.locator('#id_name').fill('Built');
  await v.main.locator('input[name=content_types][value="dcim.site"]').check();
  await v.main.locator('#id_type_update').check();
  await v.main.locator('#id_payload_url').fill(world.receiver.url);
  const json = v.main.locator('#id_conditions');
  const parsed = async () => JSON.parse(await json.inputValue());
  const row = (n) => v.main.locator('.condition-row').nth(n);

  await v.main.getByRole('button', { name: 'Add condition', exact: true }).press('Enter');
  assert.equal(await v.page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Attribute', 'one can go on typing');
  await v.page.keyboard.type('status');
  await row(0).getByLabel('Value').fill('planned');
  assert.deepEqual(await parsed(), { attr: 'status', value: 'planned' });
  await v.main.getByRole('button', { name: 'Add group', exact: true }).click();
  await row(1).getByLabel('Attribute').fill('region.slug');
  await row(1).getByLabel('Operator').selectOption('is none of');
  await row(1).getByLabel('Value').fill('a, "5"');
  await v.main.getByRole('button', { name: 'Add condition to the group' }).click();
  await row(2).getByLabel('Attribute').fill('facility');
  await row(2).getByLabel('Operator').selectOption('changed');
  assert.ok(!await row(2).getByLabel('Value').isVisible(), 'changed takes no value');
  await v.label('How many of the group must be met').selectOption('any');
  assert.deepEqual(await parsed(), { and: [{ attr: 'status', value: 'planned' },
    { or: [{ attr: 'region.slug', op: 'in', value: ['a', '5'], negate: true }, { attr: 'facility', op: 'changed' }] }] });
  await v.page.waitForFunction(() => [...document.querySelectorAll('#condition-attributes option')].some((option) => option.value === 'region.slug'));
  await v.inReach('the builder of conditions');

  await row(0).getByLabel('Remove condition').click();
  await v.main.getByRole('button', { name: 'Remove group' }).click();
  assert.equal(await json.inputValue(), '');
  await json.fill('{"or": [{"attr": "status", "value": "active"}, {"attr": "name", "op": "regex", "value": "^L"}]}');
  assert.equal(await row(1).getByLabel('Value').inputValue(), '^L');
  assert.equal(await v.label('How many of the conditions must be met').inputValue(), 'or');
  await json.fill('{"or": [{"and": [{"or": [{"attr": "status", "value": "active"}]}]}]}');
  await v.sees("The builder can't show these conditions.");
  assert.equal(await v.main.locator('.condition-row').count(), 0);
  await json.fill('{"attr": "status", "value": "active"}');
  await row(0).getByLabel('Value').fill('retired');
  await row(0).getByLabel('Value').press('Enter');
  await v.press('Create');
  const { results: [hook] } = await world.api('GET', '/api/extras/webhooks/?name=Built');
  assert.deepEqual(hook.conditions, { attr: 'status', value: 'retired' });
  await v.go(`/extras/webhooks/${hook.id}/edit/`);
  assert.equal(await row(0).getByLabel('Value').inputValue(), 'retired');
  await v.press('Save');
  await v.sees('Nothing was changed.');
});

walk('a value has the JSON type of its attribute, and what a person did not change stays as it is', async (v) => {
  await v.go('/extras/webhooks/add/');
  const json = v.main.locator('#id_conditions');
  const row = (n) => v.main.locator('.condition-row').nth(n);
  const fill = async (n, attr, value) => {
    await row(n).getByLabel('Attribute').fill(attr);
    await row(n).getByLabel('Value').fill(value);
  };
  const written = async (of) => assert.deepEqual(JSON.parse(await json.inputValue()), of);
  await v.main.getByRole('button', { name: 'Add condition', exact: true }).click();
  await fill(0, 'asset_tag', '5');
  await written({ attr: 'asset_tag', value: 5 });
  await v.sees('Compared with the JSON value 5');
  await v.main.locator('input[name=content_types][value="dcim.device"]').check();
  await v.page.locator('.condition-json').waitFor({ state: 'hidden' });
  await written({ attr: 'asset_tag', value: '5' });
  for (const [attr, typed, value] of [['serial', 'true', 'true'], ['serial', 'null', null], ['snapshots.prechange.name', '5', '5'], ['site.slug', '5', '5'],
    ['site.id', '5', 5], ['tags.slug', '5', '5'], ['position', '5', 5], ['airflow', '5', '5'], ['serial', '"null"', 'null'], ['position', '"5"', '5']]) {
    await fill(0, attr, typed);
    await written({ attr, value });
    assert.equal(await v.main.locator('.condition-json').isVisible(), value === null || attr === 'position' && value === '5', `${attr} ${typed}`);
  }
  await v.inReach('the JSON beside a row');

  await json.fill('{"and": [{"attr": "serial", "value": 5}, {"attr": "position", "value": "5"}]}');
  assert.equal(await v.main.locator('.condition-json:visible').count(), 2);
  await v.main.getByRole('button', { name: 'Add condition', exact: true }).click();
  await fill(2, 'name', '7');
  await written({ and: [{ attr: 'serial', value: 5 }, { attr: 'position', value: '5' }, { attr: 'name', value: '7' }] });
  await row(0).getByLabel('Value').fill('6');
  const edited = { and: [{ attr: 'serial', value: '6' }, { attr: 'position', value: '5' }, { attr: 'name', value: '7' }] };
  await written(edited);
  await v.main.locator('input[name=content_types][value="dcim.device"]').uncheck();
  await v.page.waitForFunction(() => ![...document.querySelectorAll('#condition-attributes option')].some((option) => option.value === 'asset_tag'));
  await written(edited);
});

check('a value is read as the JSON type of the attribute', () => {
  const one = (row) => JSON.parse(write({ join: 'and', members: [{ attr: 'a', operator: 'eq', ...row }] })).value;
  for (const [type, typed, value] of [['string', '5', '5'], ['string', 'false', 'false'], ['string', '"5"', '5'], ['string', 'null', null], ['string', ' x ', 'x'],
    ['number', '5', 5], ['number', '"5"', '5'], ['number', 'x', 'x'], ['boolean', 'true', true], [undefined, '5', 5], [undefined, 'true', true], [undefined, 'x', 'x']]) {
    assert.equal(one({ type, value: typed }), value, `${type} ${typed}`);
    assert.equal(unexpected({ attr: 'a', operator: 'eq', type, value: typed }), typeof value === (type ?? 'string') ? '' : JSON.stringify(value), `${type} ${typed}`);
  }
  assert.deepEqual(one({ type: 'string', operator: 'in', value: '5, x, null' }), ['5', 'x', null]);
  assert.equal(one({ type: 'number', operator: 'contains', value: '5' }), 5, 'a list of numbers');
  assert.equal(unexpected({ attr: 'a', operator: 'contains', value: '5' }), '');
  for (const type of ['string', 'number', 'boolean', undefined]) {
    for (const value of [5, '5', true, 'true', null, 'null', '', ' a ', '"', 'x, y']) {
      for (const json of [{ attr: 'a', value }, { attr: 'a', op: 'in', value: [value, value] }]) {
        const rows = read(JSON.stringify(json), () => type);
        assert.deepEqual(JSON.parse(write(rows)), json);
        if (type !== 'string' || typeof value === 'string' || value === null) {
          rows.members.forEach((row) => delete row.json); // as if somebody had typed what it shows
          assert.deepEqual(JSON.parse(write(rows)), json, `${type} ${JSON.stringify(json)}`);
        }
      }
    }
  }
});

check('rows keep every condition that they can show, and refuse the others', () => {
  const leaf = { attr: 'status', value: 'active' };
  const shown = ['', '{}', 'null', leaf, { and: [leaf, leaf] }, { or: [leaf, { and: [leaf, leaf] }] },
    ...[null, true, false, 5, -1.5, '', ' a ', '5', 'true', 'null', '"', 'a"b', 'a,b', 'a\nb', '12345678901234567890', '{}', '\\d+', 'ä'].flatMap((value) => [
      { attr: 'a.b', value }, { attr: 'a', op: 'in', value: [value, 'x', value] },
      ...(typeof value === 'string' ? [{ attr: 'a', op: 'contains', value, negate: true }] : [])]),
    { attr: 'a', op: 'in', value: [] }, { attr: 'a', op: 'changed' }, { attr: 'a', op: 'changed', negate: true }, { attr: 'a', op: 'lte', value: 3 }];
  for (const conditions of shown) {
    const text = typeof conditions === 'string' ? conditions : JSON.stringify(conditions, null, 2);
    const rows = read(text);
    assert.ok(rows, `${text} can be shown`);
    assert.equal(write(rows), ['{}', 'null'].includes(text) ? '' : text);
  }
  const full = { ...leaf, op: 'eq', negate: false };
  assert.deepEqual(JSON.parse(write(read(JSON.stringify(full)))), full, 'what nobody changed');
  for (const operator of ['contains', '!regex']) {
    assert.equal(JSON.parse(write({ join: 'and', members: [{ attr: 'name', operator, value: '2024' }] })).value, '2024', 'digits are text');
  }
  const same = [[{ and: [leaf] }, leaf], [{ or: [{ and: [leaf] }, leaf] }, { or: [leaf, leaf] }]];
  for (const [conditions, means] of same) {
    assert.deepEqual(JSON.parse(write(read(JSON.stringify(conditions)))), means);
  }
  for (const text of ['{', '[]', '5', '"a"', '{"attr": "a", "value": 12345678901234567890}', '{"attr": "a", "value": {}}', '{"attr": "a"}', '{"value": 1}',
    '{"attr": "a", "attr": "b", "value": 1}', '{"attr": "a", "op": "near", "value": 1}', '{"attr": "a", "op": "gt", "value": 1, "negate": true}',
    '{"attr": "a", "op": "contains", "value": 1}', '{"attr": "a", "value": 1, "more": 1}', '{"attr": "a", "op": "in", "value": 1}', '{"attr": "a", "op": "changed", "value": 1}', '{"and": []}',
    '{"and": [1]}', '{"and": [null]}', '{"and": [{"attr": "a", "value": 1}], "or": []}', '{"or": [{"and": [{"or": [{"attr": "a", "value": 1}]}]}]}', '{"attr": " a", "value": 1}']) {
    assert.equal(read(text), null, `${text} can't be shown`);
  }
});
