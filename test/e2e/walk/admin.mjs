import assert from 'node:assert/strict';
import { Visitor } from '../visitor.mjs';
import { walk } from '../walks.mjs';
import { world } from '../world.mjs';

walk('a user, a group and a permission are made by form, and the user sees only what they may', async (v) => {
  await v.go('/users/groups/add/');
  await v.main.locator('#id_name').fill('Field engineers');
  await v.press('Create');

  await v.go('/users/users/add/');
  await v.main.locator('#id_username').fill('joana');
  await v.main.locator('#id_password').fill(world.password);
  await v.main.locator('#id_groups').fill('Field engineers');
  await v.main.locator('input[name=manage_tokens]').uncheck();
  await v.press('Create');
  await v.sees('joana', 'Field engineers');
  assert.doesNotMatch(await v.page.content(), new RegExp(world.password));

  await v.go('/users/permissions/add/');
  await v.main.locator('#id_name').fill('Portuguese sites');
  await v.main.locator('input[name=object_types][value="dcim.site"]').check();
  for (const action of ['view', 'change']) {
    await v.main.locator(`input[name=actions][value=${action}]`).check();
  }
  await v.main.locator('#id_constraints').fill('{"region__slug": "portugal"');
  await v.main.locator('#id_groups').fill('Field engineers');
  await v.press('Create', { status: 400 });
  await v.sees(/not JSON/);
  await v.main.locator('#id_constraints').fill('{"region__slug": "portugal"}');
  await v.press('Create');
  await v.sees('Portuguese sites');

  const joana = await Visitor.open({ user: 'joana' });
  try {
    await joana.go('/');
    assert.deepEqual(await joana.page.locator('.sidebar a').allInnerTexts(), ['Close', 'Sites']);
    await joana.go('/dcim/sites/');
    assert.equal(await joana.main.getByRole('link', { name: 'Add', exact: true }).count(), 0);
    assert.equal(await joana.main.getByRole('link', { name: 'Import', exact: true }).count(), 0);
    assert.equal(await joana.main.getByRole('button', { name: 'Delete selected' }).count(), 0);
    assert.equal(await joana.main.getByRole('button', { name: 'Edit selected' }).count(), 1);
    assert.ok((await joana.main.locator('tbody th a').allInnerTexts()).every((name) => !/Berlin|Paris/.test(name)));
    await joana.press(joana.main.locator('tbody th a').first());
    assert.equal(await joana.main.getByRole('link', { name: 'Delete', exact: true }).count(), 0);
    assert.equal(await joana.main.getByRole('link', { name: 'Edit', exact: true }).count(), 1);
    await joana.inReach('a record that may not be deleted');
    const paris = (await world.api('GET', '/api/dcim/sites/?name=Paris%201')).results[0];
    await joana.go(`/dcim/sites/${paris.id}/`, { status: 404 });
    await joana.go('/dcim/sites/add/', { status: 403 });
    await joana.sees('You may not do this');
    await joana.inReach('a page that is forbidden');
    await joana.go('/extras/webhooks/', { status: 403 });
    await joana.go('/user/tokens/');
    await joana.sees('An administrator removed your permission to create and change tokens.');
    assert.equal(await joana.main.getByRole('link', { name: 'Add a token' }).count(), 0);
    await joana.inReach('tokens that may not be made');
    await joana.go('/user/');
    await joana.sees('What you may do', 'Sites');
    await joana.inReach('the profile of a user with few permissions');

    await joana.go('/user/password/');
    await joana.main.locator('#id_old').fill(world.password);
    await joana.main.locator('#id_new').fill('quite another password');
    await joana.main.locator('#id_again').fill('quite another password');
    await joana.press('Change password');
    await joana.sees('Changed your password');
  } catch (error) {
    await joana.leaveTraces('joana');
    throw error;
  } finally {
    await joana.close();
  }
});
