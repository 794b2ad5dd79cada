import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { targetOf } from '@svc/contracts/results/result-target';
import type { SessionMeasurement } from '@svc/probes/session';
import type { Phases, SessionReading } from '../../attribution/readings.ts';
import { medianLow } from '../../attribution/series.ts';
import type { SessionRole } from '../results.ts';
import { createTimedSeries, type TimedSeries } from './timed-series.ts';
import type { UsualValues } from './usual-values.ts';

/** The newest sessions to one URL. */
export interface SessionHistory {
  role: SessionRole;
  series: TimedSeries<SessionMeasurement>;
}

export const startSessionHistory = (role: SessionRole): SessionHistory => ({ role, series: createTimedSeries() });

/** As results and pages name it: two URLs of one host stay apart. */
export function targetName({ url, serverPort }: SessionMeasurement): string {
  const { hostname, port } = new URL(url);
  const given = port === '' ? undefined : Number(port);
  return targetOf({
    server_address: hostname.replace(/^\[|\]$/g, ''),
    server_port: serverPort ?? given,
    attributes: { [ATTRIBUTES.urlFull]: url },
  });
}

const PHASE_OF = { dns: 'dnsMs', connect: 'connectMs', tls: 'tlsMs', ttfb: 'ttfbMs' } as const satisfies Record<
  keyof Phases,
  keyof SessionMeasurement
>;
const PHASES = Object.keys(PHASE_OF) as (keyof Phases)[];

const given = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);

/** Each phase's median over those sessions in which it was part. */
function phasesOf(sessions: readonly SessionMeasurement[]): Phases {
  const medians = PHASES.flatMap((phase) => {
    const median = medianLow(given(sessions.map((one) => one[PHASE_OF[phase]])));
    return median === undefined ? [] : [[phase, median] as const];
  });
  return Object.fromEntries(medians);
}

/** A failure holds where the newest two failed, or most of all, until two in a row succeed: one alone may be a stray packet. */
function verdictOf(sessions: readonly SessionMeasurement[]): { success: boolean; unsure: boolean } {
  const failed = sessions.map((one) => !one.success);
  const count = failed.filter(Boolean).length;
  const newestAre = (value: boolean): boolean => sessions.length > 1 && failed.at(-1) === value && failed.at(-2) === value;
  // One success among failures ends nothing, two in a row do.
  const holds = (count > sessions.length / 2 || newestAre(true)) && !newestAre(false);
  return { success: !holds, unsure: !holds && !newestAre(false) && (failed.at(-1) === true || count > 1) };
}

const keyOf = (url: string, part: string): string => `session ${part} ${url}`;

/** What is usual of a URL on the present network is learned from the sessions that succeeded. */
export function learnSession(usual: UsualValues, session: SessionMeasurement): void {
  if (!session.success) return;
  usual.note(keyOf(session.url, 'total'), session.totalMs);
  for (const phase of PHASES) {
    const value = session[PHASE_OF[phase]];
    if (value !== null) usual.note(keyOf(session.url, phase), value);
  }
}

function usualOf(usual: UsualValues, url: string): NonNullable<SessionReading['usual']> {
  const parts = (['total', ...PHASES] as const).flatMap((part) => {
    const value = usual.usual(keyOf(url, part));
    return value === undefined ? [] : [[part, value] as const];
  });
  return Object.fromEntries(parts);
}

/** When the connection over IPv4 was tried at last, where one over IPv6 had been waited for; 0 where none was. */
function fallbackOf({ family, attempts }: SessionMeasurement): number {
  const isFallback = family === 4 && attempts.some((one) => one.family === 6);
  return isFallback ? (attempts.find((one) => one.family === 4)?.atMs ?? 0) : 0;
}

/** The newest sessions to one URL as one reading; undefined where there is none. */
export function readSessions(
  role: SessionRole,
  sessions: readonly SessionMeasurement[],
  usual: UsualValues,
): SessionReading | undefined {
  const newest = sessions.at(-1);
  if (!newest) return undefined;
  const held = verdictOf(sessions);
  const judged = sessions.filter((one) => one.success === held.success);
  // One whose name was not found has none, and yet it is the same service.
  const addresses = new Set(sessions.flatMap(({ address }) => address ?? []));
  const fallbackMs = medianLow(judged.map(fallbackOf));
  const total = medianLow(judged.map((one) => one.totalMs));
  const failed = held.success ? undefined : sessions.findLast((one) => !one.success);
  return {
    target: targetName(newest),
    role,
    host: new URL(newest.url).hostname.replace(/^\[|\]$/g, ''),
    success: held.success,
    ...(held.unsure ? { unsure: true } : {}),
    ...(total === undefined ? {} : { totalMs: total }),
    phases: phasesOf(judged),
    usual: usualOf(usual, newest.url),
    readings: sessions.length,
    viaProxy: newest.viaProxy,
    ...(newest.family === 6 && newest.success ? { overIpv6: true } : {}),
    ...(fallbackMs === undefined ? {} : { fallbackMs }),
    isSecure: newest.url.startsWith('https:'),
    ...(newest.ledAway ? { ledAway: true } : {}),
    ...(newest.plainHttp === undefined ? {} : { plainHttp: newest.plainHttp }),
    ...(addresses.size > 0 ? { addresses: [...addresses] } : {}),
    ...(newest.pathMtu && newest.pathMtu.mtuBytes !== null ? { largeLost: newest.pathMtu.isBlackHole } : {}),
    ...(failed ? { failure: { phase: failed.errorPhase ?? 'request', code: failed.error ?? 'EUNKNOWN' } } : {}),
  };
}

/** From here on a session that is slower than the others is worth a second look, milliseconds. */
const DOUBT_MS = 1000;
const DOUBT_FACTOR = 2;

/** The newest differs from those before it, and alone decides nothing. */
export function isDoubtful(history: SessionHistory | undefined): boolean {
  const sessions = history?.series.all() ?? [];
  const newest = sessions.at(-1);
  if (!newest || sessions.length < 2) return false;
  if (!newest.success) return verdictOf(sessions).unsure;
  const before = medianLow(sessions.slice(0, -1).map((one) => one.totalMs)) ?? 0;
  const median = medianLow(sessions.map((one) => one.totalMs)) ?? 0;
  return newest.totalMs >= Math.max(DOUBT_MS, before * DOUBT_FACTOR) && median < newest.totalMs / DOUBT_FACTOR;
}
