import { Measured } from '@svc/contracts/tests/run-report';
import { createNetlab, type Netlab, netlabUnavailable } from '@svc/testkit/netlab/netlab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureInLab } from '../../testing/lab.ts';
import { spec } from '../testing/servers.ts';

const params = { count: 5, spacing_ms: 20 };
const run = async (lab: Netlab, target: string, other: object = {}) => {
  const { results } = await measureInLab<Measured>(
    lab,
    'test',
    spec({ type: 'icmp', target, params: { ...params, ...other }, timeout_seconds: 2 }),
  );
  return Measured.parse(results[0]);
};

describe.skipIf(netlabUnavailable() !== undefined)('a test of icmp', () => {
  let lab: Netlab;
  beforeAll(async () => {
    lab = await createNetlab({ icmpSockets: true, icmpRateLimit: false, links: [{}, { delayMs: 10 }] });
  });
  afterAll(() => lab?.close());

  it.each([4, 6] as const)('measures round trips over IPv%i', async (family) => {
    const address = family === 4 ? lab.server.v4 : lab.server.v6;
    const measured = await run(lab, address, { bytes: 1200, assertions: { loss_max_ratio: 0, rtt_avg_ms: 500, jitter_ms: 500 } });
    expect(measured).toMatchObject({
      success: true,
      address,
      figures: { 'packets.sent': 5, 'packets.received': 5, 'packet.loss.ratio': 0 },
    });
    expect(measured.figures['rtt.avg.ms']).toBeGreaterThan(19);
    expect(measured.total_ms).toBeCloseTo(measured.figures['rtt.avg.ms'] ?? 0, 5);
  });

  it('counts what is lost, and says that nothing answers or that there is no way', async () => {
    await lab.setLink(1, { lossRatio: 1 });
    expect(await run(lab, lab.server.v4)).toMatchObject({
      fault: 'no_answer',
      error: expect.stringContaining('none of 5 echo requests'),
      figures: { 'packet.loss.ratio': 1 },
    });
    await lab.setLink(1, { lossRatio: 0 });
    expect(await run(lab, '203.0.113.250')).toMatchObject({
      success: false,
      fault: expect.stringMatching(/unroutable|no_answer/),
    });
  });

  it('fails on a round trip that is too long', async () => {
    expect(await run(lab, lab.server.v4, { assertions: { rtt_avg_ms: 5 } })).toMatchObject({
      fault: 'assertion',
      error: expect.stringMatching(/wanted round trip within 5 ms, got \d+/),
    });
  });
});

describe.skipIf(netlabUnavailable() !== undefined)('a machine that lets nobody send echo requests', () => {
  it('says so, and counts it as not run', async () => {
    const lab = await createNetlab({});
    try {
      expect(await run(lab, lab.server.v4)).toMatchObject({
        fault: 'not_capable',
        error: expect.stringContaining('ping_group_range'),
      });
    } finally {
      await lab.close();
    }
  });
});
