import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

walk('a thousand rows with names that never end', { width: 320 }, async (v) => {
  const group = await world.api('POST', '/api/dcim/site-groups/', { name: 'W'.repeat(100), slug: 'w'.repeat(100) });
  await world.api('POST', '/api/dcim/sites/', Array.from({ length: 1000 }, (_, i) => {
    const name = `${String(i).padStart(4, '0')}${'Longname'.repeat(12)}`;
    return { name, slug: `s${name.toLowerCase()}`.slice(0, 100), group: group.id, facility: 'F'.repeat(50), description: 'D'.repeat(200), physical_address: 'A'.repeat(200) };
  }));
  const overflowing = () => v.main.locator('tbody tr').first().locator('th, td').evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.innerText));
  const path = '/dcim/sites/?limit=1000&q=longname';
  await v.go(path);
  assert.equal(await v.main.locator('tbody tr').count(), 1000);
  assert.deepEqual(await overflowing(), [], 'no text runs over the column beside it');
  assert.equal(await v.tooWide(), 0);
  await v.press(v.main.locator('tbody th a').first());
  assert.equal(await v.tooWide(), 0);
  await v.page.setViewportSize({ width: 1280, height: 900 });
  assert.equal(await v.tooWide(), 0);
  await v.go(path);
  assert.equal(await v.tooWide(), 0);
  assert.deepEqual(await overflowing(), [], 'no text runs over the column beside it');
});
