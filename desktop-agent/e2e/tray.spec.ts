import { expect, test } from '@playwright/test';
import { startStand } from './stand.ts';

/** Where the panel puts the first icon. */
const ICON = { x: 12, y: 16 };
const shot = (name: string): string => test.info().outputPath(`${name}.png`);

for (const dark of [false, true]) {
  test(`icon, words and menu follow what the service says, on a ${dark ? 'dark' : 'light'} desktop`, async () => {
    const stand = await startStand({ dark });
    const { desktop, controlPlane } = stand;
    try {
      const page = await stand.window();
      await page.getByRole('button', { name: 'Start measuring' }).click();
      await expect.poll(() => controlPlane.received.length).toBeGreaterThan(0);
      await expect
        .poll(async () => (await stand.menu()).slice(-7))
        .toEqual(['Test now', 'Open', 'Pause', 'What was sent', 'Copy for helpdesk', 'About', 'Quit']);
      // A menu that changes while it is open closes.
      await expect.poll(() => stand.tooltip(), { timeout: 60_000 }).toMatch(/^Nothing slow/);
      desktop.click(ICON.x, ICON.y, 3);
      await page.waitForTimeout(1000);
      desktop.shoot(shot('menu'));
      desktop.press('Escape', 'Escape');
      // Keys would have to wait until the panel has drawn each menu, which it tells nobody.
      desktop.choose('For 1 hour');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Paused until/);
      await expect.poll(() => stand.tooltip()).toMatch(/^Paused until .* IT sees/);
      expect(await stand.menu()).toContain('Resume');
      expect(await stand.menu()).toContain('(Test now)');
      await expect.poll(() => controlPlane.statuses.at(-1)?.state).toBe('paused');
      const leftMs = Number(controlPlane.statuses.at(-1)?.paused_until_ms) - Date.now();
      expect(leftMs / 60_000).toBeGreaterThan(58);
      expect(leftMs / 60_000).toBeLessThanOrEqual(60);
      desktop.shoot(shot('paused'));
      const before = controlPlane.received.length;
      await page.waitForTimeout(5000);
      expect(controlPlane.received.length).toBe(before);

      await stand.choose('Resume');
      await expect.poll(() => stand.tooltip()).not.toMatch(/^Paused/);
      await expect.poll(() => controlPlane.received.length).toBeGreaterThan(before);
      await page.waitForTimeout(1000);
      desktop.shoot(shot('measuring'));
    } finally {
      await stand.stop();
    }
  });
}

test('the menu opens the pages it names, also with the window closed', async () => {
  const stand = await startStand();
  try {
    const first = await stand.window();
    await first.getByRole('button', { name: 'Start measuring' }).click();
    await first.getByRole('tab', { name: 'Now' }).waitFor();
    await stand.choose('What was sent');
    await expect(first.getByRole('tab', { name: 'What was sent' })).toHaveAttribute('aria-selected', 'true');
    await stand.closeWindow();
    await stand.choose('About');
    const second = await stand.window();
    await expect(second.getByRole('tab', { name: 'About' })).toHaveAttribute('aria-selected', 'true');
    await stand.choose('Copy for helpdesk');
    await expect(second.getByRole('heading', { name: 'Copy for helpdesk' })).toBeVisible();
    await stand.closeWindow();
    stand.desktop.click(ICON.x, ICON.y);
    const third = await stand.window();
    await expect(third.getByRole('tab', { name: 'Now' })).toHaveAttribute('aria-selected', 'true');
  } finally {
    await stand.stop();
  }
});

test('a desktop without a tray is told once, the launcher opens the window, and a tray that comes later is used', async () => {
  const stand = await startStand({ tray: false, hidden: true });
  const { desktop } = stand;
  try {
    const page = await stand.window();
    await expect(page.getByText('This desktop shows no tray icons: open Network check from your applications.')).toBeVisible();
    desktop.shoot(shot('no-tray'));
    await page.getByRole('button', { name: 'Start measuring' }).click();
    await stand.closeWindow();
    expect(await stand.startAgain()).toBe(0);
    await (await stand.window()).getByRole('tab', { name: 'Now' }).waitFor();

    await desktop.startPanel();
    await stand.closeWindow();
    await expect
      .poll(
        async () => {
          desktop.click(ICON.x, ICON.y);
          await new Promise((resolve) => setTimeout(resolve, 500));
          return stand.app.windows().length;
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    desktop.shoot(shot('tray-came'));
  } finally {
    await stand.stop();
  }
});
