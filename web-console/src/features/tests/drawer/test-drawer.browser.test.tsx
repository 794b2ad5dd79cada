import type { RunProgress } from '@svc/contracts/tests/calls';
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { me, shellAnswers } from '../../../testing/examples.ts';
import { type Answers, Refusal, WAITING } from '../../../testing/fake-server.ts';
import { openPage } from '../../../testing/show.tsx';
import { builtInRunner, runner, testList, testRow, testView } from '../../../testing/test-examples.ts';

const RUN_ID = '00000000-0000-4000-9000-0000000000aa';
const returns = testRow('Returns', { state: 'paused' });
const list: Answers['tests.list'] = ({ search }) =>
  testList([returns].filter(({ test }) => search === undefined || test.name.toLowerCase().includes(search.toLowerCase())));

const open = (path: string, more: Answers = {}) => {
  sessionStorage.clear();
  return openPage(path, {
    ...shellAnswers,
    'identity.me': me(['agent.read', 'test.read', 'test.write']),
    'tests.list': list,
    'tests.get': testView(returns),
    'runners.list': { items: [builtInRunner(), runner('Berlin', { id: 'b' })] },
    ...more,
  });
};
const target = () => page.getByRole('textbox', { name: 'Target' });
const name = () => page.getByRole('textbox', { name: 'Name', exact: true });
const create = () => page.getByRole('button', { name: 'Create test' });
const type = (word: string) => page.getByRole('button', { name: word, exact: true });

it.each(['https', 'browser', 'dns', 'icmp', 'tcp', 'udp'])('is no barrier for the type %s', async (word) => {
  await open('/tests?drawer=new');
  await target().fill('https://shop.example/health');
  await type(word).click();
  await expect.element(type(word)).toHaveAttribute('aria-pressed', 'true');
  for (const part of document.querySelectorAll('details')) part.open = true;
  expect(await findBarriers()).toEqual([]);
});

it('is no barrier in the dark theme', async () => {
  document.documentElement.dataset.theme = 'dark';
  await open('/tests?drawer=new');
  await target().fill('https://shop.example/health');
  expect(await findBarriers()).toEqual([]);
  document.documentElement.dataset.theme = 'light';
});

it('takes type and name from the target, and creates with that alone', async () => {
  const made = testRow('shop.example health');
  const { server, at } = await open('/tests?drawer=new', { 'tests.create': made });
  await expect.element(create()).toHaveAttribute('title', 'Type a target');
  await userEvent.keyboard('mail.example:465');
  await expect.element(type('tcp')).toHaveAttribute('aria-pressed', 'true');
  await target().fill('https://shop.example/health');
  await expect.element(type('https')).toHaveAttribute('aria-pressed', 'true');
  await expect.element(name()).toHaveValue('shop.example health');
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => server.calls('tests.create').length).toBe(1);
  expect(server.calls('tests.create')[0]?.test).toMatchObject({
    ...{ type: 'https', target: 'https://shop.example/health', name: 'shop.example health', interval_seconds: 60 },
    runners: { mode: 'any' },
    params: { assertions: { status: ['2xx'], total_ms: 2000, certificate_days: 14 } },
  });
  await expect.poll(at).toBe(`/tests/${made.test.id}`);
});

it('leads back from what was created to the page on which that began', async () => {
  const made = testRow('shop.example health');
  const { at, back } = await open('/tests?state=passing', { 'tests.create': made });
  await page.getByRole('button', { name: 'New test' }).click();
  await target().fill('https://shop.example/health');
  await create().click();
  await expect.poll(at).toBe(`/tests/${made.test.id}`);
  back();
  await expect.poll(at).toBe('/tests?state=passing');
});

it('leads to what was created without waiting for the list, which is slow to be read again', async () => {
  const made = testRow('shop.example health');
  let isMade = false;
  const { at } = await open('/tests?drawer=new', {
    'tests.create': () => {
      isMade = true;
      return made;
    },
    'tests.list': ({ search }) => (isMade && search === undefined ? WAITING : testList(isMade ? [made] : [])),
  });
  await target().fill('https://shop.example/health');
  await expect.element(name()).toHaveValue('shop.example health');
  await create().click();
  await expect.poll(at).toBe(`/tests/${made.test.id}`);
});

it('calls the name of what is being saved not taken by itself', async () => {
  const made = testRow('shop.example health');
  const { server, at } = await open('/tests?drawer=new', { 'tests.create': WAITING });
  await target().fill('https://shop.example/health');
  await expect.element(name()).toHaveValue('shop.example health');
  await create().click();
  await expect.poll(() => server.calls('tests.create').length).toBe(1);
  server.answer({ 'tests.list': testList([made]) });
  // As an event from the server has it read again.
  await name().fill('shop.example healt');
  await name().fill('shop.example health');
  await expect.poll(() => server.calls('tests.list').length).toBeGreaterThan(2);
  await new Promise((resolve) => setTimeout(resolve, 400));
  await expect.element(name()).not.toHaveAttribute('aria-invalid');
  expect(at()).toBe('/tests?drawer=new');
});

it('leads from a name that is taken to the test that has it', async () => {
  await open('/tests?drawer=new');
  await target().fill('https://shop.example/returns');
  await name().fill('returns');
  const owner = page.getByRole('link', { name: 'a test, paused' });
  await expect.element(owner).toHaveAttribute('href', `/tests/${returns.test.id}`);
  await expect.element(create()).toHaveAttribute('title', 'Name is taken');
  await expect.element(name()).toHaveAttribute('aria-invalid', 'true');
  expect(await findBarriers()).toEqual([]);
});

const measured = (ms: number, passed: boolean) => ({
  ...{ success: passed, phases: { dns: 20, tls: ms - 120, first_byte: 100 }, total_ms: ms, figures: {} },
  assertions: [{ rule: 'total_ms', wanted: 'all within 2000 ms', got: `${ms} ms`, passed }],
});
const on = (id: string, more: Partial<RunProgress['runners'][number]>): RunProgress['runners'][number] => ({
  ...{ id, name: id, phases: {}, done: true, problem: null, result: null, result_id: null },
  ...more,
});

it('shows the real result from each runner before anything is created, its phases as they end', async () => {
  const progress = (done: boolean, runners: RunProgress['runners']): RunProgress => ({
    ...{ run_id: RUN_ID, dry_run: true, started_at: new Date().toISOString(), done, runners },
  });
  const { server } = await open('/tests?drawer=new', {
    'tests.dryRun': { run_id: RUN_ID },
    'tests.progress': progress(false, [on('Berlin', { done: false, phases: { dns: 20, connect: 12 } })]),
  });
  await target().fill('https://shop.example/returns');
  await page.getByRole('button', { name: 'Try it' }).click();
  await expect.element(page.getByText(/Connect 12\sms, goes on/)).toBeVisible();
  server.answer({
    'tests.progress': progress(true, [
      on('Berlin', { result: measured(3300, false) }),
      on('Hamburg', { result: measured(400, true) }),
      on('Toulouse', { problem: 'not connected' }),
      on('Porto', { result: { ...measured(0, false), fault: 'not_capable', error: 'This runner may not send ICMP.' } }),
    ]),
  });
  await expect.element(page.getByText('would fail: Total within 2000 ms, was 3300 ms')).toBeVisible();
  await expect.element(page.getByText(/would pass: total 400\sms/)).toBeVisible();
  await expect.element(page.getByText('not connected')).toBeVisible();
  await expect.element(page.getByText('would not run: This runner may not send ICMP.')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Again' })).toBeVisible();
  const old = page.getByText(/Not of what the fields say now: try again/);
  await name().fill('Another name');
  await expect.element(old).not.toBeInTheDocument();
  await target().fill('https://shop.example/orders');
  await expect.element(old).toBeVisible();
  expect(server.calls('tests.create')).toEqual([]);
  expect(server.calls('tests.dryRun')[0]?.test).toMatchObject({ target: 'https://shop.example/returns' });
  expect(await findBarriers()).toEqual([]);
});

it('says what the server refuses at its field, opens what is folded, and keeps what was typed', async () => {
  const issues = [
    { path: ['test', 'params', 'assertions', 'status', 0], message: 'A status such as 200, 2xx or 200-299.' },
    { path: ['test', 'params', 'tls', 'server_name'], message: 'A host name or an address.' },
  ];
  await open('/tests?drawer=new', { 'tests.create': new Refusal('validation', JSON.stringify(issues)) });
  await target().fill('https://shop.example/returns');
  await page.getByRole('textbox', { name: 'Status is' }).fill('ok');
  await create().click();
  await expect.element(page.getByText('A status such as 200, 2xx or 200-299.')).toBeVisible();
  await expect.element(page.getByRole('textbox', { name: 'Status is' })).toHaveAttribute('aria-invalid', 'true');
  await expect.element(page.getByText('A host name or an address.')).toBeVisible();
  await expect.element(page.getByRole('alert').filter({ hasText: 'Not saved: see the fields above.' })).toBeVisible();
  await expect.element(target()).toHaveValue('https://shop.example/returns');
  expect(await findBarriers()).toEqual([]);
});

it('adds and takes away assertions', async () => {
  const { server } = await open('/tests?drawer=new', { 'tests.create': testRow('x') });
  await target().fill('https://shop.example/returns');
  await page.getByRole('button', { name: 'Add an assertion' }).click();
  await page.getByRole('button', { name: 'JSON has' }).click();
  await page.getByRole('textbox', { name: 'JSON has' }).fill('$.status = "ok"');
  await page.getByRole('button', { name: 'Remove Certificate is valid for' }).click();
  await create().click();
  await expect
    .poll(() => server.calls('tests.create')[0]?.test.params)
    .toEqual({
      assertions: { status: ['2xx'], total_ms: 2000, json: [{ path: '$.status', equals: 'ok' }] },
    });
});

it('puts the steps of a browser in order', async () => {
  const { server } = await open('/tests?drawer=new', { 'tests.create': testRow('x') });
  await target().fill('https://shop.example/cart');
  await type('browser').click();
  await page.getByRole('button', { name: 'Add a step' }).click();
  await page.getByRole('textbox', { name: 'Step 1: text' }).fill('Order');
  await page.getByRole('button', { name: 'Add a step' }).click();
  await page.getByRole('combobox', { name: 'Step 2: what it does' }).selectOptions('Fill');
  await page.getByRole('textbox', { name: 'Step 2: label' }).fill('Mail');
  await page.getByRole('textbox', { name: 'Step 2: with' }).fill('a@example.com');
  await page.getByRole('button', { name: 'Move step 2 up' }).click();
  await create().click();
  await expect
    .poll(() => server.calls('tests.create')[0]?.test.params)
    .toMatchObject({
      steps: [
        { do: 'fill', on: { label: 'Mail' }, value: 'a@example.com' },
        { do: 'click', on: { text: 'Order' } },
      ],
    });
});

it('edits a test as it is, and names the version that was edited', async () => {
  const { server, at } = await open(`/tests?drawer=edit&of=${returns.test.id}`, { 'tests.update': returns });
  await expect.element(target()).toHaveValue(returns.test.target);
  await page.getByRole('textbox', { name: 'Every' }).fill('2 min');
  await page.getByRole('button', { name: 'These' }).click();
  await page.getByRole('checkbox', { name: 'Berlin' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(at).toBe('/tests');
  expect(server.calls('tests.update')[0]).toMatchObject({
    ...{ id: returns.test.id, version: 1 },
    test: { name: 'Returns', interval_seconds: 120, runners: { mode: 'named', runners: ['b'] } },
  });
});

it('does not save over what somebody else changed while it was edited beside the page of the test', async () => {
  const row = testRow('Rates');
  const { server } = await open(`/tests/${row.test.id}?drawer=edit`, {
    'tests.get': testView(row),
    'tests.runs': { items: [], next_cursor: null, total: 0 },
    'tests.update': new Refusal('conflict', 'The test was changed meanwhile.'),
    'tests.setEnabled': () => {
      server.answer({ 'tests.get': testView({ ...row, state: 'paused', test: { ...row.test, version: 2, enabled: false } }) });
      return {} as never;
    },
  });
  await page.getByRole('textbox', { name: 'Every' }).fill('2 min');
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect.element(page.getByRole('button', { name: 'Resume' })).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.element(page.getByRole('alert').filter({ hasText: 'The test was changed meanwhile.' })).toBeVisible();
  expect(server.calls('tests.update')).toMatchObject([{ id: row.test.id, version: 1 }]);
  await expect.element(page.getByRole('textbox', { name: 'Every' })).toHaveValue('2 min');
});

it('clones a test under another name', async () => {
  await open(`/tests?drawer=clone&of=${returns.test.id}`);
  await expect.element(name()).toHaveValue('Returns (copy)');
  await expect.element(create()).not.toHaveAttribute('aria-disabled');
});

it('closes by Escape and gives the focus back', async () => {
  const { at } = await open('/tests');
  await page.getByRole('button', { name: 'New test' }).click();
  await expect.element(target()).toHaveFocus();
  await userEvent.keyboard('{Escape}');
  await expect.poll(at).toBe('/tests');
  await expect.element(page.getByRole('button', { name: 'New test' })).toHaveFocus();
});

it('says that the test to edit could not be read', async () => {
  await open(`/tests?drawer=edit&of=${returns.test.id}`, { 'tests.get': new Refusal('not_found', 'There is no such test.') });
  await expect.element(page.getByRole('alert').filter({ hasText: 'There is no such test.' })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});
