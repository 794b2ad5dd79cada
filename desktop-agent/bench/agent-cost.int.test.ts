import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { measureAgentCost } from './agent-cost.ts';

/** Three minutes at ten times the cadence; the hour at the default one stands in docs/figures/agent.json. */
const MINUTES = 3;
const FASTER = 10;
const folder = join(import.meta.dirname, '..');

it.skipIf(process.platform !== 'linux')(
  'stays under 90 MiB and, at ten times the cadence, under ten times 0.3 % of a core and ten times 2 MB a day',
  { timeout: (MINUTES + 2) * 60_000 },
  async () => {
    execFileSync(process.execPath, [join(folder, 'build.js')]);
    const figures = await measureAgentCost({ minutes: MINUTES, faster: FASTER, program: join(folder, 'dist', 'svc-agent.mjs') });
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    expect(figures.rssAverageMib).toBeLessThan(90);
    expect(figures.cpuPercentSteady).toBeLessThan(0.3 * FASTER);
    expect(figures.sentBytesPerDayAtThisRate).toBeLessThan(2_000_000 * FASTER);
    expect(figures.results).toBeGreaterThan(MINUTES * FASTER * 3);
  },
);
