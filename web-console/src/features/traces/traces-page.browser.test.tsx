import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { FoundTrace, Scatter } from '../../api-types.ts';
import { findBarriers } from '../../testing/accessibility.ts';
import { shellAnswers } from '../../testing/examples.ts';
import type { Answers } from '../../testing/fake-server.ts';
import { openPage } from '../../testing/show.tsx';

const to = new Date().toISOString();
const from = new Date(Date.now() - 3_600_000).toISOString();
const scatter: Scatter = { of: 'roots', from, to, total: 1, errors: 1, p50_ms: 9, p95_ms: 9, p99_ms: 9, points: [] };
const service = { name: 'web', spans: 2, errors: 1, p95_ms: 9 };
const trace: FoundTrace = {
  trace_id: '1'.repeat(32),
  root: { service: 'web', name: 'POST /checkout', seen: true, duration_ms: 5000 },
  ...{ started_at: to, duration_ms: 5100, spans: 2, errors: 1, services: [{ name: 'web', spans: 2 }], service_count: 1 },
};
const answers: Answers = {
  ...shellAnswers,
  'savedViews.list': { items: [], may_save: true, may_share: false, may_delete_any: false },
  'traces.scatter': scatter,
  'traces.latency': { of: 'roots', from, to, step_ms: 60_000, steps: [] },
  'traces.facets': { services: [service], operations: [], attributes: [], sampled: 2, any: true },
  'traces.spans': { items: [], next_cursor: null },
  'traces.list': ({ of = 'spans' }) => ({ items: [trace], of, next_cursor: null }),
};

it('lists what its headline counts once a filter is set, and leads to the failed spans of other requests', async () => {
  const { server, at } = await openPage('/traces?status=error', answers);
  await expect.element(page.getByText('1 trace, that is all')).toBeVisible();
  expect(server.calls('traces.list').map(({ of }) => of)).toEqual(['roots']);
  expect(await findBarriers()).toEqual([]);
  await page.getByRole('button', { name: 'Show all failed spans' }).click();
  await expect.poll(at).toContain('view=spans');
});

it('says of a trace how long its root took, as the page of the trace does', async () => {
  await openPage('/traces', answers);
  await expect.poll(() => document.querySelector('[title^="Its last span ended after 5.1"]')?.textContent).toMatch(/^5\.0/);
});

it('without a filter lists traces whose root never arrived too', async () => {
  const { server } = await openPage('/traces', answers);
  await expect.element(page.getByText('1 trace, that is all')).toBeVisible();
  expect(server.calls('traces.list').map(({ of }) => of)).toEqual(['spans']);
});
