import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { attack } from '../harness/attack.ts';
import type { Ground } from '../harness/ground.ts';
import { exportGrpc, exportHttp, GRPC_METHODS, type Signal } from '../harness/otlp.ts';
import { gauge, idOf, logRecord, request, span } from '../harness/payloads.ts';
import { type Use, watchUse } from '../harness/process-use.ts';

const MIB = 1024 * 1024;
/** What docs/limits.md promises of one request: at most this many times its decompressed bytes ... */
const TIMES = 20;
/** ... or this much, whichever is more: what a server takes for any request at all (buffers of the store, young heap). */
const FLOOR_MIB = 400;
/** Memory is taken when a block is built and written, a moment after the answer. */
const SETTLE_MS = 2500;

const wide = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, i) => [`resource.attribute.${i}`, 'v'.repeat(bytes)] as const);

/** Requests that are small on the wire and, where shared parts are copied for each item, large behind it. */
export const AMPLIFIERS: Readonly<Record<string, { signal: Signal; make: () => Buffer }>> = {
  '2,000 points of series of their own under 508 KB of resource attributes': {
    signal: 'metrics',
    make: () =>
      request(
        Array.from({ length: 2000 }, (_, i) => gauge('m', [{ attributes: [['i', String(i)]] }])),
        [['service.name', 'hostile'], ...wide(124, 4096)],
      ),
  },
  '500,000 empty log records under 127 resource attributes': {
    signal: 'logs',
    make: () => request(Array<Buffer>(500_000).fill(Buffer.from([0x12, 0x00])), wide(127, 8)),
  },
  '40,000 empty log records under 500 KB of resource attributes': {
    signal: 'logs',
    make: () => request(Array<Buffer>(40_000).fill(logRecord({})), wide(124, 4096)),
  },
  '40,000 spans under 500 KB of resource attributes': {
    signal: 'traces',
    make: () => {
      const resource = wide(124, 4096);
      return request(
        Array.from({ length: 40_000 }, (_, i) => span({ id: idOf(i), name: '' })),
        resource,
      );
    },
  },
  '100,000 points of one series under 127 resource attributes': {
    signal: 'metrics',
    make: () => {
      const atMs = Date.now();
      return request(
        [
          gauge(
            'm',
            Array.from({ length: 100_000 }, (_, i) => ({ atMs: atMs - i })),
          ),
        ],
        wide(127, 8),
      );
    },
  },
};

export interface Measured extends Use {
  status: number;
  wireBytes: number;
  bodyBytes: number;
}

type Send = (ground: Ground, signal: Signal, body: Buffer) => Promise<{ status: number; wireBytes: number }>;

const byHttp: Send = ({ doors, hostile }, signal, body) =>
  exportHttp(doors.otlpHttp, { signal, body, gzip: true, token: hostile.otlpToken, timeoutMs: 30_000 });

export const byGrpc: Send = ({ doors, hostile }, signal, body) =>
  exportGrpc(doors.otlpGrpc, { signal, body, gzip: true, token: hostile.otlpToken, timeoutMs: 30_000 });

/** Sends one body and reports what the server's process took for it. */
export async function measure(
  ground: Ground,
  signal: Signal,
  { body, send = byHttp }: { body: Buffer; send?: Send },
): Promise<Measured> {
  const use = watchUse(ground.server.pid);
  const { status, wireBytes } = await send(ground, signal, body);
  await sleep(SETTLE_MS);
  return { ...use.stop(), status, wireBytes, bodyBytes: body.length };
}

export function expectBounded(measured: Measured): void {
  const allowed = Math.max((TIMES * measured.bodyBytes) / MIB, FLOOR_MIB);
  const { grownMiB, wasEnded, wireBytes, bodyBytes, status } = measured;
  const told = `status ${status}, ${wireBytes} bytes on the wire, ${bodyBytes} decompressed: RSS grew by ${grownMiB.toFixed(0)} MiB of ${allowed.toFixed(0)} allowed`;
  expect(!wasEnded && grownMiB <= allowed, told).toBe(true);
}

for (const [title, { signal, make }] of Object.entries(AMPLIFIERS).slice(0, 2)) {
  attack({
    name: `memory stays bounded: ${title}`,
    surfaces: ['listener SVC_OTLP_HTTP_ADDR', `topic svc.otlp.${signal}`],
    cost: 'short',
    limitMs: 90_000,
    run: async (ground) => expectBounded(await measure(ground, signal, { body: make() })),
  });
}
for (const [title, { signal, make }] of Object.entries(AMPLIFIERS).slice(2)) {
  attack({
    name: `memory stays bounded: ${title}, by HTTP and gRPC`,
    surfaces: ['listener SVC_OTLP_GRPC_ADDR', `grpc ${GRPC_METHODS[signal]}`],
    cost: 'long',
    limitMs: 120_000,
    async run(ground) {
      expectBounded(await measure(ground, signal, { body: make() }));
      expectBounded(await measure(ground, signal, { body: make(), send: byGrpc }));
    },
  });
}
