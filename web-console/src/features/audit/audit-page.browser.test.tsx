import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { AuditRecord } from '../../api-types.ts';
import { findBarriers } from '../../testing/accessibility.ts';
import { me, shellAnswers } from '../../testing/examples.ts';
import { openPage } from '../../testing/show.tsx';
import { exportLine } from './audit-export.tsx';

const DEVICE = '01990000-0000-7000-8000-9e77f2594889';
const LONG = 'Laptop '.repeat(30).trim();
const entry = (seq: number, more: Partial<AuditRecord>): AuditRecord => ({
  ...{ seq: String(seq), id: `entry-${seq}`, at: new Date().toISOString(), action: 'agent.rename' },
  actor: { kind: 'account', id: 'account-1', name: 'Ana' },
  object: { type: 'agent', id: DEVICE, name: LONG },
  ...{ detail: {}, change: null, hash: 'a'.repeat(64), ...more },
});
const open = (items: AuditRecord[], permissions = me(['audit.read', 'agent.read'])) =>
  openPage('/audit', { ...shellAnswers, 'identity.me': permissions, 'audit.list': { items, next_cursor: null } });

it('says what a name replaced, and keeps every column in sight whatever its length', async () => {
  await open([entry(1, { change: { state: 'kept', from: 'LIS-LT-0034', to: LONG } })]);
  await expect.element(page.getByText(`from LIS-LT-0034 to ${LONG}`)).toBeVisible();
  const table = document.querySelector('table')?.getBoundingClientRect();
  expect(table?.width ?? Number.POSITIVE_INFINITY).toBeLessThan(1400);
  expect(await findBarriers()).toEqual([]);
});

it('leads to the device, and calls one without a name by its short id, whether it did something or had it done', async () => {
  await open([
    entry(2, {}),
    entry(1, { actor: { kind: 'agent', id: DEVICE, name: null }, object: { type: 'agent', id: DEVICE, name: null } }),
  ]);
  await expect.element(page.getByRole('link', { name: LONG })).toHaveAttribute('href', `/fleet/${DEVICE}`);
  await expect.element(page.getByRole('button', { name: '9e77f2594889' })).toBeVisible();
  await expect.element(page.getByRole('cell', { name: '9e77f2594889 device' }).last()).toBeVisible();
});

it('downloads what the filters show as CSV, over all pages, formulas made harmless', async () => {
  const pages = { first: { items: [entry(2, {})], next_cursor: 'second' }, second: { items: [entry(1, {})], next_cursor: null } };
  const { server } = await openPage('/audit?action=agent.rename', {
    ...shellAnswers,
    'identity.me': me(['audit.read']),
    'audit.list': ({ cursor }) => (cursor ? pages.second : pages.first),
  });
  const saved: Blob[] = [];
  const real = URL.createObjectURL;
  URL.createObjectURL = (blob: Blob) => {
    saved.push(blob);
    return '#';
  };
  await page.getByRole('button', { name: 'Download CSV' }).click();
  await expect.poll(() => saved.length).toBe(1);
  URL.createObjectURL = real;
  const [head, ...lines] = (await saved[0]?.text())?.trim().split('\r\n') ?? [];
  expect(head).toMatch(/number,time,.*,from,to,hash$/);
  expect(lines.map((line) => line.split(',')[0])).toEqual(['2', '1']);
  expect(server.calls('audit.list').at(-1)).toMatchObject({ action: 'agent.rename', limit: 1000, cursor: 'second' });
  const change = { state: 'kept', from: '=1+1', to: null } as const;
  expect(exportLine(entry(3, { change, detail: { uses: 5 } }))).toMatch(/,"\{""uses"":5\}",kept,"'=1\+1",,a{64}\r\n$/);
});

it('leads an auditor, who may not see devices, nowhere', async () => {
  await open([entry(1, {})], me(['audit.read']));
  await expect.element(page.getByText(LONG).first()).toBeVisible();
  await expect.element(page.getByRole('link', { name: LONG })).not.toBeInTheDocument();
});
