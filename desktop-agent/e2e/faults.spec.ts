import { kill } from 'node:process';
import { expect, test } from '@playwright/test';
import { startStand } from './stand.ts';

test('a service that is killed is said to be gone, and started again; the window heals by itself', async () => {
  const stand = await startStand();
  try {
    const page = await stand.window();
    await page.getByRole('button', { name: 'Start measuring' }).click();
    await page.getByRole('tab', { name: 'Now' }).waitFor();
    const [first] = stand.services();
    expect(first).toBeGreaterThan(0);
    kill(first ?? 0, 'SIGKILL');
    await expect.poll(() => stand.tooltip()).toContain('The measuring service does not answer');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('The measuring service does not answer');
    stand.desktop.shoot(test.info().outputPath('gone.png'));
    await expect.poll(() => stand.services().filter((pid) => pid !== first).length).toBe(1);
    await expect.poll(() => stand.tooltip()).not.toContain('does not answer');
    await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('The measuring service does not answer');
  } finally {
    await stand.stop();
  }
  expect(stand.services()).toEqual([]);
});

test('when the face is killed its service ends with it', async () => {
  const stand = await startStand();
  const page = await stand.window();
  await page.getByRole('button', { name: 'Start measuring' }).click();
  await expect.poll(() => stand.controlPlane.received.length).toBeGreaterThan(0);
  const { pid } = stand.app.process();
  kill(pid ?? 0, 'SIGKILL');
  await expect.poll(() => stand.services(), { timeout: 20_000 }).toEqual([]);
  await stand.desktop.stop();
  await stand.controlPlane.close();
});
