import { Agent } from 'node:https';
import { expect } from 'vitest';
import { type Answer, ask } from '../../harness/ask.ts';
import { attack } from '../../harness/attack.ts';
import type { Ground, Side } from '../../harness/ground.ts';
import { newMark } from '../../harness/victim.ts';

const surfaces = ['POST /ingest/rum', 'OPTIONS /ingest/rum', 'topic svc.rum.events'];
const ROUNDS = 2000;
const LANES = 20;
const HOST = 'shop.example';

async function newKey({ api }: Ground, side: Side, more: object = {}): Promise<string> {
  const answer = await api('/v1/rum/apps', { token: side.tokens.admin, json: { name: newMark(), ...more } });
  expect(answer.status, answer.body).toBe(201);
  return (JSON.parse(answer.body) as { keys: { key: string }[] }).keys[0]?.key ?? '';
}

const beacon = (key: string, more: object = {}): string =>
  JSON.stringify({ v: 1, key, consent: true, host: HOST, page: '/', vitals: { lcp_ms: 900 }, ...more });

/** Sends many on connections that stay open; gives how often each status came. */
async function flood({ doors }: Ground, bodyOf: (i: number) => string): Promise<Map<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  const statuses = new Map<number, number>();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < ROUNDS) {
      const { status } = await ask(doors.https, '/ingest/rum', { body: bodyOf(next++), agent });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  agent.destroy();
  return statuses;
}

const send = async ({ doors }: Ground, body: string): Promise<Answer> => await ask(doors.https, '/ingest/rum', { body });
const overviewOf = async ({ api }: Ground, { tokens }: Side): Promise<string> =>
  (await api('/v1/rum', { token: tokens.admin })).body;

attack({
  name: 'a key that floods, tries other keys and invents paths and hosts is refused, counted, and costs nobody else a beacon',
  surfaces,
  cost: 'short',
  limitMs: 120_000,
  async run(ground) {
    const [hostile, victim] = [await newKey(ground, ground.hostile), await newKey(ground, ground.victim, { hosts: [HOST] })];
    const [flooded, tried] = [
      await flood(ground, (i) => beacon(hostile, { page: `/${i.toString(36)}x`, host: `h${i}.example` })),
      await flood(ground, (i) => beacon(`${victim.slice(0, -4)}${i.toString(36).padStart(4, '0')}`)),
    ];
    // A minute's worth at once, then what refills.
    expect(flooded.get(202)).toBeGreaterThanOrEqual(300);
    expect((flooded.get(202) ?? 0) + (flooded.get(429) ?? 0)).toBe(ROUNDS);
    expect(tried.get(401)).toBe(ROUNDS);
    expect((await send(ground, beacon(victim))).status).toBe(202);
    const [own, others] = [await overviewOf(ground, ground.hostile), await overviewOf(ground, ground.victim)];
    expect(JSON.parse(own).counters.rejected_over_rate).toBeGreaterThan(0);
    expect(JSON.parse(others).counters).toMatchObject({ rejected_over_rate: 0, rejected_unknown_key: 0 });
    expect(others).not.toContain('h1.example');
  },
});

attack({
  name: 'what no schema knows is refused, and no beacon of one tenant becomes another one’s',
  surfaces,
  cost: 'short',
  async run(ground) {
    const [hostile, victim] = [await newKey(ground, ground.hostile), await newKey(ground, ground.victim, { hosts: [HOST] })];
    const bodies = [
      `{"key":"${victim}","key":"${hostile}","v":1,"consent":true,"host":"${HOST}","page":"/"}`,
      beacon(hostile, { tenant_id: ground.victim.tenant }),
      `{"__proto__":{"consent":true},"v":1,"key":"${hostile}","host":"${HOST}","page":"/"}`,
      beacon(victim, { host: 'evil.example' }),
      `{"a":${'['.repeat(8000)}`,
      '\0'.repeat(1000),
    ];
    for (const body of bodies) expect((await send(ground, body)).status, body.slice(0, 80)).toBe(400);
    // A day that is over can be given in to the demo's own build alone.
    const past = JSON.stringify({ views: [{ at: '2026-01-01T00:00:00.000Z', beacon: JSON.parse(beacon(hostile)) }] });
    const headers = { 'content-type': 'application/json' };
    expect((await ask(ground.doors.https, '/demo/rum/past', { body: past, headers })).status).toBe(404);
    const preflight = await ask(ground.doors.https, '/ingest/rum', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example' },
    });
    expect([preflight.status, preflight.body]).toEqual([204, '']);
    expect(preflight.headers['access-control-allow-credentials']).toBeUndefined();
    expect(
      (JSON.parse(await overviewOf(ground, ground.victim)) as { verdicts: { views: number; host: string }[] }).verdicts.some(
        ({ host }) => host === 'evil.example',
      ),
    ).toBe(false);
  },
});
