import { walk } from '../walks.mjs';

walk('a superuser sees what is wrong, and asks for the hosts of webhooks too', async (v) => {
  await v.go('/system/health/');
  await v.sees('Health', 'Settings', 'Database', 'terrier doctor');
  await v.press('Check the hosts of webhooks too');
  await v.sees('Webhooks', 'certificate');
  await v.inReach('the health with the hosts of webhooks');
});
