import type { DiscoveredList } from '@svc/contracts/proposals/proposal';
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { me, shellAnswers } from '../../../testing/examples.ts';
import { type Answers, Refusal, WAITING } from '../../../testing/fake-server.ts';
import { openPage } from '../../../testing/show.tsx';
import { testRow } from '../../../testing/test-examples.ts';

const item = (host: string): DiscoveredList['items'][number] => ({
  test: { name: host, type: 'https', target: `https://${host}/`, interval_seconds: 60 },
  ...{ rationale: 'Real users visit it.', author: 'heuristic', fields: {}, reasons: {}, secrets: [] },
  ...{ host, reason: 'Real users visit it.', value: 'A test tells an outage before users do.' },
  evidence: [{ source: 'users', sentence: `Real users visit ${host}.`, count: 1 }],
});
const list = (hosts: readonly string[], more: Partial<DiscoveredList> = {}): DiscoveredList => ({
  ...{ items: hosts.map(item), next_cursor: null, nothing: null, dismissed: [] },
  ...more,
});
const open = (more: Answers) =>
  openPage('/unwatched', {
    ...shellAnswers,
    'identity.me': me(['test.read', 'test.write']),
    'tests.create': testRow('made'),
    'ai.dismiss': (input) => input,
    'ai.restore': (input) => input,
    ...more,
  });

it('takes several at once through one review', async () => {
  const { server } = await open({ 'ai.discover': list(['a.example', 'b.example', 'c.example']) });
  await expect.element(page.getByRole('heading', { name: '3 hosts are not watched yet.' })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  for (const host of ['a.example', 'c.example']) await page.getByRole('checkbox', { name: `Take ${host}` }).click();
  await page.getByRole('button', { name: 'Review 2' }).click();
  await expect.element(page.getByRole('heading', { name: 'Create these 2 tests?' })).toBeVisible();
  expect(server.calls('tests.create')).toEqual([]);
  expect(await findBarriers()).toEqual([]);
  await page.getByRole('button', { name: 'Create 2 tests' }).click();
  await expect
    .poll(() => server.calls('tests.create').map(({ test }) => test.target))
    .toEqual(['https://a.example/', 'https://c.example/']);
});

it('dismisses a host and takes that back', async () => {
  const { server } = await open({ 'ai.discover': list(['a.example'], { dismissed: ['old.example'] }) });
  await page.getByRole('button', { name: 'Dismiss a.example' }).click();
  await page.getByRole('button', { name: 'Take back old.example' }).click();
  await expect.poll(() => server.calls('ai.restore')).toEqual([{ host: 'old.example' }]);
  expect(server.calls('ai.dismiss')).toEqual([{ host: 'a.example' }]);
});

it('says why there is nothing, that it is loading, and what failed', async () => {
  await open({ 'ai.discover': list([], { nothing: 'All that was seen has a test.' }) });
  await expect.element(page.getByText('All that was seen has a test.')).toBeVisible();
  await open({ 'ai.discover': WAITING });
  await expect.element(page.getByText('Not watched yet, loading')).toBeInTheDocument();
  await open({ 'ai.discover': new Refusal('unavailable', 'The store is away.') });
  await expect.element(page.getByText(/The store is away/)).toBeVisible();
});
