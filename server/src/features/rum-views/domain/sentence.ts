import type { RumState, RumVerdict } from '@svc/contracts/rum/kinds';
import type { Tests, Users } from './judge.ts';
import { failingWords, hurtWords, unseenWords, viewWords, wellWords } from './words.ts';

export const COVERAGE_NOTE =
  'No beacons is no proof of health. Who did not consent, or sends Do Not Track or Global Privacy Control, is invisible, and so is any app without the snippet.';

export interface Said {
  host: string;
  state: RumState;
  verdict: RumVerdict;
  users: Users;
  tests: Tests;
}

const untested = (tests: Tests): string => (tests.tested ? '' : ' No http, https or browser test watches this host.');

function fewWords({ host, state, users, tests }: Said): string {
  const failing = tests.degraded ? ` Meanwhile ${failingWords(tests)}.` : '';
  if (state === 'waiting') return `${host} waits for its first beacon.${failing}`;
  if (users.views === 0) return `No beacon from ${host} in 15 minutes, which says nothing about its health.${failing}`;
  return `Too few views of ${host} to say anything: ${users.views} of ${users.views_needed} in 15 minutes.${failing}`;
}

/** What is so, in whole. */
export function sentenceOf(said: Said): string {
  const { host, verdict, users, tests } = said;
  if (!users.sufficient) return fewWords(said);
  if (verdict === 'user_impact_confirmed') return `Users of ${host} hurt: ${hurtWords(users)}, and ${failingWords(tests)} too.`;
  if (verdict === 'user_only_synthetic_blind')
    return tests.tested
      ? `Users of ${host} hurt: ${hurtWords(users)}, and ${unseenWords(tests)}.`
      : `Users of ${host} hurt: ${hurtWords(users)}.${untested(tests)}`;
  if (verdict === 'synthetic_only_no_user_impact')
    return `Users of ${host} are fine, though ${failingWords(tests)}: ${wellWords(users)}.`;
  return `Users of ${host} are fine: ${wellWords(users)}.${untested(tests)}`;
}

/** The same for a page of a device or a test of that host. */
export function shortSentence({ users, verdict }: Pick<Said, 'users' | 'verdict'>): string {
  if (!users.sufficient) return `Too few views to say: ${users.views} of ${users.views_needed} in 15 minutes.`;
  const isHurt = verdict === 'user_impact_confirmed' || verdict === 'user_only_synthetic_blind';
  return isHurt ? `Users hurt too: ${hurtWords(users)}.` : `Users are fine: ${wellWords(users)}.`;
}

/** Over all hosts: what is worst first. */
export function overviewSentence(rows: readonly Said[]): string {
  if (rows.length === 0) return 'No page view yet.';
  const worst =
    rows.find(({ verdict }) => verdict === 'user_impact_confirmed') ??
    rows.find(({ verdict }) => verdict === 'user_only_synthetic_blind');
  if (worst) {
    const hurt = rows.filter(({ users }) => users.degraded).length;
    const more = hurt > 1 ? ` Users of ${hurt - 1} more ${hurt === 2 ? 'host' : 'hosts'} hurt.` : '';
    return `${sentenceOf(worst)}${more}`;
  }
  const judged = rows.filter(({ users }) => users.sufficient);
  if (judged.length === 0) return 'Too few views of any host to say anything.';
  const views = judged.reduce((sum, { users }) => sum + users.views, 0);
  const failing = judged.filter(({ tests }) => tests.degraded).length;
  const tests = failing > 0 ? `, though tests of ${failing} of them fail` : '';
  return `Users of ${judged.length === 1 ? 'the one host' : `all ${judged.length} hosts`} with enough views are fine${tests}: ${viewWords(views)} in 15 minutes.`;
}
