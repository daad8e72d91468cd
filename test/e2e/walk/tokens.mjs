import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

walk('a token is made, copied, used, edited and revoked', { permissions: ['clipboard-read', 'clipboard-write'] }, async (v) => {
  await v.go('/');
  await v.page.locator('.user-menu summary').click();
  await v.press(v.page.locator('.user-menu').getByRole('link', { name: 'API tokens' }));
  await v.follow('Add a token');
  await v.main.locator('#id_description').fill('Nightly inventory job');
  await v.main.locator('select[name=lifetime]').selectOption('30d');
  assert.ok(await v.main.locator('input[name=write_enabled]').isChecked(), 'a token may write by default');
  await v.main.locator('#id_key').fill('too short');
  await v.press(v.main.locator('form button.btn-primary'), { status: 400 });
  await v.main.locator('#id_key_errors').waitFor();
  await v.inReach('a refused token');
  await v.main.locator('#id_key').fill('');
  await v.press(v.main.locator('form button.btn-primary'));
  await v.sees('Copy the key now: it will not be shown again.');
  await v.inReach('a token just made');

  await v.main.getByRole('button', { name: 'Copy the key' }).click();
  await v.page.locator('[data-copied]').waitFor();
  const key = await v.page.evaluate(() => navigator.clipboard.readText());
  assert.match(key, /^[0-9a-f]{40}$/);
  await v.main.getByRole('button', { name: 'Copy the header' }).click();
  await v.page.waitForFunction(async (text) => await navigator.clipboard.readText() === text, `Authorization: Token ${key}`);
  assert.equal((await world.ask('GET', '/api/dcim/sites/', undefined, key)).status, 200);

  await v.follow('I have copied it');
  const row = v.main.locator('tbody tr', { hasText: 'Nightly inventory job' });
  await row.waitFor();
  assert.doesNotMatch(await v.page.content(), new RegExp(key), 'the key is not shown again');
  await v.eventually('the token was used', async () => !/never/.test(await row.locator('td').nth(4).innerText()));

  await v.press(row.getByRole('link', { name: /^Edit/ }));
  await v.main.locator('input[name=write_enabled]').uncheck();
  await v.main.locator('#id_allowed_ips').fill('127.0.0.1/32');
  await v.press(v.main.locator('form button.btn-primary'));
  await v.sees('Saved token');
  assert.match(await row.innerText(), /read only/);
  assert.equal((await world.ask('POST', '/api/dcim/sites/', {}, key)).status, 403);

  await v.press(row.getByRole('link', { name: /^Revoke/ }));
  await v.inReach('the revocation of a token');
  await v.press('Revoke');
  await v.sees('Revoked token');
  assert.equal((await world.ask('GET', '/api/dcim/sites/', undefined, key)).status, 403);
});

walk('the profile, and another password', async (v) => {
  await v.go('/user/');
  await v.sees('Everything: you are a superuser.');
  await v.follow('Password', { within: v.main });
  await v.main.locator('#id_old').fill('not my password');
  await v.main.locator('#id_new').fill('quite another password');
  await v.main.locator('#id_again').fill('quite another password');
  await v.press('Change password', { status: 400 });
  await v.sees('This is not your password.');
  await v.inReach('a refused password');
});
