import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { me, shellAnswers } from '../../testing/examples.ts';
import { type Answers, Refusal } from '../../testing/fake-server.ts';
import { openPage } from '../../testing/show.tsx';

const settings = { auto_resolve_minutes: 15, edge_failing: false };

const open = (more: Answers = {}) => {
  sessionStorage.clear();
  return openPage('/settings?tab=incidents', {
    ...shellAnswers,
    'identity.me': me(['incident.read', 'settings.write']),
    'incidents.pulse': { open: 0, unacknowledged: 0, revision: '1' },
    'incidents.settings.get': settings,
    ...more,
  });
};
const minutes = () => page.getByRole('textbox', { name: 'An incident resolves after' });
const save = () => page.getByRole('button', { name: 'Save' });

it('switches the watch over services on and sets when an incident is over', async () => {
  const { server } = await open({ 'incidents.settings.set': { auto_resolve_minutes: 0, edge_failing: true } });
  await expect.element(minutes()).toHaveValue('15');
  expect(await findBarriers()).toEqual([]);
  await minutes().fill('20000');
  await expect.element(page.getByText('0 to 10,080')).toBeVisible();
  await expect.element(save()).toHaveAttribute('aria-disabled', 'true');
  await minutes().fill('0');
  await page.getByRole('checkbox', { name: /Watch calls between services/ }).click({ force: true });
  await save().click();
  await expect.poll(() => server.calls('incidents.settings.set')).toEqual([{ auto_resolve_minutes: 0, edge_failing: true }]);
});

it('says who may change them, and why a change was not taken', async () => {
  await open({ 'identity.me': me(['incident.read']) });
  await expect.element(page.getByText(/Your role can read these settings/)).toBeVisible();
  await expect.element(minutes()).toBeDisabled();
});

it('keeps what was typed when it is refused', async () => {
  await open({ 'incidents.settings.set': new Refusal('conflict', 'Somebody else changed it.') });
  await minutes().fill('30');
  await save().click();
  await expect.element(page.getByText('Somebody else changed it.')).toBeVisible();
  await expect.element(minutes()).toHaveValue('30');
});
