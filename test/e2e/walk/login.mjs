import assert from 'node:assert/strict';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

async function logIn(v, password, options) {
  await v.label('User name').fill('admin');
  await v.label('Password').fill(password);
  await v.press('Log in', options);
}

walk('logging in and out', { user: null }, async (v) => {
  await v.go('/dcim/sites/?status=planned');
  assert.equal(new URL(v.page.url()).pathname, '/login/', 'strangers are asked who they are');
  await logIn(v, 'not the password', { status: 403 });
  await v.main.getByRole('alert').waitFor();
  assert.equal(await v.label('User name').inputValue(), 'admin', 'the name need not be typed again');
  assert.equal(await v.label('Password').inputValue(), '', 'the password is not sent back');

  await logIn(v, world.password);
  assert.equal(v.page.url(), `${world.base}/dcim/sites/?status=planned`, 'the page they wanted');

  await v.page.locator('.user-menu summary').click();
  await v.press('Log out');
  await v.sees('You are logged out.');
  await v.go('/');
  assert.equal(new URL(v.page.url()).pathname, '/login/', 'the session is over');
});

walk('errors are pages that people understand', async (v) => {
  await v.go('/dcim/sites/999999999/', { status: 404 });
  await v.sees('Nothing is here', 'Request id:');
  await v.go('/no/such/page/', { status: 404 });
  await v.go('/dcim/sites/?nonsense=1', { status: 400 });
  await v.sees('This can\'t be done');
});

walk('what is asked of strangers leaves no trace', { user: null }, async (v) => {
  await v.go('/login/?next=/dcim/sites/');
  await v.go('/api/');
});
