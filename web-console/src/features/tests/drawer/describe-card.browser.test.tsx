import type { Proposal } from '@svc/contracts/proposals/proposal';
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { me, shellAnswers } from '../../../testing/examples.ts';
import { type Answers, Refusal } from '../../../testing/fake-server.ts';
import { openPage } from '../../../testing/show.tsx';
import { builtInRunner, testList, testRow } from '../../../testing/test-examples.ts';

const proposed = testRow('shop.example login');
const { id: _id, version: _version, created_by: _by, created_at: _at, updated_at: _updated, ...spec } = proposed.test;
const proposal = {
  test: { ...spec, interval_seconds: 30 },
  ...{ rationale: 'An HTTPS request every 30 s.', author: 'heuristic', secrets: [], more: [] },
  fields: { type: 'asked', target: 'asked', interval_seconds: 'asked', name: 'inferred', enabled: 'default' },
  reasons: { name: 'Named after its target.' },
} as unknown as Proposal;

const open = (more: Answers = {}, path = '/tests?drawer=describe') => {
  sessionStorage.clear();
  return openPage(path, {
    ...shellAnswers,
    'identity.me': me(['test.read', 'test.write']),
    'tests.list': testList([]),
    'runners.list': { items: [builtInRunner()] },
    'ai.author': proposal,
    'tests.create': proposed,
    ...more,
  });
};
const words = () => page.getByRole('textbox', { name: 'Describe what to watch' });

it('puts the test into the form, says where each field comes from, and creates nothing by it', async () => {
  const { server, at } = await open();
  await expect.element(words()).toHaveFocus();
  await userEvent.keyboard('check the login every 30 s{Enter}');
  await expect.element(page.getByText('An HTTPS request every 30 s. Written by rules.')).toBeVisible();
  await expect.element(page.getByText('Named after its target.')).toBeVisible();
  await expect.element(page.getByRole('textbox', { name: 'Every' })).toHaveValue('30 s');
  expect(await findBarriers()).toEqual([]);
  expect(server.calls('ai.author')).toEqual([{ prompt: 'check the login every 30 s' }]);
  expect(server.calls('tests.create')).toEqual([]);
  await page.getByRole('button', { name: 'Create test' }).click();
  await expect.poll(at).toBe(`/tests/${proposed.test.id}`);
});

it('asks by rules where the model gives no answer, and says so', async () => {
  const { server } = await open({
    'ai.author': ({ author }) => (author === 'heuristic' ? proposal : new Refusal('egress_denied', 'No consent of this tenant.')),
  });
  await words().fill('check the login');
  await page.getByRole('button', { name: 'Propose' }).click();
  await expect.element(page.getByText(/No consent of this tenant/)).toBeVisible();
  expect(server.calls('ai.author').length).toBe(2);
});

it('says what is wrong where nothing can be made of it', async () => {
  await open({ 'ai.author': new Refusal('cannot_author', 'Name a host, an address or a URL.') });
  await words().fill('make it faster');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText('Name a host, an address or a URL.')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('asks back where several tests could be meant, and takes the one that is chosen', async () => {
  const choice = (type: string, target: string): Proposal =>
    ({ ...proposal, test: { ...proposal.test, type, target, params: {} } }) as unknown as Proposal;
  const { server } = await open({
    'ai.author': new Refusal('cannot_author', 'Ping or TCP 443?', {
      missing: [],
      examples: [],
      choices: [choice('icmp', '10.0.0.5'), choice('tcp', '10.0.0.5:443')],
      question: 'Ping or TCP 443?',
    }),
  });
  await words().fill('watch 10.0.0.5');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('alert').getByText('Ping or TCP 443?')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  await page.getByRole('button', { name: 'tcp 10.0.0.5:443' }).click();
  await expect.element(page.getByRole('textbox', { name: 'Target' })).toHaveValue('10.0.0.5:443');
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  await expect.element(page.getByText('Named after its target.')).toBeVisible();
  expect(server.calls('tests.create')).toEqual([]);
});

it('tells choices of one test apart by the time from which on it fails', async () => {
  const choice = (total: number): Proposal =>
    ({ ...proposal, test: { ...proposal.test, params: { assertions: { total_ms: total } } } }) as unknown as Proposal;
  await open({
    'ai.author': new Refusal('cannot_author', 'From when on is it slow?', {
      ...{ missing: [], examples: [], choices: [choice(1000), choice(5000)], question: 'From when on is it slow?' },
    }),
  });
  await words().fill('tell me when it is slow');
  await userEvent.keyboard('{Enter}');
  await page.getByRole('button', { name: /fails above 5/ }).click();
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  await expect.element(page.getByRole('textbox', { name: /Total/ })).toHaveValue('5000');
});

it('has one test of a request after the other in the form, each created by a click of its own', async () => {
  const test = { ...proposal.test, name: 'gw', type: 'icmp', target: '10.0.0.1', params: {} };
  const ping = { ...proposal, test } as unknown as Proposal;
  const { server, at } = await open({ 'ai.author': { ...proposal, more: [ping] } });
  await words().fill('check the login and ping 10.0.0.1');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText('The request asks for more tests, which follow one by one:')).toBeVisible();
  await page.getByRole('button', { name: 'Create test' }).click();
  await expect.element(page.getByText('One test is created. The next is below.')).toBeVisible();
  await expect.element(page.getByRole('textbox', { name: 'Target' })).toHaveValue('10.0.0.1');
  expect(await findBarriers()).toEqual([]);
  await page.getByRole('button', { name: 'Create test' }).click();
  await expect.poll(at).toBe(`/tests/${proposed.test.id}`);
  expect(server.calls('tests.create').map(({ test }) => test.type)).toEqual([proposed.test.type, 'icmp']);
});

const REQUEST = 'check https://ann:abcdef123456@shop.example/ every minute';

it('is handed what somebody typed into the palette', async () => {
  await open({}, '/tests');
  await userEvent.keyboard('{Control>}k{/Control}');
  await page.getByRole('combobox', { name: /^Device, owner/ }).fill(REQUEST);
  await page.getByRole('option', { name: /^Describe what to watch/ }).click();
  await expect.element(words()).toHaveValue(REQUEST);
});

it('keeps no words in the tab once they are a test', async () => {
  await open();
  const kept = () => Object.values({ ...sessionStorage }).filter((text) => text.includes('abcdef123456'));
  await words().fill(REQUEST);
  expect(kept().length).toBe(1);
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText('Named after its target.')).toBeVisible();
  expect(kept()).toEqual([]);
});
