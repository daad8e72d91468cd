// Measures how long people wait: for the results of a search after the last key, and for the first content of home and of a list.
// TERRIER_E2E_ROWS says how many sites there are, and TERRIER_E2E_DEMO the size of a demo network; with them a test fails if the median is
// above the goal. Without them there are few records, and the machine may be busy.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { walk } from '../walks.mjs';

const goal = 300; // milliseconds
const rounds = process.env.TERRIER_E2E_ROWS ? 7 : 2;
const rows = Number(process.env.TERRIER_E2E_ROWS || 1000);

// The texts that test/e2e/fill puts into the sites.
const texts = { 'a name': `Depot ${rows / 2}`, 'a word of all names': 'depot', 'a word in 8 % of the sites': 'lighthouse', 'a word in three sites': 'quokka' };

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

// entered presses Enter in the box and returns the milliseconds until the next page has painted its results.
async function entered(v, text) {
  await v.go('/');
  const box = v.page.getByLabel('Search everything');
  await box.fill(text);
  await v.page.evaluate(() => document.addEventListener('keydown', () => sessionStorage.setItem('pressed', performance.timeOrigin + performance.now()), { once: true, capture: true }));
  await v.press(box, { act: (input) => input.press('Enter') });
  return v.page.evaluate(() => new Promise((resolve) => {
    new PerformanceObserver((list, observer) => {
      const painted = list.getEntriesByName('first-contentful-paint')[0];
      if (painted && document.querySelector('.found mark')) {
        observer.disconnect();
        resolve(performance.timeOrigin + Math.max(painted.startTime, performance.getEntriesByType('navigation')[0].domInteractive) - Number(sessionStorage.getItem('pressed')));
      }
    }).observe({ type: 'paint', buffered: true });
  }));
}

// typed puts a text into the box of the search page and returns the milliseconds until its results are painted.
async function typed(v, text) {
  await v.go('/search/');
  const shown = v.page.evaluate(() => new Promise((resolve, reject) => {
    let began;
    setTimeout(() => reject(new Error('nothing was found')), 15_000);
    document.addEventListener('input', () => { began = performance.now(); }, { once: true, capture: true });
    new MutationObserver((_, observer) => {
      if (document.querySelector('.found mark')) {
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
      }
    }).observe(document.getElementById('found'), { childList: true, subtree: true });
  }));
  await v.page.getByLabel('Search everything').fill(text);
  return shown;
}

const demo = process.env.TERRIER_E2E_DEMO; // has sites, devices and prefixes of its own

(demo ? () => {} : walk)('results are shown soon after the last key', async (v, t) => {
  if (!process.env.TERRIER_E2E_ROWS) { // otherwise they are there
    await promisify(execFile)(`${process.env.TERRIER_E2E_WORK}/fill`, [rows]);
  }
  const slow = [];
  for (const [what, text] of Object.entries(texts)) {
    for (const [how, measure] of Object.entries({ 'Enter': entered, 'while typing': typed })) {
      const took = [];
      for (let i = 0; i <= rounds; i++) {
        took.push(await measure(v, text));
      }
      took.shift(); // the first prepares statements
      t.diagnostic(`${rows} sites, ${what}, ${how}: ${median(took).toFixed(0)} ms (${took.map((ms) => ms.toFixed(0)).join(', ')})`);
      if (median(took) > goal) {
        slow.push(`${what}, ${how}`);
      }
    }
  }
  if (process.env.TERRIER_E2E_ROWS) {
    assert.deepEqual(slow, [], `slower than ${goal} ms`);
  }
});

// painted opens a page and returns the milliseconds until its first content is on the screen.
async function painted(v, path) {
  await v.go(path);
  return v.page.evaluate(() => new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const first = list.getEntriesByName('first-contentful-paint')[0];
      if (first) {
        resolve(first.startTime);
      }
    }).observe({ type: 'paint', buffered: true });
  }));
}

walk('home and a list of 50 records are on the screen soon', async (v, t) => {
  const lists = demo ? ['/dcim/devices/?limit=50', '/dcim/interfaces/?limit=50', '/ipam/prefixes/?limit=50'] : ['/dcim/sites/?limit=50'];
  for (const path of ['/', ...lists]) {
    const took = [];
    for (let i = 0; i < 7; i++) {
      took.push(await painted(v, path));
    }
    const typical = process.env.TERRIER_E2E_ROWS || demo ? median(took) : Math.min(...took);
    t.diagnostic(`${path}: ${typical.toFixed(0)} ms (${took.map((ms) => ms.toFixed(0)).join(', ')})`);
    assert.ok(typical <= goal, `${path} took ${typical.toFixed(0)} ms and ${goal} is the most`);
  }
});
