// Takes pictures of pages. Those that the documents show are in docs/images, all others in bin/screenshots, to be looked at.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const most = 250_000; // bytes of a picture in the documents

const texts = [at('README.md'), ...readdirSync(at('docs')).filter((name) => name.endsWith('.md')).map((name) => at(`docs/${name}`))].map((file) => readFileSync(file, 'utf8')).join('');
const folderOf = (file) => (texts.includes(`images/${file}`) ? at('docs/images') : at('bin/screenshots'));

mkdirSync(at('bin/screenshots'), { recursive: true });

export async function shoot(v, name, theme, { width = 1280, height = 800 } = {}) {
  await v.page.setViewportSize({ width, height });
  await v.theme(theme);
  await v.page.mouse.move(0, 0);
  const file = `ui-${name}-${theme}-${width > 600 ? 'wide' : 'narrow'}.png`;
  const path = `${folderOf(file)}/${file}`;
  await v.page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  assert.ok(statSync(path).size < most, `${path} is too large`);
}
