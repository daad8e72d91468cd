import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

walk('a site is added, its region chosen by typing and its tags too', async (v) => {
  await v.go('/dcim/sites/');
  await v.follow('Add', { within: v.main });
  await v.label('Name *', false).first().fill('Faro 1');
  await v.label('Slug', false).first().fill('Faro is not a slug!');
  assert.ok(!await v.label('Latitude').isVisible(), 'what few people need is folded');
  await v.main.getByText('Advanced', { exact: true }).click();
  await v.label('Latitude').fill('91');
  await v.press('Create', { status: 400 });
  const wrong = v.main.locator('[aria-invalid=true]');
  assert.deepEqual(await wrong.evaluateAll((inputs) => inputs.map((input) => input.name)), ['slug', 'latitude']);
  for (const input of await wrong.all()) {
    const about = (await input.getAttribute('aria-describedby')).split(' ').at(-1);
    assert.notEqual(await v.page.locator(`#${about}`).innerText(), '');
  }
  const focused = () => v.page.evaluate(() => document.activeElement.id);
  assert.equal(await focused(), 'id_slug', 'the first has the focus');
  assert.deepEqual(await v.main.locator('.error-summary a').evaluateAll((links) => links.map((link) => link.hash)), ['#id_slug', '#id_latitude']);
  await v.inReach('a refused form');
  await v.main.locator('.error-summary a').last().focus();
  await v.page.keyboard.press('Enter');
  assert.equal(await focused(), 'id_latitude', 'a link of the summary leads to its field');

  await v.main.locator('#id_slug').fill('faro-1');
  await v.main.locator('#id_latitude').fill('37.016100');
  const region = v.main.locator('#id_region');
  await region.fill('portu');
  await v.page.waitForFunction(() => document.querySelector('#id_region_list').options.length === 1);
  await region.fill(await v.page.locator('#id_region_list option').getAttribute('value'));
  const tags = v.main.locator('#id_tags');
  for (const tag of ['core', 'edge']) {
    await tags.fill(tag);
    await v.page.waitForFunction((name) => [...document.querySelector('#id_tags_list').options].some((o) => o.value === name), tag);
    await tags.press('Enter');
  }
  assert.equal(await v.main.locator('.chosen input[name=tags]:checked').count(), 2);
  await v.press('Create');
  await v.sees('Created site Faro 1.', 'Portugal', '37.0161', 'core', 'edge');
  assert.equal(new URL(v.page.url()).pathname.match(/^\/dcim\/sites\/\d+\/$/)?.length, 1);
});

walk('a slug follows the name until somebody edits it, by the rule of the server', async (v) => {
  const table = JSON.parse(readFileSync(new URL('../../../internal/record/testdata/slugs.json', import.meta.url)));
  await v.go('/dcim/rack-roles/add/');
  const name = v.main.locator('#id_name');
  const slug = v.main.locator('#id_slug');
  for (const [typed, made] of Object.entries(table)) {
    await name.fill(typed);
    assert.equal(await slug.inputValue(), made, `the slug of ${typed}`);
  }
  await name.fill('Spine');
  await slug.fill('own');
  await name.fill('Spine role');
  assert.equal(await slug.inputValue(), 'own', 'an edited one stays');
  await slug.fill('');
  await name.fill('Spine role 2');
  assert.equal(await slug.inputValue(), 'spine-role-2', 'an emptied one follows again');
  await v.press('Create');
  await v.follow('Edit', { within: v.main });
  await name.fill('Leaf role');
  assert.equal(await slug.inputValue(), 'spine-role-2', 'that of a record stays');
});

walk('all errors are shown at once, also those of folded and of custom fields, and of rules between fields', async (v) => {
  await world.api('POST', '/api/extras/custom-fields/', { name: 'installed', type: 'date', content_types: ['dcim.rackrole'] });
  await world.api('POST', '/api/extras/custom-fields/', { name: 'manual', type: 'url', content_types: ['dcim.rackrole'] });
  await v.go('/dcim/rack-roles/add/');
  assert.equal(await v.main.locator('#id_cf_installed').getAttribute('type'), 'date');
  await v.main.locator('#id_name').fill('Wrong twice');
  await v.main.locator('#id_slug').fill('not one');
  await v.main.locator('#id_cf_manual').fill('nowhere');
  await v.press('Create', { status: 400 });
  assert.deepEqual(await v.main.locator('.error-summary a').evaluateAll((links) => links.map((link) => link.hash)), ['#id_slug', '#id_cf_manual']);
  await v.main.locator('.error-summary a').last().click();
  assert.equal(await v.page.evaluate(() => document.activeElement.id), 'id_cf_manual');

  await v.go('/extras/webhooks/add/');
  await v.main.locator('#id_name').fill('Wrong everywhere');
  await v.main.locator('#id_payload_url').fill('ftp://example.com/');
  await v.main.locator('#id_conditions').fill('{');
  await v.main.getByText('Advanced', { exact: true }).click();
  await v.main.locator('#id_concurrency').fill('1000');
  await v.press('Create', { status: 400 });
  assert.deepEqual(await v.main.locator('.error-summary a').evaluateAll((links) => links.map((link) => link.hash)),
    ['#id_content_types', '#id_type_create', '#id_payload_url', '#id_conditions', '#id_concurrency']);
  assert.ok(await v.main.locator('#id_concurrency').isVisible(), 'a folded part with an error is open');
  await v.inReach('a refused webhook');
});

walk('create and add another', async (v) => {
  await v.go('/dcim/rack-roles/add/');
  await v.main.locator('#id_name').fill('Network');
  await v.main.locator('#id_slug').fill('network');
  await v.press('Create and add another');
  await v.sees('Created rack role Network.');
  assert.equal(new URL(v.page.url()).pathname, '/dcim/rack-roles/add/');
});

walk('of two who edit the same record the second gets a message', async (v) => {
  const site = await world.api('POST', '/api/dcim/sites/', { name: 'Évora 1', slug: 'evora-1' });
  const other = await v.tab();
  await v.go(`/dcim/sites/${site.id}/edit/`);
  await v.go(`/dcim/sites/${site.id}/edit/`, { page: other });
  await v.main.locator('#id_description').fill('first');
  await v.press('Save');
  await v.sees('Saved site Évora 1.', 'first');
  await other.locator('#id_description').fill('second');
  await other.locator('#id_facility').fill('second');
  await v.press('Save', { page: other, status: 412 });
  await other.locator('main').getByRole('alert').waitFor();
  assert.equal((await world.api('GET', `/api/dcim/sites/${site.id}/`)).description, 'first');
  assert.equal(await other.locator('.conflict tbody tr').count(), 1, 'only what both changed');
  [v.page, v.first] = [other, v.page];
  await v.inReach('a conflict');
  await v.page.setViewportSize({ width: 320, height: 800 });
  const { x, width } = await v.label('What to save in Description').boundingBox();
  assert.ok(x + width <= 320, 'the choice is in sight on a narrow window');
  await v.label('What to save in Description').selectOption('theirs');
  await v.press('Save');
  const saved = await world.api('GET', `/api/dcim/sites/${site.id}/`);
  assert.deepEqual([saved.description, saved.facility], ['first', 'second']);
});

walk('deleting shows first what depends on it', async (v) => {
  const region = await world.api('POST', '/api/dcim/regions/', { name: 'Atlantis', slug: 'atlantis' });
  const site = await world.api('POST', '/api/dcim/sites/', { name: 'Atlantis 1', slug: 'atlantis-1', region: region.id });
  await v.go(`/dcim/regions/${region.id}/`);
  await v.follow('Delete');
  await v.sees('What else changes', 'Atlantis 1', 'loses its reference');
  await v.follow('Cancel');
  await v.follow('Delete');
  await v.press('Delete');
  await v.sees('Deleted region Atlantis.');
  assert.equal((await world.api('GET', `/api/dcim/sites/${site.id}/`)).region, null);
});

walk('what others hold cannot be deleted, and the page says who', async (v) => {
  const tenants = await world.api('GET', '/api/tenancy/tenants/?name=Initech');
  await v.go(`/tenancy/tenants/${tenants.results[0].id}/delete/`);
  await v.main.getByRole('alert').waitFor();
  assert.equal(await v.main.getByRole('button', { name: 'Delete' }).count(), 0);
});

walk('a click right after typing is not lost', async (v) => {
  await v.go('/users/permissions/add/');
  await v.main.locator('#id_name').fill('Clicked at once');
  await v.main.locator('input[name=actions][value=view]').check();
  await v.main.locator('input[name=object_types]').first().check();
  await v.live(() => v.main.locator('#id_users').fill('admin'), '#id_users_list option');
  await v.press('Create');
  await v.sees('Clicked at once', 'admin');
});

walk('a form that nobody touches changes nothing, whatever the record holds', async (v) => {
  const text = '\n\r\nfirst \rsecond\r\n  last';
  const site = await world.api('POST', '/api/dcim/sites/', { name: 'Sagres\n1', slug: 'sagres-1', description: 'a\r\nb\rc', comments: `x${text}`, physical_address: `y${text}`, latitude: 37.5 });
  const role = await world.api('POST', '/api/dcim/rack-roles/', { name: 'Spare', slug: 'spare', color: '' });
  const token = await world.api('POST', '/api/users/tokens/', { expires: '2040-01-02T03:04:00.567891Z', description: 'kept' });
  const hook = await world.api('POST', '/api/extras/webhooks/', {
    name: 'Untouched', content_types: ['dcim.rackrole'], type_delete: true, enabled: false, payload_url: 'http://127.0.0.1:1/', secret: 'x',
    additional_headers: 'A: b\r\nC: d', body_template: '\n{{ data.name }}\n', conditions: { attr: 'name', value: 12345678901234567890n.toString() },
  });
  for (const [page, api] of [
    [`/dcim/sites/${site.id}/`, `/api/dcim/sites/${site.id}/`], [`/dcim/rack-roles/${role.id}/`, `/api/dcim/rack-roles/${role.id}/`],
    [`/user/tokens/${token.id}/`, `/api/users/tokens/${token.id}/`], [`/users/tokens/${token.id}/`, `/api/users/tokens/${token.id}/`],
    [`/extras/webhooks/${hook.id}/`, `/api/extras/webhooks/${hook.id}/`],
  ]) {
    const before = await world.api('GET', api);
    await v.go(`${page}edit/`);
    await v.press('Save');
    await v.sees('Nothing was changed.');
    assert.deepEqual(await world.api('GET', api), before);
  }
});

walk('types are chosen by section, and found by typing', async (v) => {
  const chosen = () => v.main.locator('input[name=object_types]:checked').evaluateAll((boxes) => boxes.map((box) => box.value));
  await v.go('/users/permissions/add/');
  const racks = v.main.locator('[data-group=Racks]');
  await racks.getByLabel('Racks', { exact: true }).check();
  const all = await racks.locator('[data-item] input').evaluateAll((boxes) => boxes.map((box) => box.value));
  assert.deepEqual(await chosen(), all, 'the whole section');
  await v.main.getByLabel('Find in Object types').fill('site gr');
  assert.equal(await v.main.locator('.groups [data-item]:visible').count(), 1);
  await v.main.getByLabel('Find in Object types').press('Enter');
  await v.main.getByLabel('Organization', { exact: true }).check();
  await v.main.getByLabel('Find in Object types').press('Escape');
  assert.deepEqual(await chosen(), ['dcim.sitegroup', ...all], 'only what was shown');
  assert.ok(await v.main.getByLabel('Organization', { exact: true }).evaluate((box) => box.indeterminate));
  await v.main.locator('#id_name').fill('Racks alone');
  await v.main.locator('input[name=actions][value=view]').check();
  await v.press('Create');
  await v.follow('Edit', { within: v.main });
  assert.ok(await racks.getByLabel('Racks', { exact: true }).isChecked());
  assert.deepEqual(await chosen(), ['dcim.sitegroup', ...all]);
  await v.inReach('types by section');
});
