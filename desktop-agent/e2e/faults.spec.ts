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
    await expect.poll(() => stand.tooltip()).toContain('The measurement service is not responding');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('The measurement service is not responding');
    stand.desktop.shoot(test.info().outputPath('gone.png'));
    await expect.poll(() => stand.services().filter((pid) => pid !== first).length).toBe(1);
    await expect.poll(() => stand.tooltip()).not.toContain('does not answer');
    await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('The measurement service is not responding');
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

test('a signal ends face and service in good order', async () => {
  const stand = await startStand();
  const page = await stand.window();
  await page.getByRole('button', { name: 'Start measuring' }).click();
  await page.getByRole('tab', { name: 'Now' }).waitFor();
  const gone = new Promise((resolve) => stand.app.process().once('exit', resolve));
  kill(stand.app.process().pid ?? 0, 'SIGTERM');
  expect(await gone).toBe(0);
  expect(stand.services()).toEqual([]);
  await stand.desktop.stop();
  await stand.controlPlane.close();
});

test('offline is said with since when and what waits, and ends when the server is back', async () => {
  const stand = await startStand();
  const { controlPlane } = stand;
  try {
    const page = await stand.window();
    await stand.calm();
    await page.getByRole('button', { name: 'Start measuring' }).click();
    await expect.poll(() => controlPlane.received.length).toBeGreaterThan(0);
    await expect.poll(() => stand.tooltip(), { timeout: 60_000 }).toMatch(/^Nothing slow/);
    await controlPlane.stopListening();
    await expect
      .poll(() => stand.tooltip(), { timeout: 30_000 })
      .toMatch(/^Offline since \d?\d:\d\d(\s[AP]M)?\. \d+ readings? waits? here/);
    stand.desktop.shoot(test.info().outputPath('offline.png'));
    const before = controlPlane.received.length;
    await controlPlane.listen();
    await expect.poll(() => stand.tooltip(), { timeout: 40_000 }).toMatch(/^Nothing slow/);
    await expect.poll(() => controlPlane.received.length).toBeGreaterThan(before);
  } finally {
    await stand.stop();
  }
});

test('where policy asks for an answer a decline is respected, seen by IT, and may be taken back', async () => {
  const stand = await startStand();
  const { controlPlane } = stand;
  try {
    const page = await stand.window();
    await stand.calm({ mustAccept: true });
    await page.getByRole('button', { name: 'Decline' }).click();
    await expect.poll(() => controlPlane.statuses.at(-1)?.state).toBe('declined');
    await expect.poll(() => stand.tooltip()).toMatch(/^You declined/);
    expect(await stand.menu()).toContain('(Test now)');
    expect(await stand.menu()).toContain('(Pause)');
    stand.desktop.shoot(test.info().outputPath('declined.png'));
    await page.waitForTimeout(4000);
    expect(controlPlane.received).toEqual([]);
    await page.getByRole('button', { name: 'See what is collected' }).click();
    await page.getByRole('button', { name: 'Accept' }).click();
    await expect.poll(() => controlPlane.received.length).toBeGreaterThan(0);
    await expect.poll(() => controlPlane.statuses.at(-1)?.state).toBe('running');
  } finally {
    await stand.stop();
  }
});
