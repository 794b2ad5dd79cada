import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import type { ServiceState } from '@svc/contracts/agent/ipc';
import { openWindow, scenario } from './fake-bridge.ts';
import { FAULTS } from './fault-states.ts';

type Language = 'en' | 'de' | 'fr' | 'es';

const pictures = join(import.meta.dirname, '..', '..', 'test-results', 'window-pictures');
const shot = (name: string): string => join(pictures, `${name}.png`);

async function openIn(page: Page, language: Language, shown: ServiceState): Promise<void> {
  const settings = { language, theme: 'light', startAtLogin: true } as const;
  expect(await openWindow(page, scenario({ open: { service: { reachable: true, state: shown }, settings } }))).toEqual([]);
}

const headingOf = (page: Page) => page.getByRole('heading', { level: 1 });

/** All of them side by side, as docs/verdicts.md shows them: docs/images/faults-en.png and faults-de.png are these. */
async function shootTogether(page: Page, name: string, windows: readonly Buffer[]): Promise<void> {
  const images = windows.map((png) => `<img src="data:image/png;base64,${png.toString('base64')}">`);
  await page.setViewportSize({ width: 1272, height: 100 });
  await page.setContent(`<body style="margin:12px;background:#f1f3f5;display:grid;grid-template-columns:repeat(3,400px);gap:24px">
    ${images.join('')}</body>`);
  await page.screenshot({ path: shot(name), fullPage: true });
}

for (const language of ['en', 'de', 'fr', 'es'] as const) {
  test(`each fault leads with words of its own in ${language}, above four layers in a row`, async ({ page, context }) => {
    const windows: Buffer[] = [];
    const said: string[] = [];
    for (const [name, shown] of Object.entries(FAULTS)) {
      await openIn(page, language, shown);
      windows.push(await page.screenshot({ path: shot(`fault-${name}-${language}`) }));
      said.push((await headingOf(page).textContent()) ?? '');
      const [four, row] = await page
        .locator('.layers li')
        .evaluateAll((all) => [all.length, new Set(all.map((one) => one.getBoundingClientRect().top)).size]);
      expect([four, row], name).toEqual([4, 1]);
    }
    expect(new Set(said).size).toBe(said.length);
    await shootTogether(await context.newPage(), `faults-${language}`, windows);
  });
}

test('a sign-in page is no target that nobody chose, and not merely likely', async ({ page }) => {
  await openIn(page, 'en', FAULTS['captive-portal'] as ServiceState);
  await expect(headingOf(page)).toHaveText('Sign-in needed');
  await expect(page.getByText('Not measured: there is no reading from this network yet.')).toBeVisible();
  await expect(page.getByText('sign-in page likely')).toHaveCount(0);
});
