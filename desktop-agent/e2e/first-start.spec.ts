import { expect, test } from '@playwright/test';
import { startStand } from './stand.ts';

test('the first start shows what is collected before anything is sent, and measures once it was read', async () => {
  const stand = await startStand({ hidden: true });
  try {
    const { controlPlane, desktop } = stand;
    const page = await stand.window();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This device measures its network');
    await expect(page.getByText('The icon is in the panel of your desktop, near the clock.')).toBeVisible();
    await page.waitForTimeout(4000);
    expect(controlPlane.received).toEqual([]);
    expect(await stand.tooltip()).toContain('Not started yet');
    desktop.shoot(test.info().outputPath('first-start.png'));

    await page.getByRole('button', { name: 'Start measuring' }).click();
    await expect.poll(() => controlPlane.received.length).toBeGreaterThan(0);
    await expect(page.getByRole('tab', { name: 'Now' })).toHaveAttribute('aria-selected', 'true');
    desktop.shoot(test.info().outputPath('measuring.png'));
  } finally {
    await stand.stop();
  }
});
