import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { startStand } from './stand.ts';

/** Proportional set size, kB: what processes share counts once over all of them. */
async function readPss(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
}

/** With the window closed, MiB; what is published is in docs/figures/agent.json. */
const MOST_MIB = 200;

test('what icon and window hold in memory is shown beside the service, and without a window it is bounded', async () => {
  const stand = await startStand();
  try {
    const { app } = stand;
    const page = await stand.window();
    await page.getByRole('button', { name: 'Start measuring' }).click();
    await page.getByRole('tab', { name: 'About' }).click();
    await expect(page.getByText('Memory, icon and window')).toBeVisible();
    await expect(page.getByText(/MB with the window open/)).toBeVisible();
    const measure = async () => {
      const processes = await app.evaluate((electron) =>
        electron.app.getAppMetrics().map(({ pid, type, memory }) => ({ pid, type, workingSetKb: memory.workingSetSize })),
      );
      const pss = await Promise.all(processes.map(({ pid }) => readPss(pid)));
      const mib = (kb: number) => Math.round(kb / 102.4) / 10;
      return {
        processes: processes.map(({ type }) => type),
        workingSetMib: mib(processes.reduce((sum, { workingSetKb }) => sum + workingSetKb, 0)),
        pssMib: mib(pss.reduce((sum, kb) => sum + kb, 0)),
      };
    };
    const open = await measure();
    await stand.closeWindow();
    await new Promise((resolve) => setTimeout(resolve, 5000));
    const closed = await measure();
    process.stdout.write(`${JSON.stringify({ open, closed })}\n`);
    expect(closed.pssMib).toBeGreaterThan(10);
    expect(closed.pssMib).toBeLessThan(MOST_MIB);
  } finally {
    await stand.stop();
  }
});
