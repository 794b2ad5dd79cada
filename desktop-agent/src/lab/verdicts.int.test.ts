import { netlabUnavailable } from '@svc/testkit/netlab/netlab';
import { describe, expect, it } from 'vitest';
import { runSituation } from '../../e2e/verdicts/run-situation.ts';
import { score } from '../../e2e/verdicts/score.ts';
import { SITUATIONS } from '../../e2e/verdicts/situations/index.ts';

/** Ten of the corpus (docs/verdicts.md), of every layer one and more; all of them run in the long lane. */
const TEN = [
  'healthy-wired',
  'wifi-weak',
  'gateway-loss',
  'isp-delay',
  'path-delay-last-hop',
  'dns-servfail',
  'certificate-expired',
  'service-503',
  'service-slow-first-byte',
  'one-spike',
];
const reason = netlabUnavailable();
if (reason) process.stderr.write(`SKIPPED: ten situations in the network lab: ${reason}\n`);

describe.skipIf(reason)('in ten situations whose truth is known', { timeout: 120_000, concurrent: true }, () => {
  it.each(TEN)('%s: blames what is broken', async (name) => {
    const situation = SITUATIONS.find((one) => one.name === name);
    if (!situation) throw new Error(`there is no situation ${name}`);
    const outcome = await runSituation(situation);
    const [scored] = score([outcome]).scored;
    expect(scored, outcome.error ?? outcome.observed?.sentence).toMatchObject({ rightCause: true, rightKind: true });
  });
});
