import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';

const focused = (v) => v.page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.id);

// tabTo presses Tab until an element has the focus.
async function tabTo(v, selector, most = 60) {
  for (let i = 0; i < most; i++) {
    await v.page.keyboard.press('Tab');
    if (await v.page.evaluate((s) => document.activeElement.matches(s), selector)) {
      return;
    }
  }
  assert.fail(`${most} times Tab does not reach ${selector}`);
}

walk('the first Tab reaches the way past the navigation', async (v) => {
  await v.go('/');
  await v.page.keyboard.press('Tab');
  assert.equal(await focused(v), 'Skip to the content');
  assert.ok(await v.page.locator('.skip').evaluate((link) => link.getBoundingClientRect().top >= 0), 'it is seen when it has the focus');
  await v.page.keyboard.press('Enter');
  assert.equal(await v.page.evaluate(() => document.activeElement.id), 'main');
});

walk('menus open with Enter', async (v) => {
  await v.go('/dcim/sites/');
  for (const menu of ['.user-menu', 'main details.drop']) {
    const details = v.page.locator(menu).first();
    await details.locator('summary').focus();
    await v.page.keyboard.press('Enter');
    assert.ok(await details.evaluate((element) => element.open));
    await v.page.keyboard.press('Enter');
    assert.ok(!await details.evaluate((element) => element.open));
  }
});

walk('a site is added with the keyboard alone', async (v) => {
  await v.go('/dcim/sites/');
  await v.page.keyboard.press('Tab');
  await v.page.keyboard.press('Enter');
  await tabTo(v, 'a[href="/dcim/sites/add/"]');
  await v.press(null, { act: () => v.page.keyboard.press('Enter') });
  await tabTo(v, '#id_name');
  await v.page.keyboard.type('Tavira 1');
  await tabTo(v, '#id_slug', 1);
  await v.page.keyboard.type('tavira-1');
  await tabTo(v, '#id_region', 5);
  await v.page.keyboard.type('Portugal');
  await v.press(null, { act: () => v.page.keyboard.press('Enter') });
  await v.sees('Created site Tavira 1.', 'Portugal');
});
