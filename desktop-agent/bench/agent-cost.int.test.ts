import { expect, it } from 'vitest';
import { builtAgent } from '../src/testing/agent-process.ts';
import { measureAgentCost } from './agent-cost.ts';

/** Three minutes at ten times the cadence; the hour at the default one stands in docs/figures/agent.json. */
const MINUTES = 3;
const FASTER = 10;

it.skipIf(process.platform !== 'linux')(
  'stays under 90 MiB and, at ten times the cadence, under ten times 0.3 % of a core and ten times 2 MB a day',
  { timeout: (MINUTES + 2) * 60_000 },
  async () => {
    const figures = await measureAgentCost({ minutes: MINUTES, faster: FASTER, program: builtAgent });
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    expect(figures.rssAverageMib).toBeLessThan(90);
    expect(figures.cpuPercentSteady).toBeLessThan(0.3 * FASTER);
    expect(figures.sentBytesPerDayAtThisRate).toBeLessThan(2_000_000 * FASTER);
    expect(figures.results).toBeGreaterThan(MINUTES * FASTER * 2);
  },
);
