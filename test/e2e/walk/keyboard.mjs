import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

const focused = (v) => v.page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.id);

// tabTo presses Tab until an element has the focus, and returns how many times that were. Where it is an element that a person finds by its
// text, text says which.
async function tabTo(v, selector, most = 60, text = '') {
  for (let i = 1; i <= most; i++) {
    await v.page.keyboard.press('Tab');
    if (await v.page.evaluate(([s, t]) => document.activeElement.matches(s) && document.activeElement.textContent.includes(t), [selector, text])) {
      return i;
    }
  }
  const reached = await v.page.evaluate(() => document.activeElement.outerHTML.slice(0, 120));
  assert.fail(`${most} times Tab does not reach ${selector} ${text}, but ${reached}`);
}

// seen fails if a person cannot see what has the focus: it must be on the screen, with an outline or a shadow.
async function seen(v) {
  const { what, ...shown } = await v.page.evaluate(() => {
    const { activeElement: element } = document;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return { what: element.outerHTML.slice(0, 120), drawn: element.matches(':focus-visible') && ((outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'),
      onScreen: bottom > 0 && right > 0 && top < innerHeight && left < innerWidth };
  });
  assert.deepEqual(shown, { drawn: true, onScreen: true }, `whoever uses the keyboard sees that ${what} has the focus`);
}

// Keys presses keys, and counts the Tabs between the pages.
class Keys {
  tabs = [0];

  constructor(v) { this.v = v; }

  // to presses Tab until an element has the focus.
  async to(selector, most, text) {
    this.tabs[this.tabs.length - 1] += await tabTo(this.v, selector, most, text);
    await seen(this.v);
  }

  type(text) { return this.v.page.keyboard.type(text); }

  async press(key) {
    await seen(this.v);
    await this.v.page.keyboard.press(key);
  }

  // enter presses Enter on a link, on a button or in a form, and waits for the page that follows.
  async enter() {
    await seen(this.v);
    await this.v.press(null, { act: () => this.v.page.keyboard.press('Enter') });
    this.tabs.push(0);
  }

  // content leads past the navigation.
  async content() {
    await this.to('.skip', 1);
    await this.press('Enter');
  }

  // list opens the list of a type from any page, by its name in the navigation.
  async list(name, path) {
    await this.to('#narrow-navigation', 8);
    await this.type(name);
    await this.enter();
    assert.equal(new URL(this.v.page.url()).pathname, path);
  }

  // count writes into the report how many Tabs each page took, which may be at most so many on one page.
  count(t, most) {
    t.diagnostic(`Tabs on each page: ${this.tabs.join(', ')}`);
    assert.ok(Math.max(...this.tabs) <= most, `at most ${most} times Tab on a page: ${this.tabs.join(', ')}`);
  }
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

walk('a site is added with the keyboard alone', async (v, t) => {
  const keys = new Keys(v);
  await v.go('/');
  await keys.list('Sites', '/dcim/sites/');
  await keys.content();
  await keys.to('a[href="/dcim/sites/add/"]', 5);
  await keys.enter();
  await keys.content();
  await keys.to('#id_name', 5);
  await keys.type('Tavira 1');
  await keys.to('#id_slug', 1);
  await v.page.keyboard.press('Control+a');
  await keys.type('tavira-1');
  await keys.to('#id_region', 5);
  await keys.type('Portugal');
  await keys.enter();
  await v.sees('Created site Tavira 1.', 'Portugal');
  keys.count(t, 12);
});

walk('a webhook is made with the keyboard alone', async (v, t) => {
  const keys = new Keys(v);
  await v.go('/');
  await keys.list('Webhooks', '/extras/webhooks/');
  await keys.content();
  await keys.to('a[href="/extras/webhooks/add/"]', 5);
  await keys.enter();
  await keys.content();
  await keys.to('#id_name', 20);
  await keys.type('Made without a mouse');
  await keys.to('input[data-narrows="#id_content_types_groups"]', 5);
  await keys.type('site group');
  await keys.to('input[name=content_types][value="dcim.sitegroup"]', 5);
  await keys.press('Space');
  await keys.to('#id_type_create', 10);
  await keys.press('Space');
  await keys.to('#id_payload_url', 10);
  await keys.type(`${world.receiver.url}keys`);
  await keys.to('.form-buttons .btn-primary', 40);
  await keys.enter();
  await v.sees('Created webhook Made without a mouse.', 'Enabled');
  keys.count(t, 36);
  const { results: [hook] } = await world.api('GET', '/api/extras/webhooks/?name=Made%20without%20a%20mouse');
  assert.deepEqual([hook.content_types, hook.type_create, hook.type_update, hook.payload_url], [['dcim.sitegroup'], true, false, `${world.receiver.url}keys`]);
  await world.api('PATCH', `/api/extras/webhooks/${hook.id}/`, { enabled: false }); // other walks make site groups
});

walk('a failed delivery is found and sent again with the keyboard alone', async (v, t) => {
  const hook = await world.api('POST', '/api/extras/webhooks/', { name: 'Mouseless receiver', content_types: ['dcim.sitegroup'], type_create: true, payload_url: `${world.failing.url}mouseless`,
    conditions: { attr: 'slug', value: 'mouseless' } });
  await world.api('POST', '/api/dcim/site-groups/', { name: 'Mouseless', slug: 'mouseless' });
  const sent = () => world.failing.requests.filter((r) => r.path === '/mouseless');
  await world.failing.request(() => sent().length === 1, 'first request');
  await world.until('the delivery has failed', async () => (await world.api('GET', `/api/extras/deliveries/?webhook_id=${hook.id}&state=failed`)).count === 1);
  const keys = new Keys(v);
  await v.go('/');
  await keys.list('Webhooks', '/extras/webhooks/');
  await keys.content();
  await keys.to('#quick', 8);
  await keys.type('Mouseless');
  await keys.enter(); // the results are still past the navigation
  await keys.to('tbody th a', 40, 'Mouseless receiver');
  await keys.enter();
  await keys.content();
  await v.sees('Mouseless', '500');
  await keys.to('section[aria-labelledby=sent-title] a.time', 40);
  await keys.enter();
  await keys.content();
  await keys.to('#redeliver', 10);
  await keys.enter();
  await world.failing.request(() => sent().length === 2, 'second request');
  await v.page.locator('#attempt-2').waitFor();
  keys.count(t, 25);
  const [first, second] = sent().map((r) => Object.entries(r.headers).find(([name]) => name.toLowerCase() === 'x-hook-delivery')?.[1]);
  assert.ok(first);
  assert.equal(second, first, 'both requests are the same delivery');
});
