import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

walk('a list is exported as CSV, JSON and YAML', async (v) => {
  await v.go('/dcim/sites/?region=germany');
  const files = {};
  for (const format of ['CSV', 'JSON', 'YAML']) {
    await v.main.locator('details.drop', { hasText: 'Export' }).evaluate((menu) => { menu.open = true; });
    files[format] = await v.download(() => v.main.getByRole('link', { name: format, exact: true }).click());
    assert.match(files[format].name, new RegExp(`^.*sites.*\\.${format.toLowerCase()}$`));
  }
  const lines = files.CSV.text.trim().split(/\r?\n/);
  assert.equal(lines.length, 41, 'a head and what the filter lets through');
  assert.match(lines[0], /^id,name,slug,status,region,/);
  const rows = JSON.parse(files.JSON.text);
  assert.deepEqual(new Set(rows.map((row) => row.name.split(' ')[0])), new Set(['Berlin', 'Hamburg']));
  assert.equal(files.YAML.text.match(/^- /gm).length, 40);
});

walk('rows are pasted: errors by line, dry run, import', async (v) => {
  const count = async () => (await world.api('GET', '/api/dcim/sites/?name__isw=Braga')).count;
  await v.go('/dcim/sites/');
  await v.follow('Import', { within: v.main });
  const text = v.label('Text');
  await text.fill('name,slug,status,region\nBraga 1,braga-1,active,portugal\nBraga 2,not a slug!,active,portugal\nBraga 3,braga-3,sleeping,atlantis\n');
  await v.live(() => v.page.getByRole('button', { name: 'Dry run' }).click(), '#outcome .refused', { status: 400 });
  const wrong = await v.main.locator('.refused tbody tr').allInnerTexts();
  assert.ok(wrong.length >= 3, wrong.join('\n'));
  assert.match(wrong[0], /^3\s+Braga 2\s+slug/i);
  assert.match(wrong.slice(1).join('\n'), /^4\s+Braga 3\s+status/im);
  await v.inReach('a refused import');

  await text.fill('name,slug,status,region\nBraga 1,braga-1,active,portugal\nBraga 2,braga-2,planned,portugal\n');
  await v.live(() => v.page.getByRole('button', { name: 'Dry run' }).click(), '#outcome .alert-success');
  await v.sees('2 sites would be created. Nothing was written.');
  assert.equal(await count(), 0);
  await v.press('Import');
  await v.sees('Created 2 sites.');
  assert.equal(await count(), 2);
});

walk('a spreadsheet with its own headings: columns are mapped, then checked and imported', async (v) => {
  const count = async () => (await world.api('GET', '/api/dcim/sites/?name__isw=Elvas&region=portugal&status=planned')).count;
  await v.go('/dcim/sites/import/');
  await v.label('Text').fill('Name,Slug,Region name,State,Remarks\nElvas 1,elvas-1,Portugal,planned,x\nElvas 2,elvas-2,portugal,planned,y\n');
  await v.live(() => v.page.getByRole('button', { name: 'Dry run' }).click(), '#file-columns select');
  const field = (heading) => v.page.getByLabel(`Field of ${heading}`, { exact: true });
  for (const [heading, column] of [['Name', 'name'], ['Slug', 'slug'], ['Region name', 'region'], ['State', ''], ['Remarks', '']]) {
    assert.equal(await field(heading).inputValue(), column, heading);
  }
  assert.match(await v.main.locator('#file-columns').innerText(), /Portugal\s+portugal/);
  await field('State').selectOption('name');
  await v.live(() => v.page.getByRole('button', { name: 'Dry run' }).click(), '#outcome .alert-danger', { status: 400 });
  await v.sees('the columns "Name" and "State" are both mapped to name. Skip one of them.');
  await field('State').selectOption('status');
  await v.live(() => v.page.getByRole('button', { name: 'Dry run' }).click(), '#outcome .alert-success');
  await v.sees('2 sites would be created. Nothing was written.');
  assert.equal(await count(), 0);
  await v.press('Import');
  await v.sees('Created 2 sites.');
  assert.equal(await count(), 2);
});

walk('without JavaScript: the columns of a file are mapped', { javaScript: false, width: 320 }, async (v) => {
  const file = `${world.artefacts}/roles.csv`;
  writeFileSync(file, '\nTitle,Slug\n"- <b>Cold & dry</b>",cold-dry\n');
  await v.go('/dcim/rack-roles/import/');
  await v.label('Or a file').setInputFiles(file);
  await v.press('Dry run');
  await v.page.getByLabel('Field of Title', { exact: true }).selectOption('name');
  await v.press('Dry run');
  await v.sees('1 rack role would be created. Nothing was written.');
  await v.press('Import');
  await v.sees('Created 1 rack role.', '- <b>Cold & dry</b>');
});

walk('a file that was exported is imported again', async (v) => {
  await v.go('/dcim/sites/?name__ic=Paris');
  await v.main.locator('details.drop', { hasText: 'Export' }).locator('summary').click();
  const { text } = await v.download(() => v.main.getByRole('link', { name: 'CSV', exact: true }).click());
  const file = `${world.artefacts}/sites.csv`;
  writeFileSync(file, text.replace('Point of presence 2 in Paris', 'Changed in a file'));
  await v.go('/dcim/sites/import/');
  await v.label('Or a file').setInputFiles(file);
  await v.live(() => v.page.getByRole('button', { name: 'Dry run' }).click(), '#outcome .alert-success');
  await v.sees('1 site would be updated, 19 would stay as they are. Nothing was written.');
  await v.press('Import');
  await v.sees('Updated 20 sites from the file.');
  assert.equal((await world.api('GET', '/api/dcim/sites/?name=Paris%202')).results[0].description, 'Changed in a file');
});

walk('without JavaScript: import', { javaScript: false }, async (v) => {
  await v.go('/dcim/rack-roles/import/');
  await v.label('Text').fill('[{"name": "Patch panels", "slug": "patch-panels"}, {"name": "Cooling", "slug": "no slug"}]');
  await v.press('Import', { status: 400 });
  await v.sees('What is wrong', 'Cooling');
  await v.label('Text').fill('- name: Patch panels\n  slug: patch-panels\n');
  await v.press('Dry run');
  await v.sees('1 rack role would be created. Nothing was written.');
  await v.press('Import');
  await v.sees('Created 1 rack role.');
});

walk('the empty file names the columns', async (v) => {
  await v.go('/dcim/sites/import/');
  const { text } = await v.download(() => v.main.getByRole('link', { name: 'Download an empty CSV' }).click());
  assert.match(text, /^name,slug,status,/);
});
