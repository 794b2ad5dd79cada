// Takes pictures of the console for README and docs anew, of the demo: node --conditions=svc-source e2e/pictures.ts [name ...]; all, unless named.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium as playwright } from '@playwright/test';
import { chromium, root } from './env.ts';
import { PICTURES } from './pictures/scenes.ts';
import { claim, startDemo } from './pictures/start-demo.ts';

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in PICTURES));
if (unknown.length > 0)
  throw new Error(`There is no picture ${unknown.join(', ')}; there are ${Object.keys(PICTURES).join(', ')}.`);
const dataDir = mkdtempSync(join(tmpdir(), 'svc-pictures-'));
const demo = await startDemo(dataDir);
const browser = await playwright.launch({
  ...(chromium && { executablePath: chromium }),
  args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic'],
});
try {
  const storageState = await claim(browser, demo.link);
  for (const [name, { themes, height = 1200, open, part }] of Object.entries(PICTURES))
    for (const theme of named.length === 0 || named.includes(name) ? themes : []) {
      const context = await browser.newContext({
        ...{ ignoreHTTPSErrors: true, storageState, colorScheme: theme },
        ...{ viewport: { width: 1440, height }, timezoneId: 'Europe/Lisbon', locale: 'en-GB' },
      });
      const page = await context.newPage();
      await page.goto(new URL('/', demo.link).href);
      await open(page, demo.providers);
      // What is drawn after its data have come, and the pointer's hover gone.
      await page.mouse.move(0, 0);
      await page.waitForTimeout(3000);
      await (part?.(page) ?? page).screenshot({ path: join(root, 'docs', 'images', `${name}-${theme}.png`) });
      await context.close();
    }
} finally {
  await browser.close();
  await demo.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
