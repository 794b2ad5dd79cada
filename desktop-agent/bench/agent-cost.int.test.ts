import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EndpointResult } from '../src/result.ts';
import { builtAgent } from '../src/testing/agent-process.ts';
import { type CostFigures, measureAgentCost } from './agent-cost.ts';

/** Three minutes at ten times the cadence; the hour at the default one stands in docs/figures/agent.json. */
const MINUTES = 3;
const FASTER = 10;
const NEAR_MS = 6000;
const FAR_MS = 30_000;
/** Jitter is five percent either way; a timer comes late on a busy machine, never early. */
const LEAST = 0.95;
const MOST = 1.05;
const LATE_MS = 150;
const CLOCK_MS = 20;
/** Enrolling before the first turn, and what is measured after the last verdict stays in the spool. */
const ENDS_MS = 30_000;

let measured: { figures: CostFigures; received: EndpointResult[] } | undefined;
let figures: CostFigures;
let received: EndpointResult[];

describe.skipIf(process.platform !== 'linux')('the built agent, three minutes at ten times the cadence', () => {
  beforeEach(
    async () => {
      measured ??= await measureAgentCost({ minutes: MINUTES, faster: FASTER, program: builtAgent });
      ({ figures, received } = measured);
    },
    (MINUTES + 2) * 60_000,
  );
  // A second try of what failed is worth something on figures of its own only.
  afterEach(({ task }) => {
    if (task.result?.state !== 'fail') return;
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    measured = undefined;
  });
  const timesOf = (type: string): number[] =>
    received.filter((result) => result.canary_type === type).map((result) => Date.parse(result.started_at));

  it('stays under 80 MiB, 0.6 % of a core and 13 MB a day', () => {
    expect(figures.rssAverageMib).toBeLessThan(80);
    expect(figures.rssLargestMib).toBeLessThan(84);
    expect(figures.cpuPercentSteady).toBeLessThan(0.6);
    expect(figures.sentBytesPerDay).toBeLessThan(13_000_000);
  });

  it.each([
    ['endpoint.wifi', NEAR_MS],
    ['endpoint.agent', FAR_MS],
    ['endpoint.session', FAR_MS],
  ])('measures %s as often as its interval says, to the end', (type, intervalMs) => {
    // Of sessions, the one that is begun second: both are begun at once.
    const times = timesOf(type).filter((at, i, all) => at - (all[i - 1] ?? 0) > intervalMs / 10);
    const gaps = times.slice(1).map((at, i) => at - (times[i] as number));
    const spanMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
    expect(spanMs).toBeGreaterThan(MINUTES * 60_000 - ENDS_MS - intervalMs * MOST);
    expect(Math.min(...gaps)).toBeGreaterThan(intervalMs * LEAST - CLOCK_MS);
    expect(spanMs / gaps.length).toBeLessThan(intervalMs * MOST + LATE_MS);
  });

  it('judges after each look at the gateway, and sends each result once', () => {
    expect(timesOf('endpoint.attribution')).toHaveLength(timesOf('endpoint.gateway').length);
    expect(new Set(received.map((result) => result.result_id)).size).toBe(received.length);
  });
});
