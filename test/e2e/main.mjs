// Runs the tests of walk/ in one process. They share a browser, the records and the list of visited pages. No test depends on another,
// so most run in parallel.
import { after, describe, it } from 'node:test';
import { parseArgs } from 'node:util';
import { walks } from './walks.mjs';
import { world } from './world.mjs';

const { values: options } = parseArgs({ options: { only: { type: 'string' }, quick: { type: 'boolean' }, screenshots: { type: 'boolean' },
  headed: { type: 'boolean' } } });

const stages = options.screenshots ? [{ name: 'pictures', files: ['screenshots'] }] : [
  { name: 'one by one, while the records are few', files: ['worker'] },
  { name: 'side by side', atOnce: 3, files: ['login', 'frame', 'search', 'lists', 'forms', 'record', 'images', 'bulk', 'transfer', 'changes', 'tokens', 'times', 'admin', 'webhooks', 'conditions', 'tasks', 'health', 'api', 'types', 'racks', 'addresses', 'nojs', 'keyboard', 'errands',
    'looks', 'xss'] },
  { name: 'one by one, at the end', files: ['crowd', 'speed', ...(options.only ? [] : ['coverage'])] },
];

const chosen = options.only?.split(',');
const unknown = chosen?.filter((file) => !stages.some((stage) => stage.files.includes(file))) ?? [];
if (unknown.length > 0) {
  console.error(`there is no ${unknown.join(', ')}: --only takes some of ${stages.flatMap((stage) => stage.files).join(',')}`);
  process.exit(2);
}

await world.open(options);
for (const stage of stages) {
  for (const file of stage.files.filter((file) => chosen?.includes(file) ?? true)) {
    await import(`./walk/${file}.mjs`);
  }
  stage.tests = walks.splice(0);
}

after(() => world.close());
for (const { name, atOnce, tests } of stages.filter((stage) => stage.tests.length > 0)) {
  describe(name, { concurrency: atOnce ?? 1 }, () => {
    for (const { name: title, steps } of tests) {
      it(title, { timeout: 600_000 }, steps); // some take a minute; each action has its own limit
    }
  });
}
