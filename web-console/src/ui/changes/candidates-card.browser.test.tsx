import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { me, shellAnswers } from '../../testing/examples.ts';
import { Refusal, startFakeServer, WAITING } from '../../testing/fake-server.ts';
import { show } from '../../testing/show.tsx';
import { CandidatesCard } from './candidates-card.tsx';
import { candidateOf, changeOf, incidentChangesOf } from './test-changes.ts';

const INCIDENT = '01990000-0000-7000-8000-000000000094';
const older = candidateOf({
  change: changeOf({
    id: '01990000-0000-7000-8000-00000000c002',
    number: 11,
    kind: 'route',
    title: 'Route moved',
    url: null,
    target: null,
    prefix: '203.0.113.0/24',
  }),
  score: 0.61,
  sentence: 'overlapping prefixes 0.7 x 0.6 + 12 hours before x 0.4 = 0.620',
  verdict: { verdict: 'ruled_out', by: { id: 'ben', name: 'Ben' }, at: '2026-11-24T14:20:00.000Z' },
});

async function open(found: object | Refusal, permissions: Parameters<typeof me>[0] = ['incident.read', 'incident.write']) {
  const server = startFakeServer({
    ...shellAnswers,
    'identity.me': me(permissions),
    'changes.ofIncident': found as never,
    'changes.judge': undefined as never,
  });
  await show(<CandidatesCard incident={INCIDENT} />);
  return server;
}

it('ranks candidates, takes each score apart and says what was dropped', async () => {
  await open(incidentChangesOf([candidateOf(), older]));
  const [first, second] = [page.getByRole('listitem').nth(0), page.getByRole('listitem').nth(1)];
  await expect
    .element(first.getByRole('link', { name: 'shop main (f95f852) to production' }))
    .toHaveAttribute('href', 'https://github.test/acme/shop');
  // Whether or not its sender gave it an address.
  await expect
    .element(first.getByRole('link', { name: 'Deployment 12' }))
    .toHaveAttribute('href', '/changes?text=%2312&from=2026-11-24T13:22:18Z&to=2026-11-24T14:22:18Z');
  await expect.element(first.getByText('exact target 1.0 x 0.6 + 11 minutes before x 0.4 = 0.997')).toBeVisible();
  await expect.element(second.getByText(/Ruled out/)).toBeVisible();
  await expect.element(page.getByText(/2 fit, 2 happened elsewhere, 1 names no target/)).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('marks one as the cause, and takes back what was said', async () => {
  const server = await open(incidentChangesOf([candidateOf(), older]));
  await page.getByRole('button', { name: 'This caused it: shop main (f95f852) to production' }).click();
  await expect
    .poll(() => server.calls('changes.judge').at(-1))
    .toEqual({ id: INCIDENT, change: candidateOf().change.id, verdict: 'cause' });
  await page.getByRole('button', { name: 'Take back: Route moved' }).click();
  await expect.poll(() => server.calls('changes.judge').at(-1)).toMatchObject({ verdict: null });
});

it('of none says what was looked at, and a reader judges nothing', async () => {
  await open(incidentChangesOf([]), ['incident.read']);
  await expect.element(page.getByText('no candidate')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('loads, and says why it failed', async () => {
  await open(WAITING as never);
  await expect.element(page.getByText('Changes before the incident, loading')).toBeInTheDocument();
  await open(new Refusal('internal', 'It broke.'));
  await expect.element(page.getByText(/It broke/)).toBeVisible();
});
