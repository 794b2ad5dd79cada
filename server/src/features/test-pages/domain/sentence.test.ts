import { TestSpec, type TestSpecInput } from '@svc/contracts/tests/test';
import { describe, expect, it } from 'vitest';
import { type RunnerSaid, remainderOf, type Said, sentenceOf as sentence } from './sentence.ts';
import { wordInstants } from './words.ts';

const NOW = Date.parse('2026-11-24T14:31:00Z');
const at = (time: string) => Date.parse(`2026-11-24T${time}Z`);
const browser = TestSpec.parse({
  ...{ name: 'Checkout', type: 'browser', target: 'https://shop.example/cart' },
  params: { assertions: { total_ms: 2000 } },
} satisfies TestSpecInput);
const https = (assertions: object = {}) =>
  TestSpec.parse({ name: 'API', type: 'https', target: 'https://shop.example/api', params: { assertions } });
const tcp = TestSpec.parse({ name: 'SMTP', type: 'tcp', target: 'mail.example:465' });
const dns = TestSpec.parse({
  name: 'Names',
  type: 'dns',
  target: 'shop.example',
  params: { resolver: '192.0.2.53', transport: 'tls' },
});
const usual = { totalMs: 680, phases: { dns: 20, connect: 12, tls: 150, first_byte: 150, transfer: 400 } };
const slow = { dns: 22, connect: 11, tls: 3120, first_byte: 164, transfer: 412 };
const total = { rule: 'total_ms', wanted: 'total under 2,000 ms', got: '3,727 ms' };

const sentenceOf = (of: Said): string => wordInstants(sentence(of), NOW);

type Last = NonNullable<RunnerSaid['last']>;
const run = (more: Partial<Last> = {}): Last => ({
  ...{
    success: false,
    startedAtMs: at('14:30:04'),
    fault: 'assertion',
    error: undefined,
    phases: slow,
    totalMs: 3727,
    failed: total,
  },
  ...more,
});
const good = (totalMs: number): Last => run({ success: true, fault: undefined, failed: undefined, totalMs });
const runner = (name: string, state: RunnerSaid['state'], last?: Last): RunnerSaid => ({ name, state, sinceMs: undefined, last });
const said = (more: Partial<Said>): Said => ({
  ...{ test: https(), state: 'failing', reason: undefined, sinceMs: at('14:04:04'), usual: { totalMs: undefined, phases: {} } },
  ...{ runners: [runner('Berlin', 'failing', run())], nextMs: undefined },
  ...more,
});
const failing = (test: TestSpec, last: Partial<Last>, more: Partial<Said> = {}) =>
  sentenceOf(said({ test, runners: [runner('Berlin', 'failing', run({ failed: undefined, ...last }))], ...more }));

describe('the sentence', () => {
  it('says which phase it is, what that comes to and what the limit is', () => {
    const story = said({
      ...{ test: browser, usual },
      runners: [
        runner('Berlin', 'failing', run()),
        runner('Hamburg', 'passing', good(728)),
        runner('Toulouse', 'not_running', run({ startedAtMs: at('13:38:05') })),
      ],
    });
    expect(sentenceOf(story)).toBe(
      'Fails from Berlin since 14:04 UTC: the TLS handshake takes 3.1 s, so the page is there after 3.7 s and the limit is 2 s.',
    );
    expect(wordInstants(remainderOf(story), NOW)).toBe(
      'DNS, connect, first byte and load are as usual. From Hamburg the same run passes in 728 ms. From Toulouse it has not run since 13:38 UTC.',
    );
  });

  const status = { rule: 'status', wanted: '2xx', got: '503' };
  const text = { rule: 'body_contains', wanted: 'body contains “Place order”', got: '' };
  const cases: [string, TestSpec, Partial<Last>, string][] = [
    ['a status', https(), { fault: 'assertion', failed: status }, 'it answers 503, wanted 2xx'],
    ['a text', https(), { fault: 'assertion', failed: text }, 'wanted body contains “Place order”, got nothing'],
    [
      'a phase',
      https({ tls_ms: 1000 }),
      { failed: { ...total, rule: 'tls_ms' } },
      'the TLS handshake takes 3.1 s and the limit is 1 s',
    ],
    [
      'the total of even phases',
      https({ total_ms: 100 }),
      { phases: { dns: 40, connect: 40, tls: 40 }, totalMs: 120, failed: total },
      'the answer is there after 120 ms and the limit is 100 ms',
    ],
    ['no answer at all', https(), { fault: 'timeout', phases: {} }, 'nothing answers within 3 s'],
    ['no handshake', https(), { fault: 'timeout', phases: { dns: 1, connect: 2 } }, 'the TLS handshake is not done within 3 s'],
    ['no end', https(), { fault: 'timeout', phases: slow }, 'it is not done within 3 s'],
    [
      'no handshake, as a runner tells it: with the time of the phase that was not done',
      https(),
      { fault: 'timeout', error: 'The TLS handshake was not done within 3 s.', phases: { dns: 1, connect: 2, tls: 2997 } },
      'the TLS handshake was not done within 3 s',
    ],
    [
      'a page of which a part never comes',
      browser,
      { fault: 'timeout', error: 'The page was not loaded within 29.5 s.', phases: {} },
      'the page was not loaded within 29.5 s',
    ],
    ['a name', https(), { fault: 'name_not_found' }, 'the name shop.example does not exist'],
    [
      'a resolver',
      https(),
      { fault: 'name_unresolved', error: 'SERVFAIL' },
      'the name shop.example cannot be resolved: SERVFAIL',
    ],
    ['a closed port', tcp, { fault: 'refused' }, 'port 465 refuses the connection'],
    ['a port that is unreachable', tcp, { fault: 'port_unreachable' }, 'port 465 is unreachable'],
    ['the port of a name server', dns, { fault: 'port_unreachable' }, 'port 853 is unreachable'],
    ['the usual port', https(), { fault: 'refused' }, 'port 443 refuses the connection'],
    ['no route', tcp, { fault: 'unroutable' }, 'there is no route to mail.example'],
    ['silence', tcp, { fault: 'no_answer' }, 'mail.example does not answer'],
    ['a reset', tcp, { fault: 'reset' }, 'the connection is reset'],
    [
      'a certificate',
      https(),
      { fault: 'certificate', error: 'it expired yesterday.' },
      'its certificate is not valid: it expired yesterday',
    ],
    ['a step', browser, { fault: 'step', error: 'step 3: “Pay” is not there' }, 'step 3: “Pay” is not there'],
    ['a crash', browser, { fault: 'crashed' }, 'the browser crashed'],
  ];
  it.each(cases)('tells of %s', (...[, test, last, words]) => {
    expect(failing(test, last)).toBe(`Fails from Berlin since 14:04 UTC: ${words}.`);
  });

  it('names several places, and a day that is not today', () => {
    const runners = ['Berlin', 'Hamburg', 'Lisbon', 'Kraków'].map((name) => runner(name, 'failing', run({ fault: 'reset' })));
    expect(sentenceOf(said({ runners, sinceMs: Date.parse('2026-11-22T09:00:00Z') }))).toBe(
      'Fails from Berlin, Hamburg and 2 others since 22 Nov 09:00 UTC: the connection is reset.',
    );
  });

  it('stays failing while good runs are too few', () => {
    expect(sentenceOf(said({ runners: [runner('Berlin', 'failing', good(200))] }))).toBe(
      'Fails from Berlin since 14:04 UTC; its newest run passed.',
    );
  });

  it('has instants that its reader puts on the own clock', () => {
    expect(sentence(said({ state: 'paused' }))).toBe('Paused since 2026-11-24T14:04:04Z.');
  });

  const internal = run({ fault: 'internal', error: 'the browser did not start.', failed: undefined });
  it.each<[Partial<Said>, string]>([
    [{ state: 'passing', runners: [runner('Berlin', 'passing', good(210))] }, 'Passes from Berlin in 210 ms.'],
    [
      { state: 'passing', usual, runners: [runner('Berlin', 'passing', good(1900))] },
      'Passes from Berlin in 1.9 s, 680 ms is usual.',
    ],
    [
      { state: 'passing', runners: [runner('Berlin', 'passing', run({ fault: 'reset' }))] },
      'Passes, but its run of 14:30 UTC from Berlin failed: the connection is reset.',
    ],
    [{ state: 'paused' }, 'Paused since 14:04 UTC.'],
    [
      { state: 'new', nextMs: at('14:32:00'), runners: [runner('Berlin', 'new')] },
      'Has not run yet; its first run is at 14:32 UTC.',
    ],
    [{ state: 'new', runners: [runner('Berlin', 'new')] }, 'Has not run yet.'],
    [
      { state: 'new', nextMs: at('14:32:00'), runners: [runner('Berlin', 'new', run())] },
      'Has not run since it was changed or resumed; its next run is at 14:32 UTC.',
    ],
    [
      {
        ...{ state: 'passing', test: { ...tcp, fail_when: 2 } },
        runners: [runner('Berlin', 'failing', run({ fault: 'reset' })), runner('Hamburg', 'not_running')],
      },
      'Passes from nowhere, and fails from Berlin: the connection is reset; it counts as failing once it fails from 2 runners.',
    ],
    [
      { state: 'not_running', reason: 'no_runner_connected', runners: [runner('Toulouse', 'not_running')] },
      'Does not run since 14:04 UTC: runner Toulouse is not connected.',
    ],
    [
      { state: 'not_running', reason: 'runner_not_capable', runners: [runner('Toulouse', 'not_running')], test: browser },
      'Does not run since 14:04 UTC: runner Toulouse cannot run browser tests.',
    ],
    [
      { state: 'not_running', reason: 'target_refused', runners: [runner('built-in', 'not_running')] },
      'Does not run since 14:04 UTC: built-in may not reach this target.',
    ],
    [
      { state: 'not_running', reason: 'runner_fault', runners: [runner('built-in', 'not_running', internal)] },
      'Does not run since 14:04 UTC: built-in cannot make its runs: the browser did not start.',
    ],
    [
      { state: 'not_running', reason: 'rate', runners: [runner('built-in', 'not_running')] },
      'Does not run since 14:04 UTC: the tests before it use up the runs a second of the tenant or of its host.',
    ],
    [
      { state: 'passing', runners: [runner('built-in', 'passing', internal)] },
      'Passes, but its run of 14:30 UTC from built-in failed: the browser did not start.',
    ],
    [
      { state: 'not_running', reason: 'no_runner_chosen', runners: [], sinceMs: undefined },
      'Does not run: no runner is chosen that is there.',
    ],
  ])('%#: says what is so', (more, words) => {
    expect(sentenceOf(said(more))).toBe(words);
  });
});
