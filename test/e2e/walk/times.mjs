// Times are shown and typed in the zone of the browser, and stored in UTC.
import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

// What the clocks of each zone show at 2031-07-02T03:04:05Z, and when it is noon there on 2031-01-31. `twice` is a time that they show twice, with
// the two moments; `skipped` is one that they never show.
const zones = {
  'Europe/Amsterdam': { summer: '05:04:05', noon: '11:00:00', twice: ['2031-10-26T02:30', '2031-10-26T00:30:00', '2031-10-26T01:30:00'], skipped: '2031-03-30T02:30' },
  'America/St_Johns': { summer: '00:34:05', noon: '15:30:00', twice: ['2031-11-02T01:30', '2031-11-02T04:00:00', '2031-11-02T05:00:00'], skipped: '2031-03-09T02:30' },
  'Asia/Kathmandu': { summer: '08:49:05', noon: '06:15:00' },
};

const expiry = async (token) => (await world.api('GET', `/api/users/tokens/${token.id}/`)).expires;

for (const [zone, at] of Object.entries(zones)) {
  walk(`what is typed in ${zone} is what is stored`, { zone }, async (v) => {
    const token = await world.api('POST', '/api/users/tokens/', { expires: '2031-07-02T03:04:05.5Z', description: zone });
    const edit = `/user/tokens/${token.id}/edit/`;
    const input = v.main.locator('#id_expires');
    const save = async (typed, second) => {
      await v.go(edit);
      await input.fill(typed);
      if (second) {
        await v.main.locator('.which-time select').selectOption({ index: 1 });
      }
      await v.press('Save');
      return expiry(token);
    };

    await v.go(edit);
    assert.equal(await input.inputValue(), `2031-07-02T${at.summer}`);
    const named = await v.page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone); // browsers differ: Katmandu
    assert.deepEqual(await v.page.locator('[data-zone]').allInnerTexts(), [named, named], 'the input and the page name the zone');
    await v.main.locator('#id_description').fill('another description');
    await v.press('Save');
    assert.equal(await expiry(token), '2031-07-02T03:04:05.500000Z', 'a time that nobody touched');

    assert.equal(await save('2031-01-31T12:00'), `2031-01-31T${at.noon}.000000Z`);
    if (at.twice) {
      const [typed, first, second] = at.twice;
      assert.equal(await save(typed), `${first}.000000Z`);
      assert.equal(await save(typed, true), `${second}.000000Z`);
      await v.go(edit);
      assert.equal(await input.inputValue(), typed);
      assert.deepEqual(await v.outOfReach('an hour that happens twice'), []);
      await v.main.locator('#id_description').fill('once more');
      await v.press('Save');
      assert.equal(await expiry(token), `${second}.000000Z`, 'the second hour stays the second');

      await v.go(edit);
      await input.fill(at.skipped);
      await v.main.getByRole('button', { name: 'Save' }).click();
      assert.match(await input.evaluate((e) => e.validationMessage), /skip this time/);
      assert.equal(new URL(v.page.url()).pathname, edit, 'nothing was sent');
      await v.main.locator('select[name=lifetime]').selectOption('never');
      await v.press('Save');
      assert.equal(await expiry(token), null, 'an input that is not shown holds nobody up');
    }
  });
}

walk('times in lists, filters, and on record pages', { zone: 'Asia/Kathmandu' }, async (v) => {
  const before = new Date(Date.now() - 5000);
  const site = await world.api('POST', '/api/dcim/sites/', { name: 'Patan 1', slug: 'patan-1' });
  const changes = '/extras/object-changes/';
  await v.page.clock.install();
  await v.go(`${changes}?changed_object_type=dcim.site&changed_object_id=${site.id}`);
  const time = v.main.locator('tbody time').first();
  assert.equal(await time.innerText(), 'just now');
  await v.page.clock.fastForward(5 * 60_000);
  assert.equal(await time.innerText(), '5 minutes ago');
  const [, local, utc] = (await time.getAttribute('title')).match(/^(\S+ \S+) Asia\/\w+\n(\S+ \S+) UTC$/);
  assert.equal(new Date(`${local}+05:45`).getTime(), new Date(`${utc}Z`).getTime());
  assert.ok(new Date(`${utc}Z`) >= new Date(before.setMilliseconds(0)));

  await v.main.locator('details.filters > summary').click();
  await v.main.locator('input[name=time__lte]').fill('2031-01-31T12:00');
  await v.press('Apply');
  assert.equal(new URL(v.page.url()).searchParams.get('time__lte'), '2031-01-31T06:15:00Z');
  assert.equal(await v.main.locator('input[name=time__lte]').inputValue(), '2031-01-31T12:00');
  assert.equal(await v.main.locator('.chip time').innerText(), '2031-01-31 12:00:00');

  await v.go(`${changes}?time__gte=2026-01-31T12:00:00.25Z&time__lt=2031-02-01T00:00:00Z`);
  await v.main.locator('details.filters > summary').click();
  await v.press('Apply');
  const { searchParams } = new URL(v.page.url());
  assert.deepEqual([searchParams.get('time__gte'), searchParams.get('time__lt')], ['2026-01-31T12:00:00.25Z', '2031-02-01T00:00:00Z']);

  await v.go(`/dcim/sites/${site.id}/`);
  const created = v.main.locator('.fields time').first();
  await created.focus();
  assert.match(await created.evaluate((e) => getComputedStyle(e, '::after').content), /Asia\/.*UTC/s);
  assert.deepEqual(await v.outOfReach('a time with the focus'), []);
});

for (const [clock, wrong, minutes] of [['slow', -2, 30], ['fast', 2, 40]]) {
  walk(`times in words are right although the clock of the browser is ${clock}`, async (v) => {
    const site = await world.api('POST', '/api/dcim/sites/', { name: `Clock ${clock}`, slug: `clock-${clock}` });
    const expires = new Date(Date.now() + (minutes + 0.9) * 60_000).toISOString().replace(/\.\d+Z/, 'Z');
    await world.api('POST', '/api/users/tokens/', { expires, description: `expires while the clock is ${clock}` });
    await v.page.clock.install({ time: Date.now() + wrong * 60_000 });
    await v.go(`/extras/object-changes/?changed_object_type=dcim.site&changed_object_id=${site.id}`);
    const time = v.main.locator('tbody time').first();
    assert.equal(await time.innerText(), 'just now');
    await v.page.clock.fastForward(3 * 60_000);
    assert.equal(await time.innerText(), '3 minutes ago');
    await v.page.clock.setSystemTime(Date.now() + wrong * 60_000);
    await v.go('/user/tokens/');
    assert.equal(await v.main.locator(`time[datetime="${expires}"]`).innerText(), `in ${minutes} minutes`);
  });
}

walk('times of a replay, of a sample, and in what refreshes itself', { zone: 'America/St_Johns' }, async (v) => {
  const hook = await world.api('POST', '/api/extras/webhooks/', { name: 'Replayed at noon', content_types: ['dcim.site'], type_create: true, payload_url: `${world.receiver.url}noon` });
  const page = `/extras/webhooks/${hook.id}/`;
  await v.go(`${page}replay/`);
  await v.main.locator('#id_since').fill('2031-01-31T12:00');
  await v.press('Count');
  assert.equal(new URL(v.page.url()).searchParams.get('since'), '2031-01-31T15:30:00Z');
  await v.sees('No change matches');
  assert.equal(await v.main.locator('#id_since').inputValue(), '2031-01-31T12:00');

  await v.go(`${page}test/`);
  assert.match(await v.main.locator('#id_sample option').first().innerText(), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [a-z]/, 'without UTC');

  await v.go('/system/tasks/');
  await v.live(() => v.page.evaluate(() => new Promise((swapped) => { document.addEventListener('htmx:afterSwap', swapped, { once: true }); })), '#tasks-live time');
  assert.doesNotMatch(await v.main.innerText(), /UTC/);
});

walk('without JavaScript times are in UTC, and say so', { zone: 'Asia/Kathmandu', javaScript: false }, async (v) => {
  const token = await world.api('POST', '/api/users/tokens/', { expires: '2031-07-02T03:04:05Z' });
  await v.go(`/user/tokens/${token.id}/edit/`);
  assert.equal(await v.main.locator('#id_expires').inputValue(), '2031-07-02T03:04:05');
  assert.match(await v.main.locator('#id_expires_help').innerText(), /In UTC\./);
  await v.main.locator('#id_expires').fill('2031-01-31T12:00');
  await v.press('Save');
  assert.equal(await expiry(token), '2031-01-31T12:00:00.000000Z');
  await v.sees('2031-01-31 12:00:00 UTC');
});
