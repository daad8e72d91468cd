import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

const box = (v) => v.page.getByLabel('Search everything');
const focused = (v) => v.page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());

walk('the search is used from / to the record with the keyboard alone', async (v) => {
  await v.go('/');
  await v.page.keyboard.press('/');
  await v.page.keyboard.type('hamburg 1');
  await v.press(null, { act: () => v.page.keyboard.press('Enter') });
  assert.equal(await v.main.locator('h1').innerText(), 'Search: hamburg 1');
  assert.deepEqual(await v.main.locator('mark').first().allInnerTexts(), ['Hamburg 1']);
  await v.page.keyboard.press('/');
  const down = async () => { await v.page.keyboard.press('ArrowDown'); return focused(v); };
  assert.equal(await down(), 'Hamburg 1', 'the site of this name comes first');
  assert.equal(await down(), 'Hamburg 10');
  await v.page.keyboard.press('ArrowUp');
  await v.page.keyboard.press('ArrowUp');
  assert.equal(await focused(v), 'search');
  await down();
  await down();
  await v.page.keyboard.press('Escape');
  assert.equal(await focused(v), 'search');
  await down();
  await v.press(null, { act: () => v.page.keyboard.press('Enter') });
  assert.equal(await v.main.locator('h1').innerText(), 'Hamburg 1');
});

walk('a slash in a field stays there', async (v) => {
  await v.go('/dcim/sites/add/');
  await v.page.locator('#id_name').focus();
  await v.page.keyboard.type('a/b');
  assert.equal(await v.page.locator('#id_name').inputValue(), 'a/b');
  assert.equal(await focused(v), 'id_name');
});

walk('results follow while somebody types, with what matched', async (v) => {
  await v.go('/search/');
  await v.sees('Enter a name');
  await v.page.keyboard.press('/');
  await v.live(() => box(v).fill('main exchange of por'), '.found mark');
  assert.equal(await v.main.locator('.found-in').first().innerText(), 'Description: Main exchange of Porto');
  assert.equal(await focused(v), 'search', 'the box keeps the focus');
  assert.equal(await v.page.locator('#said').innerText(), 'Found in record types: 1');
  await v.live(() => box(v).fill('main exchange of porzzz'), '.empty');
  await v.sees('Nothing found for “main exchange of porzzz”.');
});

walk('without JavaScript the search finds, too', { javaScript: false }, async (v) => {
  await v.go('/');
  await box(v).fill('lyon 3');
  await v.press(box(v), { act: (input) => input.press('Enter') });
  await v.follow('Lyon 3');
  assert.equal(await v.main.locator('h1').innerText(), 'Lyon 3');
});

walk('the id of a request finds its changes', async (v) => {
  const { results: [change] } = await world.api('GET', '/api/extras/object-changes/?changed_object_type=dcim.rackrole&limit=1');
  await v.go(`/search/?q=${change.request_id}`);
  await v.sees('Request id:');
  await v.follow('Object changes', { within: v.main });
  assert.equal(new URL(v.page.url()).searchParams.get('request_id'), change.request_id);
});

for (const width of [1280, 320]) {
  walk(`the search is in reach at ${width} pixels, light or dark`, { width }, async (v) => {
    for (const path of ['/search/', '/search/?q=porto', '/search/?q=nothing+at+all', '/search/?q=exchange']) {
      await v.go(path);
      assert.deepEqual(await v.outOfReachAtBoth(path), []);
    }
  });
}
