import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { attack } from '../harness/attack.ts';
import { flood } from '../harness/flood.ts';
import type { Ground } from '../harness/ground.ts';
import { exportHttp, OTLP_SURFACES, SIGNALS, type Signal } from '../harness/otlp.ts';
import { type Attributes, gauge, idOf, logRecord, nsOf, request, span } from '../harness/payloads.ts';
import { ingestToReadable } from '../harness/victim.ts';

/** Within which the victim reads what it sends, whatever the others' messages are. */
const READABLE_MS = 5000;
const DAY_MS = 86_400_000;

const many = (count: number): Attributes => Array.from({ length: count }, (_, i) => [`key.${i}`, 'v'] as const);
const item = (signal: Signal, options: { atNs?: bigint; attributes?: Attributes } = {}): Buffer => {
  if (signal === 'logs') return logRecord({ body: 'x', ...options });
  if (signal === 'traces') return span({ id: idOf(7), ...options });
  return gauge('poison', [options]);
};

type Poison = readonly [title: string, body: Buffer];

const oddAttributes = (signal: Signal): Poison[] => {
  const repeated: Attributes = [
    ['a', '1'],
    ['a', '2'],
    ['z', '3'],
  ];
  const tenant: Attributes = [
    ['svc.tenant.id', 'thief'],
    ['svc.tenant.id', 'thief'],
    ['after', 'y'],
  ];
  return [
    ['its own svc.tenant.id, twice', request([item(signal)], tenant)],
    ['svc.tenant.id on the item, twice', request([item(signal, { attributes: tenant })])],
    ['a key that comes twice', request([item(signal, { attributes: repeated })], repeated)],
    ...[127, 128, 129].map((count): Poison => [`${count} resource attributes`, request([item(signal)], many(count))]),
    ['130 scope attributes', request([item(signal)], undefined, many(130))],
    ['129 attributes of an item', request([item(signal, { attributes: many(129) })])],
    [
      'NUL and empty keys',
      request(
        [
          item(signal, {
            attributes: [
              ['nul\0key', 'nul\0value'],
              ['', ''],
            ],
          }),
        ],
        [['service.name', 'a\0b']],
      ),
    ],
  ];
};

const oddTimes = (signal: Signal): Poison[] => {
  const days = (count: number) => Array.from({ length: count }, (_, i) => item(signal, { atNs: nsOf(Date.now() - i * DAY_MS) }));
  return [
    ['the oldest time that is taken', request([item(signal, { atNs: nsOf(Date.now() - 29 * DAY_MS) })])],
    ['time zero', request([item(signal, { atNs: 0n })])],
    ['the last time there is', request([item(signal, { atNs: 2n ** 64n - 1n })])],
    ['a time beyond 2262', request([item(signal, { atNs: 2n ** 63n })])],
    ['records of every day of five years', request(days(1800))],
  ];
};

const oddNumbers: Readonly<Record<Signal, () => Poison[]>> = {
  metrics: () => [
    [
      'NaN and infinities',
      request([
        gauge(
          'poison',
          [Number.NaN, Number.POSITIVE_INFINITY, -Infinity].map((value) => ({ value })),
        ),
      ]),
    ],
    ['a metric without a name', request([gauge('', [{}])])],
    ['a metric with NUL in its name', request([gauge('a\0b', [{}])])],
  ],
  traces: () => [
    ['a span that ends before it begins', request([span({ id: idOf(8), durationNs: -5n })])],
    ['a span of 300 years', request([span({ id: idOf(9), durationNs: 2n ** 63n })])],
  ],
  logs: () => [['a log body with NUL', request([logRecord({ body: 'a\0b' })])]],
};

/** Messages that are well formed and odd: none may harm anybody but its sender. */
export const poisons = (signal: Signal): Poison[] => [...oddAttributes(signal), ...oddTimes(signal), ...oddNumbers[signal]()];

async function sendAll(ground: Ground): Promise<void> {
  for (const signal of SIGNALS)
    for (const [, body] of poisons(signal))
      await exportHttp(ground.doors.otlpHttp, { signal, body, token: ground.hostile.otlpToken });
}

attack({
  name: 'odd messages of every kind keep nobody from reading what they sent after them',
  surfaces: [...OTLP_SURFACES],
  cost: 'short',
  async run(ground) {
    await sendAll(ground);
    const ms = await ingestToReadable(ground, ground.victim, 20_000);
    expect({ readable: ms < READABLE_MS, ms }).toEqual({ readable: true, ms });
  },
});

attack({
  name: 'a stream of small messages with one attribute too many keeps another tenant from reading for no more than seconds',
  surfaces: [...OTLP_SURFACES],
  cost: 'short',
  async run(ground) {
    // What is built again for each message that fails is paid for by everybody of the partition.
    const atNs = nsOf(Date.now());
    const faulty = gzipSync(request([item('logs', { atNs })], many(129)));
    const heavy = gzipSync(request(Array<Buffer>(2000).fill(item('logs', { atNs }))));
    const token = ground.hostile.otlpToken;
    await flood({ lanes: 64, ms: 5000 }, (agent, turn) =>
      exportHttp(ground.doors.otlpHttp, { signal: 'logs', packed: turn % 20 === 1 ? heavy : faulty, token, agent }),
    );
    const ms = await ingestToReadable(ground, ground.victim, 15_000);
    expect({ readable: ms < READABLE_MS, ms }).toEqual({ readable: true, ms });
  },
});

attack({
  name: 'odd messages are no reason to be unready, and a restart neither fails on them nor brings them back',
  surfaces: [...OTLP_SURFACES],
  cost: 'long',
  limitMs: 120_000,
  async run(ground) {
    await sendAll(ground);
    // Killed, it reads again what it had not finished; nothing that was acknowledged is waited for.
    await ground.restart({ kill: true });
    const ms = await ingestToReadable(ground, ground.victim, 20_000);
    expect({ readable: ms < READABLE_MS, ms }).toEqual({ readable: true, ms });
    expect((await ground.api('/readyz')).status).toBe(200);
  },
});
