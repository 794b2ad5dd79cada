import type { Browser } from '@svc/contracts/rum/kinds';
import { createRandom, hashOf, type Random } from '../domain/random.ts';
import type { SentLog, SentSpan } from '../shop/signals.ts';
import { activeFaults, askHost, durationAround } from './requests.ts';
import { MINUTE_MS, type Scenario } from './scenario.ts';

/** What visitors set off: requests with their spans and lines, and what their browsers tell. */

export interface SimulatedView {
  app: string;
  atMs: number;
  page: string;
  browser: Browser;
  lcpMs: number;
  ttfbMs: number;
  errors: number;
  failedRequests: number;
}

export interface Stretch {
  onsetMs: number;
  fromMs: number;
  toMs: number;
}

/** Of those who would come, who come while the host cannot be reached. */
const STILL_COME = 0.2;
/** Share of views with an error that nobody minds. */
const USUAL_ERRORS = 0.02;
const BROWSERS: readonly Browser[] = ['chrome', 'chrome', 'firefox', 'safari', 'edge'];

function crowdOf(scenario: Scenario, sinceMs: number): number {
  const load = Math.max(1, ...activeFaults(scenario, 'load', sinceMs).map(({ times }) => times));
  const isGone =
    activeFaults(scenario, 'certificate', sinceMs).length > 0 ||
    activeFaults(scenario, 'way', sinceMs).some(({ runners, keepsVisitors }) => runners === undefined && keepsVisitors !== true);
  return isGone ? load * STILL_COME : load;
}

/** About so many a minute, spread over it. */
function momentsOf(random: Random, { atMs, perMinute }: { atMs: number; perMinute: number }): number[] {
  const count = Math.floor(perMinute * random.between(0.8, 1.2) + random.next());
  return Array.from({ length: count }, () => atMs + random.next() * MINUTE_MS).sort((a, b) => a - b);
}

function* minutesOf({ fromMs, toMs }: Stretch): Generator<number> {
  for (let atMs = Math.floor(fromMs / MINUTE_MS) * MINUTE_MS; atMs < toMs; atMs += MINUTE_MS) yield atMs;
}

/** Spans and lines of the requests that begin in a stretch of time. */
export function trafficOf(scenario: Scenario, stretch: Stretch): { spans: SentSpan[]; logs: SentLog[] } {
  const { estate, seed } = scenario;
  const told: { spans: SentSpan[]; logs: SentLog[] } = { spans: [], logs: [] };
  if (estate.services.length === 0) return told;
  for (const minuteMs of minutesOf(stretch)) {
    const random = createRandom(hashOf('traffic', seed, minuteMs));
    const perMinute = estate.visitsPerMinute * crowdOf(scenario, minuteMs - stretch.onsetMs);
    for (const atMs of momentsOf(random, { atMs: minuteMs, perMinute })) {
      const { spans, logs } = askHost(scenario, { onsetMs: stretch.onsetMs, atMs, random });
      if (atMs < stretch.fromMs || atMs >= stretch.toMs) continue;
      told.spans.push(...spans);
      told.logs.push(...logs);
    }
  }
  return told;
}

/** Page views that end in a stretch of time. */
export function viewsOf(scenario: Scenario, stretch: Stretch): SimulatedView[] {
  const { users } = scenario.estate;
  if (!users) return [];
  const views: SimulatedView[] = [];
  for (const minuteMs of minutesOf(stretch)) {
    const random = createRandom(hashOf('views', scenario.seed, minuteMs));
    const sinceMs = minuteMs - stretch.onsetMs;
    const perMinute = users.viewsPerMinute * crowdOf(scenario, sinceMs);
    for (const atMs of momentsOf(random, { atMs: minuteMs, perMinute })) {
      const answer = askHost(scenario, { onsetMs: stretch.onsetMs, atMs, random });
      const pages = activeFaults(scenario, 'pages', atMs - stretch.onsetMs);
      const isBroken = random.next() < Math.max(USUAL_ERRORS, ...pages.map(({ errors = 0 }) => errors));
      const addMs = pages.reduce((sum, one) => sum + (one.addMs ?? 0), 0);
      const [browser, page] = [random.pick(BROWSERS), random.pick(['/', '/list', '/cart', '/account'])];
      const lcpMs = durationAround(random, users.renderMs + addMs) + 2 * answer.ms;
      if (atMs < stretch.fromMs || atMs >= stretch.toMs) continue;
      views.push({
        ...{ app: users.app, atMs: Math.round(atMs), page, browser, lcpMs, ttfbMs: answer.ms + 60 },
        ...{ errors: isBroken ? 1 : 0, failedRequests: answer.failed ? 1 : 0 },
      });
    }
  }
  return views;
}
