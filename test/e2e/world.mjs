// What all tests share: the server, the other programs, the browser, and the list of visited pages.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { walkFew } from './alike.mjs';
import { Receiver, start, stop, stopAll } from './program.mjs';
import { seed } from './seed.mjs';
import { Visited } from './visited.mjs';

const { TERRIER_E2E_URL: base, TERRIER_E2E_PASSWORD: password, TERRIER_E2E_WORK: work, TERRIER_E2E_ARTEFACTS: artefacts, TERRIER_E2E_SHELL: shell } = process.env;

// Debian's Chromium must not contact its vendor, nor need a display or a separate user.
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync'];

class World {
  base = base;
  password = password;
  artefacts = artefacts;
  receiverSecret = 'a secret that only the receiver knows';
  heaviest = { bytes: 0 }; // the page that has loaded most styles and scripts, compressed
  #sessions = new Map();
  #profile;

  async open({ headed, quick }) {
    assert.ok(base, 'test/e2e/run starts the server and sets the environment');
    this.quick = Boolean(quick);
    this.visited = new Visited(readFileSync(`${work}/pages`, 'utf8'));
    if (quick) { // always with the read-only types, which have few pages, and the sites, which the seed gives most to show
      walkFew(readFileSync(`${work}/kinds`, 'utf8'), ['/dcim/sites/', ...this.visited.lists.filter((list) => list.fixed).map((list) => list.path)]);
    }
    this.startWorker();
    this.#profile = mkdtempSync(`${work}/browser.`);
    [this.receiver, this.failing, this.browser, this.key] = await Promise.all([
      Receiver.open('receiver', [], this.receiverSecret),
      Receiver.open('failing', ['--status', '500']),
      chromium.launch({ executablePath: (quick && !headed && shell) || '/usr/bin/chromium', headless: !headed, args: headed ? flags : ['--headless', ...flags], env: { ...process.env, HOME: this.#profile } }),
      this.provision('admin'),
    ]);
    if (!process.env.TERRIER_E2E_DEMO) {
      await seed();
    }
  }

  async close() {
    await this.browser.close();
    await stopAll();
    rmSync(this.#profile, { recursive: true, force: true });
  }

  startWorker() { this.worker = start('worker', ['worker']); }

  stopWorker() { return stop(this.worker); }

  async provision(username) {
    const answer = await fetch(`${base}/api/users/tokens/provision/`, { method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username, password }) });
    return (await answer.json()).key;
  }

  // api sends a request as the administrator, and fails if it is not successful.
  async api(method, path, body) {
    const { status, json } = await this.ask(method, path, body);
    assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(json)?.slice(0, 500)}`);
    return json;
  }

  async ask(method, path, body, key = this.key) {
    const answer = await fetch(base + path, { method, headers: { Authorization: `Token ${key}`, 'Content-Type': 'application/json', Accept: 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, json: text ? JSON.parse(text) : undefined };
  }

  // until waits for what the API shows some time later.
  async until(what, there) {
    for (let tries = 0; !await there(); tries++) {
      assert.ok(tries < 300, what);
      await setTimeout(100);
    }
  }

  // session logs a user in once. Later visits start with the cookie.
  async session(username) {
    if (!this.#sessions.has(username)) {
      const answer = await fetch(`${base}/login/`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ username, password }) });
      assert.equal(answer.status, 204, `${username} can log in`);
      const [name, value] = answer.headers.getSetCookie().find((cookie) => cookie.includes('session')).split(';')[0].split(/=(.*)/);
      this.#sessions.set(username, { name, value, domain: '127.0.0.1', path: '/', httpOnly: true, secure: false, sameSite: 'Lax', expires: -1 });
    }
    return this.#sessions.get(username);
  }
}

export const world = new World();
