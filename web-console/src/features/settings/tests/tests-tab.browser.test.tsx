import type { MaintenanceWindow, TestSecret, TestSettings } from '@svc/contracts/tests/keeping';
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { me, shellAnswers } from '../../../testing/examples.ts';
import { type Answers, Refusal, WAITING } from '../../../testing/fake-server.ts';
import { openPage } from '../../../testing/show.tsx';
import { testList, testRow } from '../../../testing/test-examples.ts';

const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
const HOUR = 3_600_000;
const settings: TestSettings = {
  ...{ failing_after: 3, certificate_warning_days: 21, certificate_critical_days: 7 },
  ...{ not_running_intervals: 3, not_running_minutes: 5 },
};
const returns = testRow('Returns');
const secret: TestSecret = {
  ...{ name: 'SHOP_TOKEN', hosts: ['shop.example'], updated_at: at(-HOUR), updated_by: { id: 'ana', name: 'Ana Duarte' } },
  tests: [{ id: returns.test.id, name: 'Returns' }],
};
const weekly: MaintenanceWindow = {
  ...{ id: '00000000-0000-4000-9000-000000000071', name: 'Patches', scope: { kind: 'test', test_id: returns.test.id } },
  times: { repeat: 'weekly', weekdays: [7], from: '02:00', duration_minutes: 120 },
  ...{ zone: 'Europe/Lisbon', created_by: { id: 'ana', name: 'Ana Duarte' }, created_at: at(-HOUR), active: true },
  next: { from: at(-HOUR), to: at(HOUR) },
};

const open = (more: Answers = {}) => {
  sessionStorage.clear();
  return openPage('/settings?tab=tests', {
    ...shellAnswers,
    'identity.me': me(['test.read', 'test.write', 'settings.write']),
    'tests.list': testList([returns]),
    'tests.settings.get': settings,
    'tests.secrets.list': { items: [secret] },
    'tests.maintenance.list': { items: [weekly] },
    ...more,
  });
};
const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
const dialog = (name: string) => page.getByRole('dialog', { name });

it.each(['light', 'dark'])('shows thresholds, windows and secrets, and is no barrier in the %s theme', async (theme) => {
  document.documentElement.dataset.theme = theme;
  await open();
  await expect
    .element(row('Patches').filter({ hasText: /Test Returns.*Sundays from 02:00 for 2\sh, Europe\/Lisbon.*active until/ }))
    .toBeVisible();
  await expect.element(row('SHOP_TOKEN').filter({ hasText: /shop\.example.*Returns/ })).toBeVisible();
  await expect.element(page.getByRole('textbox', { name: 'A test fails after' })).toHaveValue('3');
  expect(await findBarriers()).toEqual([]);
  document.documentElement.dataset.theme = 'light';
});

it('saves thresholds that fit together, and no others', async () => {
  const { server } = await open({ 'tests.settings.set': { ...settings, certificate_critical_days: 10 } });
  const critical = page.getByRole('textbox', { name: 'A certificate is critical below' });
  await critical.fill('30');
  await expect.element(page.getByText('Fewer than those of the warning', { exact: true })).toBeVisible();
  const save = page.getByRole('button', { name: 'Save thresholds' });
  await expect.element(save).toHaveAttribute('title', 'Correct the marked fields first');
  await critical.fill('10');
  await save.click();
  await expect.poll(() => server.calls('tests.settings.set')).toEqual([{ ...settings, certificate_critical_days: 10 }]);
});

it('adds a secret for its hosts alone, and keeps what was typed nowhere', async () => {
  const { server } = await open({ 'tests.secrets.set': (() => undefined) as never });
  await page.getByRole('button', { name: 'Add a secret' }).click();
  await page.getByLabelText('Name').fill('MAIL_PASSWORD');
  await page.getByLabelText('May be sent to').fill('mail.example, smtp.example');
  await page.getByLabelText('Value').fill('correct horse');
  expect(await findBarriers()).toEqual([]);
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('correct horse');
  await userEvent.keyboard('{Enter}');
  await expect
    .poll(() => server.calls('tests.secrets.set'))
    .toEqual([{ name: 'MAIL_PASSWORD', hosts: ['mail.example', 'smtp.example'], value: 'correct horse' }]);
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
});

it('says at the field why a secret is refused', async () => {
  const issues = [{ path: ['hosts', 0], message: 'The hosts may only become fewer while the value stays.' }];
  await open({ 'tests.secrets.set': new Refusal('validation', JSON.stringify(issues)) });
  await page.getByRole('button', { name: 'Replace SHOP_TOKEN' }).click();
  await page.getByLabelText('May be sent to').fill('evil.example');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByLabelText('May be sent to')).toHaveAttribute('aria-invalid', 'true');
});

it('says which tests stop when a secret goes', async () => {
  const { server } = await open({ 'tests.secrets.remove': (() => undefined) as never });
  await page.getByRole('button', { name: 'Delete SHOP_TOKEN' }).click();
  await expect.element(page.getByText('1 test that refers to it cannot run any more.')).toBeVisible();
  await dialog('Delete SHOP_TOKEN?').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => server.calls('tests.secrets.remove')).toEqual([{ name: 'SHOP_TOKEN' }]);
});

it('adds a window that comes each week by the clocks of a zone', async () => {
  const { server } = await open({ 'tests.maintenance.create': weekly });
  await page.getByRole('button', { name: 'Add a window' }).click();
  await page.getByLabelText('Name').fill('Backup');
  await page.getByRole('button', { name: 'A site' }).click();
  await page.getByRole('textbox', { name: 'Site' }).fill('Berlin');
  await page.getByRole('button', { name: 'Each week' }).click();
  await page.getByRole('checkbox', { name: 'Saturday' }).click();
  await page.getByLabelText('Begins at').fill('23:30');
  await page.getByLabelText('Time zone').fill('Nowhere/Town');
  const add = page.getByRole('button', { name: 'Add window' });
  await expect.element(add).toHaveAttribute('title', 'Name a time zone such as Europe/Lisbon');
  await page.getByLabelText('Time zone').fill('Europe/Berlin');
  expect(await findBarriers()).toEqual([]);
  await add.click();
  await expect
    .poll(() => server.calls('tests.maintenance.create'))
    .toEqual([
      {
        ...{ name: 'Backup', scope: { kind: 'site', site: 'Berlin' }, zone: 'Europe/Berlin' },
        times: { repeat: 'weekly', weekdays: [6, 7], from: '23:30', duration_minutes: 120 },
      },
    ]);
});

it('changes a window as it was typed', async () => {
  const { server } = await open({ 'tests.maintenance.update': weekly });
  await page.getByRole('button', { name: 'Change Patches' }).click();
  await expect.element(page.getByRole('combobox', { name: 'Test' })).toHaveValue(returns.test.id);
  await page.getByLabelText('Lasts').fill('3.5');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect
    .poll(() => server.calls('tests.maintenance.update')[0])
    .toMatchObject({
      ...{ id: weekly.id, scope: weekly.scope },
      times: { duration_minutes: 210 },
    });
});

it('tells a place without anything from one that failed', async () => {
  await open({
    'tests.secrets.list': { items: [] },
    'tests.maintenance.list': new Refusal('conflict', 'The store is being moved.'),
  });
  await expect.element(page.getByRole('heading', { name: 'No secret yet' })).toBeVisible();
  await expect.element(page.getByRole('alert').filter({ hasText: /The store is being moved/ })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('keeps its shape while it loads', async () => {
  await open({ 'tests.secrets.list': WAITING, 'tests.maintenance.list': WAITING, 'tests.settings.get': WAITING });
  await expect.element(page.getByText('Secrets, loading')).toBeInTheDocument();
  expect(await findBarriers()).toEqual([]);
});

it('lets who may only read see all of it', async () => {
  await open({ 'identity.me': me(['test.read']) });
  await expect.element(page.getByText(/Someone with the role Administrator can change them/)).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Add a secret' })).toHaveAttribute('aria-disabled', 'true');
  await expect.element(page.getByRole('button', { name: 'Change Patches' })).not.toBeInTheDocument();
});

it('asks for nothing where the reader has no permission', async () => {
  const { server } = await open({ 'identity.me': me([]) });
  await expect.element(page.getByRole('heading', { name: 'No permission' })).toBeVisible();
  expect(server.calls('tests.secrets.list')).toEqual([]);
});
