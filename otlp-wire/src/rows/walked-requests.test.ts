import { EXPORT_REQUESTS } from '@svc/contracts/otlp/descriptor';
import { expect, it } from 'vitest';
import { mutate } from '../walk/fuzz/test-mutate.ts';
import { OtlpFault, type Signal, walk } from '../walk/index.ts';
import { encodeConforming } from '../walk/test-conforming.ts';
import { makeRequest, type Random, seedRandom } from '../walk/test-requests.ts';
import { countsOf, createLogBuilder, createMetricBuilder, createSpanBuilder } from './index.ts';

const nowMs = Date.UTC(2026, 10, 21);
const tenant = 'acme';
const builders = {
  traces: createSpanBuilder,
  logs: createLogBuilder,
  metrics: () => createMetricBuilder({ application: 30, host: 30, flow: 30 }),
};

function tryWalk(signal: Signal, bytes: Buffer) {
  try {
    return walk(signal, bytes, { tenant, nowMs });
  } catch (error) {
    if (error instanceof OtlpFault) return undefined;
    throw error;
  }
}

function* makeRequests(signal: Signal, random: Random) {
  for (let round = 0; round < 150; round += 1) {
    const options = { nowMs, ...(random.chance(0.5) ? { tenant } : {}) };
    const whole = encodeConforming(signal, makeRequest(signal, random, options));
    yield whole;
    for (let i = 0; i < 6; i += 1) yield mutate(whole, EXPORT_REQUESTS[signal], random);
  }
}

it.each<Signal>(['traces', 'logs', 'metrics'])(
  'builds of %s what the walker lets through, item for item, and never fails',
  (signal) => {
    const builder = builders[signal]();
    let walkedCount = 0;
    for (const bytes of makeRequests(signal, seedRandom(23))) {
      const walked = tryWalk(signal, bytes);
      if (!walked) continue;
      walkedCount += 1;
      const position = { partition: 0, offsetLow: walkedCount, offsetHigh: 0, stored: undefined };
      builder.add({ tenant, bytes: walked.bytes, at: nowMs, large: walkedCount % 2 === 0, ...position });
      const { rows, leftOut } = countsOf(builder.finish().counts, tenant);
      expect(rows + leftOut).toBe(walked.items);
      // A point may be in time and still be no number.
      if (signal !== 'metrics') expect(leftOut).toBe(walked.rejected);
      else expect(leftOut).toBeGreaterThanOrEqual(walked.rejected);
    }
    expect(walkedCount).toBeGreaterThan(400);
  },
);
