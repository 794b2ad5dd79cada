import { EXPORT_REQUESTS } from '@svc/contracts/otlp/descriptor';
import { describe, expect, test } from 'vitest';
import { mutate } from '../walk/fuzz/test-mutate.ts';
import { OtlpFault, walk } from '../walk/index.ts';
import { encodeConforming } from '../walk/test-conforming.ts';
import { makeRequest, seedRandom } from '../walk/test-requests.ts';
import { BuildFault, createLogBuilder, createMetricBuilder, createSpanBuilder, type SignalBuilder } from './index.ts';

const nowMs = Date.now();
const options = { tenant: 'acme', nowMs };
const BUILDERS = {
  traces: createSpanBuilder,
  logs: createLogBuilder,
  metrics: () => createMetricBuilder({ application: 30, host: 30, flow: 30 }),
};

function build(builder: SignalBuilder, bytes: Buffer) {
  builder.add({ tenant: 'acme', bytes, at: nowMs, partition: 0, offsetLow: 1, offsetHigh: 0, large: true, stored: undefined });
  const { blocks, counts } = builder.finish();
  return { blocks, counts: counts.get('acme') };
}

describe.each(['traces', 'logs', 'metrics'] as const)('%s', (signal) => {
  test('what the walker lets through is built, each record once; what it refuses ends with a fault at worst', () => {
    const random = seedRandom(20_261_121);
    const builder = BUILDERS[signal]();
    const met = { built: 0, refused: 0, leftOut: 0 };
    for (let i = 0; i < 700; i++) {
      const clean = encodeConforming(signal, makeRequest(signal, random, options));
      const bytes = i % 3 === 0 ? clean : mutate(clean, EXPORT_REQUESTS[signal], random);
      try {
        const { items, rejected } = walk(signal, bytes, options);
        const { blocks, counts } = build(builder, bytes);
        const { rows = 0, leftOut = 0 } = counts ?? {};
        expect(rows + leftOut).toBe(items);
        const records = blocks.filter(({ table }) => table !== 'edge_marks').reduce((sum, block) => sum + block.rows, 0);
        if (signal !== 'metrics') expect([leftOut, records]).toEqual([rejected, rows]);
        met.built += rows;
        met.leftOut += leftOut;
      } catch (error) {
        if (!(error instanceof OtlpFault)) throw error;
        met.refused++;
        try {
          build(builder, bytes);
        } catch (fault) {
          expect(fault).toBeInstanceOf(BuildFault);
          builder.reset();
        }
      }
    }
    for (const count of Object.values(met)) expect(count).toBeGreaterThan(50);
  });
});
