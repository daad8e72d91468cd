// A person at the browser. Whatever they do, no page may report an error, request anything from another site, or violate its own content
// security policy. Each visit checks this, and the test fails if it happens.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { world } from './world.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const patience = 30_000; // machines are busy; a walk that must be fast has its own limit
const heaviest = 120_000; // bytes of styles and scripts that a page may load, compressed

// What axe checks, in its own words.
const colours = ['color-contrast', 'link-in-text-block'];
const everyRule = { runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] } };
const colourRules = { runOnly: { type: 'rule', values: colours } };
const otherRules = { ...everyRule, rules: Object.fromEntries(colours.map((rule) => [rule, { enabled: false }])) };

export class Visitor {
  problems = [];
  dialogs = [];
  #expected; // the status of the next page
  #answer = () => false;

  static async open({ user = 'admin', width = 1280, height = 900, theme = 'light', javaScript = true, permissions, zone = 'UTC' } = {}) {
    const v = new Visitor();
    v.context = await world.browser.newContext({ baseURL: world.base, viewport: { width, height }, colorScheme: theme, javaScriptEnabled: javaScript, permissions, timezoneId: zone,
      reducedMotion: 'reduce' }); // without fading: axe would judge colours in the middle of it
    v.context.setDefaultTimeout(patience);
    if (user) {
      await v.context.addCookies([await world.session(user)]);
    }
    if (javaScript) {
      await v.context.exposeBinding('__violated', (_, text) => v.problems.push(`content security policy: ${text}`));
      await v.context.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (e) => window.__violated(`${e.violatedDirective} ${e.blockedURI} at ${e.sourceFile}:${e.lineNumber}`));
      });
    }
    v.page = await v.tab();
    return v;
  }

  // tab opens another page with the same session and the same checks.
  async tab() {
    const page = await this.context.newPage();
    page.on('console', (message) => this.#said(message));
    page.on('pageerror', (error) => this.problems.push(`script error on ${page.url()}: ${error.message}`));
    page.on('dialog', (dialog) => this.#asked(dialog));
    page.on('request', (request) => this.#requested(request));
    page.on('requestfailed', (request) => this.#failed(request));
    return page;
  }

  #said(message) {
    if (!['error', 'warning'].includes(message.type())) {
      return;
    }
    const refused = message.text().match(/^Failed to load resource: the server responded with a status of (\d+)/);
    if (refused && Number(refused[1]) === this.#expected) {
      return;
    }
    this.problems.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
  }

  async #asked(dialog) {
    this.dialogs.push(dialog.message());
    const accept = this.#answer(dialog.message());
    await (accept ? dialog.accept() : dialog.dismiss());
  }

  #requested(request) {
    const url = new URL(request.url());
    if (url.origin !== world.base && url.protocol !== 'data:' && url.protocol !== 'blob:') {
      this.problems.push(`asked another site: ${request.url()}`);
    }
    if (url.origin === world.base) {
      world.visited.add(request.method(), url.pathname);
    }
  }

  #failed(request) {
    // Leaving a page ends its open requests, and a download ends the navigation that started it.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') {
      this.problems.push(`failed: ${request.method()} ${request.url()}: ${request.failure()?.errorText}`);
    }
  }

  // go opens a page.
  async go(path, { status = 200, page = this.page } = {}) {
    this.#expected = status;
    const response = await page.goto(path);
    await this.#arrived(response, status, page);
    return response;
  }

  // press does something that leads to another page. By default this is a click on a link or a button.
  async press(what, { status = 200, page = this.page, act } = {}) {
    this.#expected = status;
    const target = typeof what === 'string' ? page.getByRole('button', { name: what, exact: true }) : what;
    const [response] = await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), act ? act(target) : target.click()]);
    await this.#arrived(response, status, page);
    return response;
  }

  follow(name, options) { return this.press((options?.within ?? this.page).getByRole('link', { name, exact: true }), options); }

  async #arrived(response, status, page) {
    assert.equal(response.status(), status, `${response.request().method()} ${response.url()}`);
    const policy = response.headers()['content-security-policy'] ?? '';
    assert.match(policy, /default-src 'none'/, `${response.url()} has a strict policy`);
    assert.doesNotMatch(policy, /unsafe/, `${response.url()} has a strict policy`);
    await this.#weigh(page);
    await this.settle(page);
  }

  // weigh fails if a page has loaded too many styles and scripts. The viewer of the API documentation is somebody else's, and may.
  async #weigh(page) {
    const bytes = await page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => /\.(css|js)$/.test(name)).reduce((sum, file) => sum + file.encodedBodySize, 0));
    const { pathname } = new URL(page.url());
    if (pathname !== '/api/docs/') {
      assert.ok(bytes <= heaviest, `${pathname} loads ${bytes} bytes of styles and scripts, more than ${heaviest}`);
      world.heaviest = bytes > world.heaviest.bytes ? { bytes, pathname } : world.heaviest;
    }
  }

  // settle waits until a page has reported its errors, and fails if there are any.
  async settle(page = this.page) {
    await page.evaluate(() => 0);
    assert.deepEqual(this.problems.splice(0), [], `on ${page.url()}`);
  }

  // download saves the file that an act downloads, and returns its name and text.
  async download(act) {
    const [file] = await Promise.all([this.page.waitForEvent('download'), act()]);
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
  }

  // live does an act and waits for the part of the page that htmx loads because of it.
  async live(act, selector, { status = 200 } = {}) {
    this.#expected = status;
    const before = await this.page.evaluate(() => { window.__stays = (window.__stays ?? 0) + 1; return window.__stays; });
    await act();
    await this.page.locator(selector).first().waitFor({ state: 'attached' });
    assert.equal(await this.page.evaluate(() => window.__stays), before, 'the page itself stayed');
    await this.settle();
  }

  // accepting does an act and answers yes to the question that the page asks.
  async accepting(question, act) {
    const before = this.dialogs.length;
    this.#answer = (message) => question.test(message);
    await act();
    this.#answer = () => false;
    assert.match(this.dialogs[before] ?? '(no question)', question);
  }

  get main() { return this.page.locator('main'); }
  label(text, exact = true) { return this.main.getByLabel(text, { exact }); }
  note() { return this.main.locator('.alert-success'); }

  // theme sets the theme that the system prefers: light or dark.
  async theme(theme, page = this.page) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-bs-theme=${theme}]`).waitFor();
  }

  // eventually reloads the page until something is there.
  async eventually(what, there) {
    const end = Date.now() + patience;
    while (!await there()) {
      assert.ok(Date.now() < end, `${what}, on ${this.page.url()}`);
      await setTimeout(100);
      await this.page.reload();
    }
    await this.settle();
  }

  async sees(...texts) {
    for (const text of texts) {
      await this.main.getByText(text).first().waitFor({ state: 'visible' });
    }
  }

  async seesNot(...texts) {
    for (const text of texts) {
      assert.equal(await this.main.getByText(text).count(), 0, `${this.page.url()} does not show ${text}`);
    }
  }

  // accessible returns the problems that axe finds on the page, or on a part of it, in the current theme.
  async accessible(part = 'html', rules = everyRule) {
    if (!await this.page.evaluate(() => 'axe' in window)) {
      await this.page.evaluate(`${axe}; 0`);
    }
    const found = await this.page.evaluate(`axe.run(${JSON.stringify(part)}, ${JSON.stringify({ ...rules, resultTypes: ['violations'] })})
      .then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.html.slice(0, 200) + ' ' + (n.any[0] ?? n.all[0] ?? n.none[0])?.message)))`);
    return found.slice(0, 5);
  }

  // outOfReach returns what keeps people from using the page in one of the themes: what axe finds, and sideways scrolling. The themes differ
  // in colours alone, so the second is checked for these.
  async outOfReach(name, part, checks = [['light', everyRule], ['dark', colourRules]]) {
    const found = [];
    for (const [theme, rules] of checks) {
      await this.theme(theme);
      found.push(...(await this.accessible(part, rules)).map((problem) => `${name} (${theme}): ${problem}`));
    }
    const tooWide = await this.tooWide();
    return tooWide > 0 ? [...found, `${name} is ${tooWide} pixels too wide: ${await this.widest()}`] : found;
  }

  // outOfReachAtBoth is outOfReach of a page that is checked at 1280 and at 320 pixels. Its colours are the same, so a short run checks these on
  // the narrow one.
  outOfReachAtBoth(name) {
    const wide = this.page.viewportSize().width > 320;
    return world.quick && wide ? this.outOfReach(name, undefined, [['light', otherRules]]) : this.outOfReach(name);
  }

  // inReach fails if something keeps people from using the page as it is now, light or dark, at 1280 or at 320 pixels. It does not load the page,
  // so it is for what only a form or a state leads to.
  async inReach(name) {
    const before = this.page.viewportSize();
    const found = [];
    for (const width of [1280, 320]) {
      await this.page.setViewportSize({ ...before, width });
      found.push(...await this.outOfReachAtBoth(`${name} at ${width}`));
    }
    assert.deepEqual(found, []);
    await this.page.setViewportSize(before);
    await this.theme('light');
  }

  // tooWide returns by how many pixels the page scrolls sideways.
  tooWide() { return this.page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth)); }

  // widest returns the names of the elements that are wider than the page, for the message.
  widest() {
    return this.page.evaluate(() => [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > window.innerWidth && !e.closest('.table-wrap *, pre *'))
      .slice(-3).map((e) => e.outerHTML.slice(0, 80)).join(' … '));
  }

  async leaveTraces(name) {
    const file = `${world.artefacts}/${name.replace(/[^a-z0-9]+/gi, '-')}`;
    try {
      await this.page.screenshot({ path: `${file}.png`, fullPage: true, timeout: 5000 });
      writeFileSync(`${file}.html`, `<!-- ${this.page.url()} -->\n${await this.page.content()}`);
    } catch {
      // The page is closed already. The error itself says more.
    }
  }

  async close() { await this.context.close(); }
}
