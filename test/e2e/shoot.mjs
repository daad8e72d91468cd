// Takes the pictures of the README and the guide.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const most = 200_000; // bytes

export async function shoot(v, name, theme, { width = 1280, height = 800 } = {}) {
  await v.page.setViewportSize({ width, height });
  await v.theme(theme);
  await v.page.mouse.move(0, 0);
  const path = `${folder}ui-${name}-${theme}-${width > 600 ? 'wide' : 'narrow'}.png`;
  await v.page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  assert.ok(statSync(path).size < most, `${path} is too large`);
}
