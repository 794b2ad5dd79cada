import { describe, expect, it } from 'vitest';
import { OtlpFault, type Signal, split, walk } from './index.ts';
import { decodeConforming, encodeConforming } from './test-conforming.ts';
import { makeRequest, seedRandom } from './test-requests.ts';

const nowMs = Date.UTC(2026, 10, 21);
const options = { tenant: 'acme', nowMs };

type Tree = Record<string, unknown>;
const levels: Record<Signal, string[]> = {
  traces: ['resource_spans', 'scope_spans', 'spans'],
  logs: ['resource_logs', 'scope_logs', 'log_records'],
  metrics: ['resource_metrics', 'scope_metrics', 'metrics'],
};
const kinds = ['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'];

/** Each record with all that stands around it, in order: what a split must not change. */
function flatten(signal: Signal, bytes: Buffer): unknown[] {
  const walkLevel = (node: Tree, names: string[], around: Tree[]): unknown[] => {
    const [name, ...below] = names;
    const beside = Object.fromEntries(Object.entries(node).filter(([key]) => key !== name));
    if (name) return ((node[name] ?? []) as Tree[]).flatMap((child) => walkLevel(child, below, [...around, beside]));
    const kind = kinds.find((key) => key in node);
    if (signal !== 'metrics' || !kind) return [[...around, node]];
    const { data_points = [], ...data } = node[kind] as { data_points?: unknown[] };
    return data_points.map((point) => [...around, { ...node, [kind]: data }, point]);
  };
  return walkLevel(decodeConforming(signal, bytes), levels[signal], []);
}

const faultOf = (cut: () => unknown) => {
  try {
    cut();
  } catch (error) {
    if (error instanceof OtlpFault) return error.kind;
    throw error;
  }
  return 'none';
};

describe.each<Signal>(['traces', 'logs', 'metrics'])('splitting %s', (signal) => {
  it('keeps each record, all that stands around it, and their order, in pieces that are small enough', () => {
    let cuts = 0;
    const random = seedRandom(11);
    for (let round = 0; round < 200; round += 1) {
      const { bytes } = walk(signal, encodeConforming(signal, makeRequest(signal, random, { nowMs })), options);
      const maxBytes = Math.max(50, Math.floor(bytes.length * random.pick([0.2, 0.5, 0.9, 0.99])));
      let pieces: Buffer[];
      try {
        pieces = split(signal, bytes, maxBytes);
      } catch (error) {
        expect(error).toMatchObject({ kind: 'too_large' });
        continue;
      }
      cuts += pieces.length;
      expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(maxBytes);
      for (const piece of pieces) expect(walk(signal, piece, options).bytes).toBe(piece);
      expect(pieces.flatMap((piece) => flatten(signal, piece))).toEqual(flatten(signal, bytes));
    }
    expect(cuts).toBeGreaterThan(100);
  });
});

const text = (length: number) => ({ string_value: 'x'.repeat(length) });
const logs = (resourceBytes: number, records: number, recordBytes: number) =>
  encodeConforming('logs', {
    resource_logs: [
      {
        resource: { attributes: [{ key: 'k', value: text(resourceBytes) }] },
        scope_logs: [{ log_records: Array.from({ length: records }, () => ({ body: text(recordBytes) })) }],
      },
    ],
  });

it('gives a request that fits back as it is', () => {
  const body = logs(10, 3, 10);
  const [piece, ...more] = split('logs', body, body.length);
  expect(piece).toBe(body);
  expect(more).toEqual([]);
});

it('refuses a record that does not fit, and what would be repeated too often', () => {
  expect(faultOf(() => split('logs', logs(10, 3, 2000), 2000))).toBe('too_large');
  expect(faultOf(() => split('logs', logs(2000, 100, 10), 3000))).toBe('too_large');
  const scope = { attributes: [{ key: 'k', value: text(30_000) }] };
  const scope_logs = [{ scope, log_records: Array.from({ length: 5000 }, () => ({ body: text(10) })) }];
  const both = encodeConforming('logs', { resource_logs: [{ resource: scope, scope_logs }] });
  expect(faultOf(() => split('logs', both, 100_000))).toBe('too_large');
  expect(faultOf(() => split('logs', both, 130_000))).toBe('none');
});

it('makes at most a few times as much of a request as it was', () => {
  for (const [resourceBytes, recordBytes] of [
    [40_000, 1],
    [49_000, 100],
    [30_000, 49_000],
    [1, 51_000],
  ] as const) {
    const body = logs(resourceBytes, Math.ceil(1_000_000 / (recordBytes + 10)), recordBytes);
    const pieces = split('logs', body, 100_000);
    expect(pieces.reduce((sum, piece) => sum + piece.length, 0)).toBeLessThan(4 * body.length);
  }
});

it('cuts one metric of many points, with its name in each piece', () => {
  const points = Array.from({ length: 1000 }, (_, i) => ({ time_unix_nano: '1', as_int: String(i) }));
  const sum = { aggregation_temporality: 2, is_monotonic: true, data_points: points };
  const body = encodeConforming('metrics', {
    resource_metrics: [{ scope_metrics: [{ metrics: [{ name: 'requests', unit: '1', sum }] }] }],
  });
  const pieces = split('metrics', body, 2000);
  expect(pieces.length).toBeGreaterThan(5);
  expect(pieces.flatMap((piece) => flatten('metrics', piece))).toEqual(flatten('metrics', body));
});
