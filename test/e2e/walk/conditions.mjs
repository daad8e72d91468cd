import assert from 'node:assert/strict';
import { read, write } from '../../../internal/web/assets/own/conditions.js';
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
  assert.deepEqual(await v.outOfReach('the builder of conditions'), []);

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
  for (const operator of ['contains', '!regex']) {
    assert.equal(JSON.parse(write({ join: 'and', members: [{ attr: 'name', operator, value: '2024' }] })).value, '2024', 'digits are text');
  }
  const same = [[{ and: [leaf] }, leaf], [{ ...leaf, op: 'eq', negate: false }, leaf], [{ or: [{ and: [leaf] }, leaf] }, { or: [leaf, leaf] }]];
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
