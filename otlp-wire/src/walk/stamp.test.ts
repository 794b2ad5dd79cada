import { describe, expect, it } from 'vitest';
import { type Signal, walk } from './index.ts';
import { conformingType, decodeConforming, encodeConforming } from './test-conforming.ts';
import { makeRequest, seedRandom } from './test-requests.ts';

const nowMs = Date.UTC(2026, 10, 21);
const own = (tenant: string) => ({ key: 'svc.tenant.id', value: { string_value: tenant } });
const signals: Signal[] = ['traces', 'logs', 'metrics'];
const listOf = { traces: 'resource_spans', logs: 'resource_logs', metrics: 'resource_metrics' };

type Resources = { resource?: { attributes?: unknown[] } | null }[];
const resourcesOf = (signal: Signal, request: Record<string, unknown>) => (request[listOf[signal]] ?? []) as Resources;

/** What anyone would do with a library: decode, push where the key is missing, encode. */
function stampByLibrary(signal: Signal, bytes: Buffer, tenant: string): Buffer {
  const type = conformingType(signal);
  const request = type.decode(bytes) as unknown as Record<string, unknown>;
  for (const part of resourcesOf(signal, request)) {
    part.resource ??= {};
    const attributes = part.resource.attributes ?? [];
    if (!(attributes as { key: string }[]).some(({ key }) => key === 'svc.tenant.id'))
      part.resource.attributes = [...attributes, own(tenant)];
  }
  return Buffer.from(type.encode(request).finish());
}

describe.each(signals)('stamping %s', (signal) => {
  it('gives byte for byte what decoding, pushing and encoding with a library gives', () => {
    const random = seedRandom(7);
    for (let round = 0; round < 150; round += 1) {
      const tenant = random.pick(['a', 'acme', 't'.repeat(63), 'x'.repeat(120)]);
      const body = encodeConforming(signal, makeRequest(signal, random, { nowMs, tenant }));
      const { bytes } = walk(signal, body, { tenant, nowMs });
      expect(bytes.equals(stampByLibrary(signal, body, tenant))).toBe(true);
    }
  });

  it('gives the same in place where there is room, and elsewhere where there is not', () => {
    const random = seedRandom(8);
    const seen = { inPlace: 0, elsewhere: 0 };
    for (let round = 0; round < 150; round += 1) {
      const tenant = random.pick(['a', 'acme', 't'.repeat(63)]);
      const body = encodeConforming(signal, makeRequest(signal, random, { nowMs, tenant }));
      const wanted = walk(signal, body, { tenant, nowMs }).bytes;
      const growth = wanted.length - body.length;
      for (const room of [growth - 1, growth, growth + 200]) {
        if (room < 0 || growth === 0) continue;
        const memory = Buffer.from(new SharedArrayBuffer(room + body.length + 9)).fill(7);
        body.copy(memory, room);
        const { bytes } = walk(signal, memory.subarray(room, room + body.length), { tenant, nowMs, room });
        expect(bytes.equals(wanted)).toBe(true);
        expect(memory.subarray(room + body.length).every((byte) => byte === 7)).toBe(true);
        expect(bytes.buffer === memory.buffer).toBe(room >= growth);
        seen[room >= growth ? 'inPlace' : 'elsewhere'] += 1;
      }
    }
    expect(Math.min(seen.inPlace, seen.elsewhere)).toBeGreaterThan(50);
  });

  it('leaves what it has stamped as it is', () => {
    const body = encodeConforming(signal, makeRequest(signal, seedRandom(3), { nowMs }));
    const { bytes } = walk(signal, body, { tenant: 'acme', nowMs });
    expect(walk(signal, bytes, { tenant: 'acme', nowMs }).bytes).toBe(bytes);
  });

  it('gives a resource to who has none, and a request without resources back', () => {
    const body = encodeConforming(signal, { [listOf[signal]]: [{ schema_url: 'u' }, {}] });
    const stamped = decodeConforming(signal, walk(signal, body, { tenant: 'acme', nowMs }).bytes);
    expect(resourcesOf(signal, stamped)).toEqual([
      { resource: { attributes: [own('acme')] }, schema_url: 'u' },
      { resource: { attributes: [own('acme')] } },
    ]);
    const empty = Buffer.alloc(0);
    expect(walk(signal, empty, { tenant: 'acme', nowMs })).toMatchObject({
      bytes: empty,
      items: 0,
      rejected: 0,
      rejectReason: '',
    });
  });

  it('gives stamped bytes memory of their own, which another thread can be given', () => {
    const body = encodeConforming(signal, { [listOf[signal]]: [{}] });
    const { bytes } = walk(signal, body, { tenant: 'acme', nowMs });
    expect(bytes.byteOffset).toBe(0);
    expect(bytes.buffer.byteLength).toBe(bytes.length);
    expect(structuredClone(bytes.buffer, { transfer: [bytes.buffer as ArrayBuffer] }).byteLength).toBeGreaterThan(0);
  });
});

it('rewrites lengths that grow by a byte at each border, and lengths that are longer than they need be', () => {
  for (const size of [50, 60, 70, 80, 90, 100, 110, 120, 16_300, 16_330, 16_350, 16_383]) {
    const body = encodeConforming('logs', {
      resource_logs: [
        { resource: { attributes: [{ key: 'k', value: { string_value: 'v'.repeat(size) } }] } },
        { schema_url: 'u' },
      ],
    });
    expect(walk('logs', body, { tenant: 'acme', nowMs }).bytes.equals(stampByLibrary('logs', body, 'acme'))).toBe(true);
  }
  // ResourceLogs of 4 bytes (length on two bytes) with a Resource of 0 bytes (length on three).
  const padded = Buffer.from([10, 0x84, 0, 10, 0x80, 0x80, 0]);
  expect(walk('logs', padded, { tenant: 'acme', nowMs }).bytes.equals(stampByLibrary('logs', padded, 'acme'))).toBe(true);
});

it('rewrites in place lengths that lose as much as they can, and two resources of them', () => {
  const one = [10, 0x89, 0x80, 0x80, 0x80, 0, 10, 0x80, 0x80, 0x80, 0x80, 0, 26, 1, 65];
  const padded = Buffer.from([...one, ...one]);
  const memory = Buffer.alloc(300);
  padded.copy(memory, 200);
  const { bytes } = walk('logs', memory.subarray(200, 200 + padded.length), { tenant: 'a', nowMs, room: 200 });
  expect(bytes.buffer).toBe(memory.buffer);
  expect(bytes.equals(stampByLibrary('logs', padded, 'a'))).toBe(true);
});
