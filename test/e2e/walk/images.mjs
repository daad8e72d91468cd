import assert from 'node:assert/strict';
import { picture } from '../needs.mjs';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

// file returns a file as somebody selects it. The picture is red and 40 × 30.
function file(name) {
  const red = 'iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAAK0lEQVR42u3NMQ0AAAgDsEmZfyXIQgYcTfo3056IWCwWi8VisVgsFov/xgvShNW9z+MMHQAAAABJRU5ErkJggg==';
  return { name, mimeType: 'image/png', buffer: Buffer.from(red, 'base64') };
}

// drawn returns the width of each picture of the page, as the browser has decoded it.
function drawn(v) {
  return v.main.locator('img.thumbnail').evaluateAll((all) => Promise.all(all.map(async (img) => { await img.decode(); return img.naturalWidth; })));
}

walk('a picture is added on the tab of a site, seen, replaced and deleted', async (v) => {
  const { id } = await world.api('POST', '/api/dcim/sites/', { name: 'Pictured', slug: 'pictured' });
  await v.go(`/dcim/sites/${id}/`);
  await v.follow(/^Images/, { within: v.main });
  await v.follow('Add', { within: v.main });
  await v.label('Name').fill('Entrance');
  await v.press('Create', { status: 400 });
  await v.sees('This field is required.');
  await v.main.locator('#id_image').setInputFiles(file('IMG 1.png'));
  assert.deepEqual(await v.outOfReach('a form with a file'), []);
  await v.press('Create');
  assert.equal(new URL(v.page.url()).pathname, `/dcim/sites/${id}/images/`);
  assert.deepEqual(await drawn(v), [40]);
  assert.deepEqual(await v.outOfReach('a tab with pictures'), []);

  await v.follow('Entrance', { within: v.main });
  assert.deepEqual(await drawn(v), [40]);
  await v.sees('40', '30');
  const { name } = await v.download(() => v.main.locator('img.thumbnail').click());
  assert.equal(name, `site_${id}_Entrance.png`);
  await v.go(`${new URL(v.page.url()).pathname}edit/`);
  assert.deepEqual(await drawn(v), [40]);
  await v.main.locator('#id_image').setInputFiles({ name: 'x.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') });
  await v.press('Save', { status: 400 });
  await v.sees('This file is not a picture.', 'Select the file again');
  await v.main.locator('#id_image').setInputFiles({ name: 'y.gif', mimeType: 'image/gif', buffer: Buffer.from(picture.split(',')[1], 'base64') });
  await v.press('Save');
  assert.deepEqual(await drawn(v), [1]);
});

walk('a device type gets a front image, which is removed again, without JavaScript', { javaScript: false }, async (v) => {
  const { results: [maker] } = await world.api('GET', '/api/dcim/manufacturers/?limit=1');
  const { id } = await world.api('POST', '/api/dcim/device-types/', { manufacturer: maker.id, model: 'Pictured', slug: 'pictured' });
  await v.go(`/dcim/device-types/${id}/edit/`);
  await v.main.getByText('Advanced', { exact: true }).click();
  await v.label('Front image').setInputFiles(file('front.png'));
  await v.press('Save');
  assert.equal(await v.main.locator('img.thumbnail').count(), 1);
  await v.follow('Edit', { within: v.main });
  assert.ok(await v.main.locator('details').getAttribute('open') !== null, 'the part with the picture is open');
  await v.main.getByLabel('Remove it').check();
  await v.press('Save');
  assert.equal(await v.main.locator('img.thumbnail').count(), 0);
});
