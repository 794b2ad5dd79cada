import type { GovernanceView } from '@svc/contracts/governance/policy';
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { me, shellAnswers } from '../../testing/examples.ts';
import { Refusal, WAITING } from '../../testing/fake-server.ts';
import { openPage } from '../../testing/show.tsx';

const policy = (more: Partial<GovernanceView> = {}): GovernanceView => ({
  ...{ classification: {}, redact_from: 'pii', redact_export: false, ai_remote_egress: false, updated_at: null, ...more },
});

const open = (governance: GovernanceView | Refusal | typeof WAITING) => {
  sessionStorage.clear();
  return openPage('/settings?tab=incidents', {
    ...shellAnswers,
    'identity.me': me(['incident.read']),
    'incidents.pulse': { open: 0, unacknowledged: 0, revision: '1' },
    'incidents.settings.get': { auto_resolve_minutes: 15, edge_failing: false },
    'governance.get': governance,
  });
};
const card = () => page.getByRole('region', { name: 'Models and assistants elsewhere' });
/** The card's sentences go on behind what a test looks for. */
const PART = { exact: false };
const resolvesAfter = () => page.getByRole('textbox', { name: 'An incident resolves after' });

it('says that nothing leaves before anybody consented, and who may record it', async () => {
  await open(policy());
  await expect.element(card().getByText('No consent: nothing of this tenant’s telemetry goes to a model', PART)).toBeVisible();
  await expect.element(card().getByText('set by whoever operates this server', PART)).toBeVisible();
  expect(card().element().querySelector('time')).toBeNull();
  expect(card().element().querySelector('button, input, a')).toBeNull();
  expect(await findBarriers()).toEqual([]);
});

it('says what a consent covers, and since when', async () => {
  await open(policy({ ai_remote_egress: true, updated_at: '2026-03-01T14:00:00.000Z' }));
  await expect.element(card().getByText('Consent is given: masked, telemetry may go to a model', PART)).toBeVisible();
  await expect.element(card().getByText('assistant (MCP)', PART)).toBeVisible();
  await expect.poll(() => card().element().querySelector('time')?.getAttribute('datetime')).toBe('2026-03-01T14:00:00.000Z');
  expect(await findBarriers()).toEqual([]);
});

it('keeps a withdrawal in sight: no consent, since then', async () => {
  await open(policy({ updated_at: '2026-03-02T09:30:00.000Z' }));
  await expect.element(card().getByText('No consent', PART)).toBeVisible();
  await expect.poll(() => card().element().querySelector('time')).not.toBeNull();
});

it.each([
  ['while it is asked', WAITING],
  ['where it cannot be read', new Refusal('internal', 'Internal error.')],
] as const)('claims nothing %s, and the rest of the tab works', async (_, governance) => {
  await open(governance);
  await expect.element(resolvesAfter()).toHaveValue('15');
  await expect.element(card()).not.toBeInTheDocument();
});
