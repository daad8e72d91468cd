// Takes the pictures of addresses, VLANs and virtual machines. addresses.mjs looks at the same pages with axe.
import { demo } from '../demo_addresses.mjs';
import { shoot } from '../shoot.mjs';
import { walk } from '../walks.mjs';

// What is shot of each page: how high it is, and what is at the top on a narrow screen.
const shots = { 'prefix-tree': [760], 'prefix-map': [760, '.panel'], 'vlan-group': [760, '.panel'], 'virtual-machine': [760], 'config-context': [900] };

walk('pictures: addresses', (v) => demo(async (pages) => {
  for (const [name, [height, top]] of Object.entries(shots)) {
    await v.go(pages[name]);
    for (const size of [{ height }, { width: 320, height: 700 }]) {
      await v.page.setViewportSize({ width: 1280, ...size });
      if (top && size.width) {
        await v.main.locator(top).first().evaluate((part) => part.scrollIntoView());
      }
      for (const theme of ['light', 'dark']) {
        await shoot(v, name, theme, size);
      }
    }
  }
}));
