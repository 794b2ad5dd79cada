import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import type { RumKind, Signalled } from './episode.ts';
import type { Said } from './sentence.ts';
import { sentenceOf } from './sentence.ts';
import { viewWords } from './words.ts';

const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);

function testsWords({ degraded, tested, runs, failed }: Said['tests']): string {
  if (degraded) return ', and tests fail';
  if (!tested) return ', and no test watches';
  if (runs === 0) return ', and no test ran';
  return failed === 0 ? ', unseen by tests' : ', hardly seen by tests';
}

/** What a signal says, from the judgement that raises it. */
export function signalWords(said: Said & { app: string }, atMs: number): Signalled {
  const { app, host, users, tests } = said;
  const slow = users.by.includes('lcp') ? 'wait' : 'meet errors';
  const hurt = `${users.affected_views} of ${viewWords(users.views)} in 15 minutes were hurt.`;
  return {
    atMs,
    title: cut(`Users of ${host} ${slow}${testsWords(tests)}`, 200),
    summary: cut(`${sentenceOf(said)} ${hurt}`, 2000),
    attributes: {
      'app.name': app,
      'server.address': host,
      'rum.views': String(users.views),
      'rum.affected_views': String(users.affected_views),
      ...(users.error_rate === null ? {} : { 'rum.error_rate': users.error_rate.toFixed(4) }),
      ...(users.p75_lcp_ms === null ? {} : { 'rum.p75_lcp_ms': String(Math.round(users.p75_lcp_ms)) }),
      ...(tests.failing.length === 0 ? {} : { 'test.ids': cut(tests.failing.map(({ id }) => id).join(','), 1024) }),
      'test.runs': String(tests.runs),
      'test.failed': String(tests.failed),
    },
  };
}

export const dedupKeyOf = ({ app, host }: { app: string; host: string }): string => cut(`${app}/${host}`, 256);

export const toSignal = (kind: RumKind, of: { app: string; host: string }, words: Signalled): RaisedSignal => ({
  ...{ plane: 'rum', kind, severity: 'warning', title: words.title, summary: words.summary },
  ...{ target: of.host, attributes: words.attributes, occurred_at: new Date(words.atMs).toISOString() },
  dedup_key: dedupKeyOf(of),
});
