import type { Connector } from '@svc/contracts/notify/connector';
import { expect, it } from 'vitest';
import { connectorOf } from '../../ui/notify/test-connectors.ts';
import { conditionOf, describeConnectors, describeTraffic, ownLabelOf, promisesOf, stateParts } from './connector-words.ts';

const AT = '2026-11-24T13:05:00.000Z';
const fine = connectorOf('Pager');
const unused = connectorOf('New', { last_success_at: null });
const paused = connectorOf('Desk', { state: 'paused', state_by: { id: 'i', name: 'Inês' }, state_at: AT });
const failing = connectorOf('Teams', { failing_since: AT });
const broken = connectorOf('Jira', { state: 'broken', state_at: AT });
const missing = connectorOf('Old', { source: 'configuration', is_missing: true });
const says = (...items: Connector[]): string =>
  describeConnectors(items)
    .map((part) => (typeof part === 'string' ? part : part.at))
    .join('');

it('says the worst first, and whether there is more', () => {
  expect(says()).toBe('Nobody is told of incidents: add a connector.');
  expect(says(fine)).toBe('The one connector answers.');
  expect(says(fine, fine)).toBe('All 2 connectors answer.');
  expect(says(unused)).toBe('1 connector, nothing sent yet: send a test.');
  expect(says(fine, paused, unused)).toBe('1 of 3 connectors answers, 1 is paused, 1 has sent nothing yet.');
  expect(says(paused)).toBe('The one connector is paused: messages wait.');
  expect(says(fine, failing)).toBe(`Teams has not answered since ${AT}: messages to it wait.`);
  expect(says(failing, broken, missing)).toBe(
    `Jira cannot be sent to since ${AT}: messages to it wait. 2 others need a look too.`,
  );
  const refusing = connectorOf('Wrong', { last_success_at: null, last_answer: '400', dead: 3 });
  expect(says(fine, refusing)).toBe('Wrong has taken nothing yet: 3 messages to it are dead.');
  expect(stateParts(refusing)).toEqual(['Refuses what is sent']);
  expect(says(missing)).toBe('Old is no longer in SVC_NOTIFY_CONNECTORS: nothing can be sent to it.');
});

it('tells the states of a connector apart', () => {
  expect([fine, unused, paused, failing, broken, missing].map(conditionOf)).toEqual([
    ...['answering', 'unused', 'paused', 'failing', 'broken', 'missing'],
  ]);
  expect(stateParts(broken)).toEqual(['Cannot be sent to', ' since ', { at: AT }]);
  expect(stateParts(paused)).toEqual(['Paused by Inês', ' since ', { at: AT }]);
  expect(stateParts(connectorOf('x', { state: 'paused', state_by: null, state_at: null }))).toEqual(['Paused by former member']);
});

it('counts what went through, and what did not', () => {
  expect(describeTraffic([fine, connectorOf('b', { sent_24h: 2, waiting: 1, dead: 3 })])).toBe(
    '6 messages sent in 24 h, 1 waiting, 3 dead.',
  );
});

it('says of each provider what it cannot do', () => {
  const chat = connectorOf('Chat', {
    abilities: { never_repeats: false, acknowledges: false, updates: false, confirms: false, comes_back: false },
  });
  expect(promisesOf(chat).map(({ words }) => words)).toEqual([
    'After a cut in the middle of sending a message may come twice, marked as a possible repeat.',
    'Not shown there.',
    'Not passed on.',
    'Taken for arrived once the provider has answered.',
    'None: this provider cannot.',
  ]);
  expect(promisesOf({ ...chat, provider: 'webhook' }).at(-1)?.words).toBe(
    'None of its own; a program may call any inbound webhook in the portable form.',
  );
});

it('calls an incoming webhook of Slack one, and a bot by the words of the form', () => {
  const slack = (settings: Record<string, string>) => connectorOf('Chat', { provider: 'chat_a', settings });
  const hook = slack({ url: 'https://hooks.slack.com' });
  expect(['url', 'credential', 'channel_name'].map((name) => ownLabelOf(hook, name))).toEqual([
    ...['Incoming webhook of', 'Webhook address', undefined],
  ]);
  expect(ownLabelOf(slack({ url: 'https://slack.com/api', channel: 'C0123456789' }), 'url')).toBeUndefined();
  expect(ownLabelOf(connectorOf('Pager'), 'url')).toBeUndefined();
});
