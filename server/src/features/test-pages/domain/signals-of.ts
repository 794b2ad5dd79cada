import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import type { TestSettings } from '@svc/contracts/tests/keeping';
import type { Test } from '@svc/contracts/tests/test';
import { SEEN_WITHIN_MS } from './certificates.ts';
import type { Head, Judgement } from './judge.ts';
import { instantWords, listWords } from './words.ts';

/** What a test raises now; compared with what it raised before by whoever keeps signals. */

export interface SignalFacts {
  test: Test;
  judgement: Judgement;
  /** In whole, as the test's page has it: its instants are ISO 8601, for the reader's own clock. */
  sentence: string;
  /** Why it fails, as the rest of a sentence: what was wanted and what came. */
  cause?: string | undefined;
  /** Names of the runners by id. */
  nameOf: (runnerId: string) => string;
  nowMs: number;
}

const DAY_MS = 86_400_000;
const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);
/** It holds what the target answered: bounded, and on one line. */
const MOST_CAUSE = 300;
const lineOf = (cause: string): string => cut(cause.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim(), MOST_CAUSE);
const iso = (ms: number): string => new Date(ms).toISOString();

const common = ({ test }: Pick<SignalFacts, 'test'>) => ({
  plane: 'tests' as const,
  target: test.target,
  ...(test.site ? { site: test.site } : {}),
});

const attributesOf = ({ test }: Pick<SignalFacts, 'test'>, more: Record<string, string>): Record<string, string> => ({
  'test.id': test.id,
  'test.name': test.name,
  'test.type': test.type,
  ...more,
});

const idsOf = (runners: Judgement['runners']): string => cut(runners.map(({ id }) => id).join(','), 1024);

/** One signal a test, which names its runners; critical where none of those that run it passes. */
export function failingSignal(facts: SignalFacts): RaisedSignal | undefined {
  const { test, judgement, sentence, cause, nameOf, nowMs } = facts;
  if (judgement.state !== 'failing') return undefined;
  const failing = judgement.runners.filter(({ state }) => state === 'failing');
  const passes = judgement.runners.some(({ state }) => state === 'passing');
  const names = listWords(failing.map(({ id }) => nameOf(id)));
  return {
    ...common(facts),
    kind: 'test.failing',
    severity: passes ? 'warning' : 'critical',
    title: cut(`${test.name} fails${names ? ` from ${names}` : ''}`, 200),
    summary: cut(sentence, 2000),
    attributes: attributesOf(facts, { 'runner.id': idsOf(failing), ...(cause ? { 'test.cause': lineOf(cause) } : {}) }),
    occurred_at: iso(judgement.sinceMs ?? nowMs),
    dedup_key: `test.failing/${test.id}`,
  };
}

/** A test that nobody paused and that no window covers, and that nobody has run for so long that it counts. */
export function notRunningSignal(facts: SignalFacts, { silentMs }: { silentMs: number }): RaisedSignal | undefined {
  const { test, judgement, sentence, nowMs } = facts;
  if (judgement.state !== 'not_running') return undefined;
  const silent = judgement.runners.filter(({ state }) => state === 'not_running');
  const measured = judgement.runners.flatMap(({ head }) => head?.measuredAtMs ?? []);
  const lastMs = Math.max(Date.parse(test.updated_at), judgement.ranAtMs ?? 0, ...measured);
  if (nowMs - lastMs <= silentMs) return undefined;
  return {
    ...common(facts),
    kind: 'test.not_running',
    severity: 'warning',
    title: cut(`${test.name} does not run`, 200),
    summary: cut(sentence, 2000),
    attributes: attributesOf(facts, { reason: judgement.reason ?? 'late', 'runner.id': idsOf(silent) }),
    occurred_at: iso(lastMs),
    dedup_key: `test.not_running/${test.id}`,
  };
}

export interface CertificateEnd {
  endsMs: number;
  /** The newest run that showed it began then. */
  seenAtMs: number;
}

interface CertifiedHead extends Head {
  certificateEndsMs: number | undefined;
  certificateSeenMs: number | undefined;
}

/** Of the runners of a test, what each saw last: a run that came to no handshake saw none. */
export const certificateEnds = ({ runners }: Judgement<CertifiedHead>): CertificateEnd[] =>
  runners.flatMap(({ head }) =>
    head?.certificateEndsMs === undefined || head.certificateSeenMs === undefined
      ? []
      : [{ endsMs: head.certificateEndsMs, seenAtMs: head.certificateSeenMs }],
  );

/** Of a certificate that was seen lately: one of a test that stopped running says nothing of today. */
export function certificateSignal(
  facts: Omit<SignalFacts, 'judgement' | 'sentence' | 'nameOf'>,
  ends: readonly CertificateEnd[],
  settings: Pick<TestSettings, 'certificate_warning_days' | 'certificate_critical_days'>,
): RaisedSignal | undefined {
  const { test, nowMs } = facts;
  const seen = ends.filter(({ seenAtMs }) => nowMs - seenAtMs < SEEN_WITHIN_MS).map(({ endsMs }) => endsMs);
  if (!test.enabled || seen.length === 0) return undefined;
  const endsMs = Math.min(...seen);
  const leftMs = endsMs - nowMs;
  if (leftMs > settings.certificate_warning_days * DAY_MS) return undefined;
  const days = Math.floor(leftMs / DAY_MS);
  const left =
    leftMs <= 0 ? 'has expired' : days === 0 ? 'expires within a day' : `expires in ${days} ${days === 1 ? 'day' : 'days'}`;
  return {
    ...common(facts),
    kind: 'test.certificate_expiring',
    severity: leftMs <= settings.certificate_critical_days * DAY_MS ? 'critical' : 'warning',
    title: cut(`The certificate of ${test.name} ${left}`, 200),
    summary: `The certificate that ${test.target} shows is valid until ${instantWords(endsMs)}.`.slice(0, 2000),
    attributes: attributesOf(facts, { 'certificate.not_after': iso(endsMs) }),
    occurred_at: iso(nowMs),
    dedup_key: `test.certificate_expiring/${test.id}`,
  };
}
