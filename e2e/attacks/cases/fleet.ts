import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { CONNECT, connectAgent, makeStatus, openAgentStream } from '../harness/agents.ts';
import { attack } from '../harness/attack.ts';
import { type Fleet, fleetUnavailable, withFleet } from '../harness/fleet.ts';
import { flood } from '../harness/flood.ts';
import type { Side } from '../harness/ground.ts';
import { exportHttp } from '../harness/otlp.ts';
import { logRecord, marked, nsOf, request } from '../harness/payloads.ts';
import { newPerson, whoIs } from '../harness/people.ts';
import { rssMiB } from '../harness/process-use.ts';
import { countLogs, ingestToReadable, newMark } from '../harness/victim.ts';
import { poisons } from './poison.ts';

/** Within which a replica feels what was revoked at another. */
const FELT_MS = 1000;
const READABLE_MS = 5000;

/** Milliseconds until it is so, or Infinity. */
async function timeUntil(isSo: () => Promise<boolean>, limitMs = 5000): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < limitMs) {
    if (await isSo()) return performance.now() - began;
    await sleep(20);
  }
  return Number.POSITIVE_INFINITY;
}

async function measureRevocations({ first, second }: Fleet): Promise<Record<string, number>> {
  const { hostile } = first;
  const token = hostile.tokens.admin;
  const remove = (path: string) => first.api(path, { method: 'DELETE', token });
  const refused = (credential: Parameters<typeof second.api>[1]) => async () =>
    (await second.api('/v1/me', credential)).status === 401;
  const made = async (path: string, json: object) =>
    JSON.parse((await first.api(path, { token, json })).body) as Record<string, string>;
  const felt: Record<string, number> = {};

  const api = await made('/v1/tokens', { name: 'revoked', roles: ['viewer'] });
  expect((await second.api('/v1/me', { token: api.secret ?? '' })).status).toBe(200);
  await remove(`/v1/tokens/${api.id}`);
  felt['API token'] = await timeUntil(refused({ token: api.secret ?? '' }));

  const person = await newPerson(first, hostile, ['viewer']);
  const cookie = person.browser.cookiesFor('/v1/me');
  expect((await second.api('/v1/me', { headers: { cookie } })).status).toBe(200);
  await person.browser.visit('/auth/logout', { form: {} });
  felt['signed-out session'] = await timeUntil(refused({ headers: { cookie } }));

  const member = await newPerson(first, hostile, ['viewer']);
  const own = member.browser.cookiesFor('/v1/me');
  const me = await whoIs(first, { cookie: own });
  await remove(`/v1/members/${me?.account.id}`);
  felt.membership = await timeUntil(refused({ headers: { cookie: own } }));

  const otlp = await made('/v1/otlp/tokens', { name: 'revoked' });
  const secret = otlp.token ?? otlp.secret ?? '';
  const body = request([logRecord({ body: 'x' })]);
  const send = async () => (await exportHttp(second.doors.otlpHttp, { signal: 'logs', body, token: secret })).status;
  await timeUntil(async () => (await send()) === 200);
  await remove(`/v1/otlp/tokens/${otlp.id}`);
  felt['OTLP token'] = await timeUntil(async () => (await send()) === 401);

  const session = connectAgent(second.doors.agents, hostile.device);
  const stream = openAgentStream(session, CONNECT);
  stream.write(makeStatus());
  await timeUntil(async () => stream.messages.length > 0);
  await first.trpc('fleet.agents.revoke', { ids: [hostile.device.identity.agentId] }, { token, mutation: true });
  felt.agent = await timeUntil(async () => stream.ended() !== undefined);
  session.destroy();
  return felt;
}

attack({
  name: 'in a fleet what is revoked at one replica is refused at the other within a second',
  surfaces: [
    'trpc identity.tokens.revoke',
    'trpc otlp.tokens.revoke',
    'trpc fleet.agents.revoke',
    'trpc identity.members.remove',
    'POST /auth/logout',
  ],
  cost: 'long',
  limitMs: 180_000,
  whyNot: fleetUnavailable,
  run: () =>
    withFleet(async (fleet) => {
      const felt = await measureRevocations(fleet);
      expect(Object.entries(felt).filter(([, ms]) => ms > FELT_MS)).toEqual([]);
    }),
});

attack({
  name: 'in a fleet odd and faulty messages keep nobody from reading, take no replica down and no more memory than alone',
  surfaces: ['topic svc.otlp.logs', 'topic svc.otlp.traces', 'topic svc.otlp.metrics'],
  cost: 'long',
  limitMs: 240_000,
  whyNot: fleetUnavailable,
  run: () =>
    withFleet(async ({ first, second }) => {
      const before = [first.server.pid, second.server.pid].map(rssMiB);
      const token = first.hostile.otlpToken;
      for (const signal of ['logs', 'traces', 'metrics'] as const)
        for (const [, body] of poisons(signal)) await exportHttp(second.doors.otlpHttp, { signal, body, token });
      const wide = Array.from({ length: 129 }, (_, i) => [`key.${i}`, 'v'] as const);
      const faulty = gzipSync(request([logRecord({ atNs: nsOf(Date.now()) })], wide));
      await flood({ lanes: 32, ms: 5000 }, (agent) =>
        exportHttp(second.doors.otlpHttp, { signal: 'logs', packed: faulty, token, agent }),
      );
      const ms = await ingestToReadable(first, first.victim, 30_000);
      expect({ readable: ms < READABLE_MS, ms }).toEqual({ readable: true, ms });
      for (const ready of [await first.api('/readyz'), await second.api('/readyz')]) expect(ready.status).toBe(200);
      const grown = [first.server.pid, second.server.pid].map((pid, i) => rssMiB(pid) - (before[i] ?? 0));
      expect({ bounded: grown.every((mib) => mib < 600), grown }).toEqual({ bounded: true, grown });
    }),
});

/** Within which a message that the store refuses is set aside, with its tries and the probes between them. */
const SET_ASIDE_MS = 30_000;

interface Quarantined {
  items: { id: string; topic: string }[];
}

attack({
  name: 'in a fleet a message that the store refuses is set aside once, belongs to its tenant alone, and comes once when it is retried',
  surfaces: ['topic svc.otlp.logs', 'trpc bus.quarantine.list', 'GET /v1/bus/quarantine'],
  cost: 'long',
  limitMs: 240_000,
  whyNot: fleetUnavailable,
  run: () =>
    withFleet(async ({ first, second, tellClickHouse }) => {
      const { hostile, victim, svc } = first;
      const list = async ({ api }: Pick<Fleet['second'], 'api'>, side: Side): Promise<Quarantined['items']> => {
        const answer = await api('/v1/bus/quarantine', { token: side.tokens.admin });
        expect(answer.status).toBe(200);
        return (JSON.parse(answer.body) as Quarantined).items;
      };
      const mark = newMark();
      // No row is known that ClickHouse refuses after admission: a rule of its own stands for all of them.
      await tellClickHouse(`ALTER TABLE logs ADD CONSTRAINT no_poison CHECK position(body, '${mark}') = 0`);
      const body = request([marked('logs', mark)]);
      const sent = await exportHttp(second.doors.otlpHttp, { signal: 'logs', body, token: hostile.otlpToken });
      expect(sent.status).toBe(200);
      const ms = await ingestToReadable(first, victim, 30_000);
      expect({ readable: ms < READABLE_MS, ms }).toEqual({ readable: true, ms });
      const isSetAside = async () => (await list(first, hostile)).length > 0;
      expect(await timeUntil(isSetAside, SET_ASIDE_MS)).toBeLessThan(SET_ASIDE_MS);
      const [one, ...more] = await list(second, hostile);
      expect({ more, victims: await list(second, victim) }).toEqual({ more: [], victims: [] });
      const id = one?.id ?? '';
      const ofVictim = ['--tenant', victim.tenant];
      for (const verb of [
        ['show', id],
        ['retry', '--id', id],
        ['drop', '--id', id],
        ['drop', '--all'],
      ])
        await expect(svc('bus', 'quarantine', ...verb, ...ofVictim)).rejects.toThrow(/no (such )?message/);
      for (const { status } of [await first.api('/readyz'), await second.api('/readyz')]) expect(status).toBe(200);
      await tellClickHouse('ALTER TABLE logs DROP CONSTRAINT no_poison');
      await svc('bus', 'quarantine', 'retry', '--id', id, '--tenant', hostile.tenant);
      const read = () => countLogs(first, hostile, mark);
      await expect.poll(read, { timeout: 15_000, interval: 200 }).toBe(1);
      expect(await list(first, hostile)).toEqual([]);
      // A second replica that published it too would have done so by now.
      await sleep(1000);
      expect(await read()).toBe(1);
    }),
});
