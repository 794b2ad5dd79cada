import type { EvidenceQuestion } from '@svc/contracts/causes/facts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';
import { findLogEvidence } from '../features/logs/evidence.ts';
import { type TestLog, writeLogs } from '../features/logs/test-logs.ts';
import { findTraceEvidence } from '../features/traces/evidence.ts';
import { type TestSpan, writeSpans } from '../features/traces/test-spans.ts';

/** What traces and logs know of an incident, out of the real tables. */

const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other');
const MINUTE_MS = 60_000;
const SINCE_MS = Date.parse('2026-11-21T12:00:00Z');
const [SERVER, CLIENT, ERROR] = [2, 3, 2];

const question = (more: Partial<EvidenceQuestion> = {}): EvidenceQuestion => ({
  ...{ target: 'shop.example', prefix: null, site: null, testIds: [], services: ['shop', 'stock'] },
  ...{ fromMs: SINCE_MS - 120 * MINUTE_MS, sinceMs: SINCE_MS, toMs: SINCE_MS + 30 * MINUTE_MS, ...more },
});

let telemetry: Telemetry;
let spanCount = 0;

/** So many answers of an operation in a minute that is told from the beginning of the harm. */
type Answers = Partial<TestSpan> & { count?: number; ms?: number; failed?: number };
const answered = (name: string, minute: number, { count = 20, ms = 10, failed = 0, ...more }: Answers = {}): TestSpan[] =>
  Array.from({ length: count }, (_, i) => {
    spanCount += 1;
    const id = spanCount.toString(16);
    return {
      ...{ trace: id.padStart(32, '0'), id: id.padStart(16, '0'), name, service: 'shop', kind: SERVER },
      ...{
        at: BigInt(SINCE_MS + minute * MINUTE_MS + i) * 1_000_000n,
        duration: ms * 1e6,
        status: i < failed ? ERROR : 0,
        ...more,
      },
    };
  });

type Lines = Partial<TestLog> & { count?: number };
const logged = (body: string, minute: number, { count = 4, severity = 17, ...more }: Lines = {}): TestLog[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{ ts: BigInt(SINCE_MS + minute * MINUTE_MS + i) * 1_000_000n, body: body.replace('%', String(1000 + i)), service: 'shop' },
    ...{ severity, offset: minute * 100 + i + 100_000, ...more },
  }));

beforeAll(async () => {
  telemetry = await openTestTelemetry();
  await writeSpans(telemetry.store, ACME, [
    ...[...answered('steady', -30), ...answered('steady', 5)],
    ...[...answered('slower', -30), ...answered('slower', 5, { ms: 100 })],
    ...[...answered('failing', -30), ...answered('failing', 5, { failed: 10 })],
    // Usual failures are none of an incident, however many they are.
    ...[...answered('always failing', -30, { failed: 10 }), ...answered('always failing', 5, { failed: 10 })],
    ...answered('new and failing', 5, { failed: 20 }),
    ...answered('rare', 5, { count: 5, failed: 5 }),
    ...answered('before all', -100, { ms: 1 }),
    ...answered('asked of others', 5, { kind: CLIENT, failed: 20 }),
    ...answered('of another service', 5, { service: 'billing', failed: 20 }),
    ...answered('behind the window', 31, { failed: 20 }),
  ]);
  await writeSpans(telemetry.store, OTHER, answered('of another tenant', 5, { failed: 20 }));
  await writeLogs(telemetry.store, ACME, [
    ...logged('order % was not paid: no connection to 0a1b2c3d4e5f', 3),
    ...[...logged('as ever %', -20, { count: 8 }), ...logged('as ever %', 3)],
    ...[...logged('more of it %', -20, { count: 1 }), ...logged('more of it %', 3, { count: 9, severity: 21 })],
    ...logged('a little early %', -4, { severity: 13 }),
    ...logged('all is well %', 3, { severity: 9 }),
    ...logged('said twice %', 3, { count: 2 }),
    ...logged('elsewhere %', 3, { service: 'billing' }),
    ...logged('too late %', 31),
  ]);
  await writeLogs(telemetry.store, OTHER, logged('of another tenant %', 3));
});
afterAll(() => telemetry?.close());

test('traces name the operations that are worst against their own usual, the worst first', async () => {
  const { plane, facts, notMeasured } = await findTraceEvidence(telemetry.store, ACME, question());
  expect({ plane, notMeasured }).toEqual({ plane: 'otlp', notMeasured: [] });
  const near = (ms: number) => expect.closeTo(ms, 3);
  const of = { kind: 'operation', service: 'shop', atMs: SINCE_MS, calls: 20 };
  expect(facts).toEqual([
    { ...of, operation: 'new and failing', errors: 20, p95Ms: near(10), usualP95Ms: null, usualErrorRatio: 0 },
    { ...of, operation: 'slower', errors: 0, p95Ms: near(100), usualP95Ms: near(10), usualErrorRatio: 0 },
    { ...of, operation: 'failing', errors: 10, p95Ms: near(10), usualP95Ms: near(10), usualErrorRatio: 0 },
  ]);
});

test('logs name lines that are new or far more frequent, without what tells one from another', async () => {
  const { plane, facts, notMeasured } = await findLogEvidence(telemetry.store, ACME, question());
  expect({ plane, notMeasured }).toEqual({ plane: 'logs', notMeasured: [] });
  const atMinute = (minute: number): number => SINCE_MS + minute * MINUTE_MS;
  const of = { kind: 'log.pattern', service: 'shop' };
  expect(facts).toEqual([
    { ...of, pattern: 'more of it #', severity: 'fatal', count: 9, usualCount: 1, atMs: atMinute(3) },
    { ...of, pattern: 'a little early #', severity: 'warn', count: 4, usualCount: 0, atMs: atMinute(-4) },
    { ...of, pattern: 'order # was not paid: no connection to #', severity: 'error', count: 4, usualCount: 0, atMs: atMinute(3) },
  ]);
});

test('both know nothing where no service is known, and of another tenant only its own', async () => {
  const nobody = question({ services: [] });
  expect(await findTraceEvidence(telemetry.store, ACME, nobody)).toMatchObject({ facts: [], notMeasured: [] });
  expect((await findLogEvidence(telemetry.store, ACME, nobody)).notMeasured).toHaveLength(1);
  expect((await findTraceEvidence(telemetry.store, OTHER, question())).facts).toMatchObject([{ operation: 'of another tenant' }]);
  expect((await findLogEvidence(telemetry.store, OTHER, question())).facts).toMatchObject([{ pattern: 'of another tenant #' }]);
});

test('a name or a line of any length and with anything in it stays within its bound', async () => {
  const odd = parseTenantId('odd');
  const name = `'; DROP TABLE spans -- ${'x'.repeat(5000)}`;
  await writeSpans(telemetry.store, odd, answered(name, 5, { failed: 20 }));
  await writeLogs(telemetry.store, odd, logged(`é"\\'{tenant:String} ${'y'.repeat(5000)}`, 3));
  const [span] = (await findTraceEvidence(telemetry.store, odd, question())).facts;
  const [line] = (await findLogEvidence(telemetry.store, odd, question())).facts;
  expect(span).toMatchObject({ operation: name.slice(0, 120) });
  expect(line).toMatchObject({ pattern: expect.stringMatching(/^é"\\'\{tenant:String\} y{280}$/) });
});
