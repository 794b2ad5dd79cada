import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { shellAnswers } from '../../testing/examples.ts';
import { openPage } from '../../testing/show.tsx';

const at = '2026-11-26T12:00:00.000Z';
const none = {
  'logs.list': { items: [], next_cursor: null },
  'logs.histogram': { from: at, to: at, step_ms: 60_000, total: 0, steps: [] },
  'logs.facets': { services: [], sampled: 0, attributes: [] },
};

it('asks until now each time that one comes back to it, for the list as for the plot above it', async () => {
  const { server, back } = await openPage('/logs', { ...shellAnswers, ...none });
  await page.getByRole('link', { name: 'look at the last 7 days' }).click();
  await expect.element(page.getByText('No log lines in the last 7 days')).toBeVisible();
  back();
  await expect.element(page.getByText('No log lines in the last hour')).toBeVisible();
  const ends = (name: 'logs.list' | 'logs.histogram') => server.calls(name).map(({ to }) => Date.parse(to ?? ''));
  await expect.poll(() => ends('logs.list').length).toBe(3);
  for (const name of ['logs.list', 'logs.histogram'] as const) expect(ends(name).at(-1)).toBeGreaterThan(ends(name)[0] ?? 0);
});
