import { DeliveredChange } from '@svc/contracts/changes/delivery';
import { CHANGE_PROVIDERS } from '@svc/contracts/changes/kinds';
import { githubEventOf, listDeliveries, readDelivery } from '@svc/testkit/forge-deliveries';
import { expect, test } from 'vitest';
import { anchorOf } from './anchor.ts';
import { readBody } from './read-body.ts';

/** Seeded, so that a failure comes again. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

const ODD: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, '', ' ', '\u0000', '\ud800', '0'.repeat(40), 'x'.repeat(70_000), [], {}, [[]], { length: 9 }],
  ...[
    '::ffff:10.0.0.0/120',
    '10.0.0.0/8',
    'https://[::1]:99999/',
    'http://\u0000',
    '2026-13-45T99:99:99Z',
    '<script>',
    "'; DROP TABLE changes; --",
  ],
];

function mutate(value: unknown, random: (below: number) => number): unknown {
  if (random(30) === 0) return ODD[random(ODD.length)];
  if (Array.isArray(value)) return value.map((one) => mutate(one, random));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [random(60) === 0 ? 'renamed' : name, mutate(one, random)]),
  );
}

const EVENT = {
  id: 'e',
  title: 't',
  kind: 'deploy',
  target: 'shop.example',
  prefix: '10.0.0.0/8',
  occurred_at: '2026-06-02T11:00:00Z',
  attributes: { a: 'b' },
};

test('bodies with fields of every wrong kind are read within bounds, whatever was signed', () => {
  const random = createRandom(7);
  const seeds = [
    ...listDeliveries('github').map((name) => ({
      event: githubEventOf(name),
      body: JSON.parse(readDelivery('github', name).toString()),
    })),
    ...listDeliveries('gitlab').map((name) => ({
      event: 'Push Hook',
      body: JSON.parse(readDelivery('gitlab', name).toString()),
    })),
    { event: '', body: { events: [EVENT, EVENT] } },
  ];
  for (let round = 0; round < 25; round += 1)
    for (const { event, body } of seeds)
      for (const provider of CHANGE_PROVIDERS) {
        const bytes = Buffer.from(JSON.stringify(mutate(body, random)) ?? '');
        const read = readBody(
          { provider, body: bytes, contentType: 'application/json', event },
          { nowMs: Date.UTC(2026, 5, 2, 12), hash: () => 'h' },
        );
        for (const change of read.changes) {
          DeliveredChange.parse(change);
          expect(JSON.stringify(change)).not.toMatch(/\\u0000|\\ud800/);
          expect(JSON.stringify(change).length).toBeLessThan(160_000);
          anchorOf(change);
        }
      }
});

test('bytes that are no text are read without a throw', () => {
  const random = createRandom(11);
  for (let round = 0; round < 300; round += 1) {
    const body = Buffer.from(Array.from({ length: random(400) }, () => random(256)));
    for (const provider of CHANGE_PROVIDERS)
      expect(
        readBody({ provider, body, contentType: 'application/json', event: '' }, { nowMs: 0, hash: () => 'h' }).changes,
      ).toEqual([]);
  }
});
