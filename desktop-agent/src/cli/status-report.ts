import type { AboutView, LedgerPage, ServiceState } from '@svc/contracts/agent/ipc';
import { type Face, headline, type Platform, sharedWords } from '../i18n/state-words.ts';
import { systemTags } from '../i18n/system-tags.ts';
import { createWords, type Words } from '../i18n/words.ts';
import { isDate } from '../publish/ledger-time.ts';

/** What `svc-agent status` prints, for a program: the names are kept. Times are ISO 8601; null is not known or not there. */
export interface StatusReport {
  /** Null: one may run as another user, who alone may ask it. */
  running: boolean | null;
  /** Of the service that answers, else of this program. */
  version: string;
  stateDir: string;
  state: ServiceState['state'] | null;
  server: string | null;
  organisation: string | null;
  agentId: string | null;
  connected: boolean | null;
  offlineSince: string | null;
  problem: ServiceState['problem'];
  verdict: { cause: string; confidence: number; since: string } | null;
  /** What a window says first, in one line of English. */
  sentence: string;
  /** How many others at this place have the same, since when; null where the control plane tells nothing. */
  shared: { others: number; since: string | null } | null;
  lastSent: { at: string; results: number; bytes: number } | null;
  waiting: number | null;
  dropped: number | null;
  pausedUntil: string | null;
  /** What to do where nothing answers. */
  advice: string | null;
}

const iso = (atMs: number | null): string | null => (atMs === null ? null : new Date(atMs).toISOString());

export function lastSentOf(page: LedgerPage): StatusReport['lastSent'] {
  const newest = page.entries.find(({ atMs }) => isDate(atMs));
  return newest ? { at: new Date(newest.atMs).toISOString(), results: newest.results, bytes: newest.bytes } : null;
}

export interface Answers {
  version: string;
  state: ServiceState;
  about: AboutView;
  ledger: LedgerPage;
}

/** Of a service that answers. */
export function reportOf({ version, state, about, ledger }: Answers, nowMs: number): StatusReport {
  const { verdict } = state;
  const face: Face = { reachable: true, state };
  const { title, detail } = headline(createWords('en', systemTags()), face, { nowMs, platform: process.platform as Platform });
  return {
    running: true,
    version,
    stateDir: about.stateDir,
    state: state.state,
    server: state.server,
    organisation: state.organisation,
    agentId: about.agentId,
    connected: state.connected,
    offlineSince: iso(state.offlineSinceMs),
    problem: state.problem,
    verdict: verdict && { cause: verdict.cause, confidence: verdict.confidence, since: new Date(verdict.sinceMs).toISOString() },
    sentence: `${title}. ${detail}`.trim(),
    shared: state.shared ? { others: state.shared.others, since: iso(state.shared.sinceMs) } : null,
    lastSent: lastSentOf(ledger),
    waiting: state.waiting,
    dropped: state.dropped,
    pausedUntil: iso(state.pausedUntilMs),
    advice: null,
  };
}

export interface Kept {
  running: false | null;
  version: string;
  stateDir: string;
  server: string | null;
  agentId: string | null;
  lastSent: StatusReport['lastSent'];
  advice: string;
}

/** Of one that does not answer: what its state directory holds, as far as it may be read. */
export const reportOfKept = (kept: Kept): StatusReport => ({
  state: null,
  organisation: null,
  connected: null,
  offlineSince: null,
  problem: null,
  verdict: null,
  shared: null,
  sentence: kept.running === null ? 'Whether the agent runs cannot be seen from here.' : 'The agent does not run.',
  waiting: null,
  dropped: null,
  pausedUntil: null,
  ...kept,
});

const row = (name: string, words: string): string => `${name.padEnd(14)}${words}`;
const readings = (words: Words, count: number): string => `${words.number(count)} ${count === 1 ? 'reading' : 'readings'}`;

function connectionWords(report: StatusReport, when: (at: string) => string): string {
  if (report.server === null) return 'none: this device is not enrolled';
  if (report.connected) return 'connected';
  const since = report.offlineSince === null ? 'not connected yet' : `offline since ${when(report.offlineSince)}`;
  return report.problem === null || report.problem === 'network' ? since : `${since} (${report.problem.replaceAll('_', ' ')})`;
}

function sharedLines(words: Words, { shared }: StatusReport, nowMs: number): string[] {
  if (shared === null) return [];
  const sinceMs = shared.since === null ? null : Date.parse(shared.since);
  return [sharedWords(words, { shared: { others: shared.others, sinceMs } }, nowMs)];
}

/** The report for a person at a terminal, in English. */
export function statusText(report: StatusReport, nowMs: number): string {
  const words = createWords('en', systemTags());
  const when = (at: string): string => {
    const atMs = Date.parse(at);
    const isToday = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
    return isToday ? words.clock(atMs) : `${words.date(atMs, nowMs)}, ${words.clock(atMs)}`;
  };
  const { server, organisation, agentId, lastSent, waiting, dropped, pausedUntil, advice } = report;
  const enrolled =
    server === null
      ? 'no: run "svc-agent enroll --server URL --token TOKEN"'
      : [server, organisation, agentId].filter((part) => part !== null).join(', ');
  const isKnown = report.running !== null || server !== null;
  return [
    report.sentence,
    ...sharedLines(words, report, nowMs),
    ...(advice === null ? [] : [advice]),
    '',
    row('running', report.running === null ? 'unknown' : report.running ? 'yes' : 'no'),
    row('version', report.version),
    row('folder', report.stateDir),
    ...(isKnown ? [row('enrolled', enrolled)] : []),
    ...(report.running ? [row('connection', connectionWords(report, when))] : []),
    ...(isKnown
      ? [
          row(
            'last sent',
            lastSent
              ? `${when(lastSent.at)}, ${readings(words, lastSent.results)}, ${words.bytes(lastSent.bytes)}`
              : 'nothing in the last 7 days',
          ),
        ]
      : []),
    ...(waiting === null ? [] : [row('waiting', readings(words, waiting))]),
    ...(dropped === null || dropped === 0 ? [] : [row('dropped', readings(words, dropped))]),
    ...(report.running ? [row('paused until', pausedUntil === null ? 'not paused' : when(pausedUntil))] : []),
  ].join('\n');
}
