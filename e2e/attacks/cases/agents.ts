import { setTimeout as sleep } from 'node:timers/promises';
import { echo, LINK_TEST_BOUNDS, loadChunk } from '@svc/contracts/agent/link-test';
import { expect } from 'vitest';
import {
  type AgentStream,
  CONNECT,
  connectAgent,
  encodeBatch,
  LOAD,
  LOAD_ECHO,
  makeResult,
  makeStatus,
  openAgentStream,
  PUBLISH,
  readAcks,
} from '../harness/agents.ts';
import { attack } from '../harness/attack.ts';
import type { Ground, Side } from '../harness/ground.ts';
import { watchUse } from '../harness/process-use.ts';

const FELT_MS = 1000;
/** Distinct targets that one device may make series of. */
const MOST_TARGETS = 1000;
const GRPC_RESOURCE_EXHAUSTED = 'grpc 8';

const until = async (done: () => boolean, limitMs: number): Promise<number> => {
  const began = performance.now();
  while (!done() && performance.now() - began < limitMs) await sleep(10);
  return performance.now() - began;
};

/** Milliseconds until one result of this side's agent is acknowledged. */
export async function publishOne(ground: Ground, side: Side): Promise<number> {
  const session = connectAgent(ground.doors.agents, side.device);
  try {
    const stream = openAgentStream(session, PUBLISH);
    const began = performance.now();
    stream.write(encodeBatch(1, [makeResult()]));
    await until(() => stream.messages.length > 0 || stream.ended() !== undefined, 20_000);
    return stream.messages.length > 0 ? performance.now() - began : Number.POSITIVE_INFINITY;
  } finally {
    session.destroy();
  }
}

attack({
  name: 'without a certificate of an agent no stream is served',
  surfaces: ['listener SVC_AGENT_GRPC_ADDR', ...[PUBLISH, CONNECT, LOAD, LOAD_ECHO].map((path) => `grpc ${path}`)],
  cost: 'short',
  async run(ground) {
    for (const path of [PUBLISH, CONNECT, LOAD, LOAD_ECHO]) {
      const session = connectAgent(ground.doors.agents, undefined);
      const stream = openAgentStream(session, path);
      await until(() => stream.ended() !== undefined || session.destroyed, 5000);
      expect({ path, served: stream.messages.length }).toEqual({ path, served: 0 });
      session.destroy();
    }
  },
});

attack({
  name: 'a revoked agent is cut within a second and does not come back, by renewing or by its token',
  surfaces: ['POST /agent/v1/enroll', 'POST /agent/v1/renew', 'trpc fleet.agents.revoke', `grpc ${CONNECT}`],
  cost: 'short',
  async run(ground) {
    const { enrolDevice } = await import('../../faults/senders.ts');
    const { renew } = await import('@svc/desktop-agent/headless');
    const token = ground.hostile.tokens.admin;
    const made = JSON.parse((await ground.api('/v1/enrol-tokens', { token, json: { uses: 1 } })).body) as { token: string };
    const device = await enrolDevice(ground.server.url, made.token, 'to be revoked');
    await expect(enrolDevice(ground.server.url, made.token, 'second use')).rejects.toThrow();
    const session = connectAgent(ground.doors.agents, device);
    const stream = openAgentStream(session, CONNECT);
    stream.write(makeStatus());
    await until(() => stream.messages.length > 0, 5000);
    const revoked = await ground.trpc('fleet.agents.revoke', { ids: [device.identity.agentId] }, { token, mutation: true });
    expect(revoked.status).toBe(200);
    expect(await until(() => stream.ended() !== undefined, 5000)).toBeLessThan(FELT_MS);
    await expect(renew({ credentials: device })).rejects.toThrow();
    session.destroy();
  },
});

async function pour(stream: AgentStream, ms: number): Promise<number> {
  const end = Date.now() + ms;
  let sequence = 0;
  while (Date.now() < end && stream.ended() === undefined) {
    sequence += 1;
    stream.write(
      encodeBatch(
        sequence,
        Array.from({ length: 1000 }, () => makeResult()),
      ),
    );
    while (stream.waiting() > 1 << 20 && Date.now() < end) await sleep(1);
    await sleep(0);
  }
  return sequence;
}

attack({
  name: 'an agent that floods its stream is held to a budget, and the agents of others are acknowledged meanwhile',
  surfaces: [`grpc ${PUBLISH}`, 'topic svc.endpoint.results', 'listener SVC_AGENT_GRPC_ADDR'],
  cost: 'short',
  async run(ground) {
    const session = connectAgent(ground.doors.agents, ground.hostile.device);
    const stream = openAgentStream(session, PUBLISH);
    const use = watchUse(ground.server.pid);
    const pouring = pour(stream, 6000);
    await sleep(2000);
    const ms = await publishOne(ground, ground.victim);
    await pouring;
    await until(() => stream.messages.length > 0, 2000);
    const accepted = readAcks(stream).reduce((sum, ack) => sum + ack.accepted, 0);
    const ended = stream.ended();
    session.destroy();
    const { grownMiB } = use.stop();
    expect({ victim: ms < 2000, ms }).toEqual({ victim: true, ms });
    expect({ bounded: grownMiB < 600, grownMiB }).toEqual({ bounded: true, grownMiB });
    // A device measures some results a second: a budget of its own ends or slows the flood long before this.
    const held = ended === GRPC_RESOURCE_EXHAUSTED || accepted < 30_000;
    expect({ held, accepted, ended }).toEqual({ held: true, accepted, ended });
  },
});

/** What acknowledgements that nobody takes may cost, and how long: documented are eight, for 20 s. */
const UNTAKEN = { grownMiB: 200, endsInMs: 30_000 };

attack({
  name: 'an agent that takes none of its acknowledgements is read no more, and its stream ends',
  surfaces: [`grpc ${PUBLISH}`, 'listener SVC_AGENT_GRPC_ADDR'],
  cost: 'long',
  limitMs: 60_000,
  async run(ground) {
    const session = connectAgent(ground.doors.agents, ground.hostile.device, { initialWindowSize: 0 });
    const pings = setInterval(() => session.destroyed || session.ping(() => {}), 1000);
    const stream = openAgentStream(session, PUBLISH);
    const use = watchUse(ground.server.pid);
    try {
      // Without results: nothing else would hold them back for long.
      for (let sequence = 1; sequence <= 100_000; sequence += 1) stream.write(encodeBatch(sequence, []));
      const ms = await until(() => stream.ended() !== undefined, 2 * UNTAKEN.endsInMs);
      expect({ ends: ms < UNTAKEN.endsInMs, ms }).toEqual({ ends: true, ms });
    } finally {
      clearInterval(pings);
      session.destroy();
    }
    expect(use.stop().grownMiB).toBeLessThan(UNTAKEN.grownMiB);
    expect(await publishOne(ground, ground.victim)).toBeLessThan(FELT_MS);
  },
});

attack({
  name: 'a device that loads the line again and again is held to its tests in an hour, and others are acknowledged meanwhile',
  surfaces: [`grpc ${LOAD}`, `grpc ${LOAD_ECHO}`],
  cost: 'short',
  async run(ground) {
    const session = connectAgent(ground.doors.agents, ground.hostile.device);
    const use = watchUse(ground.server.pid);
    const wanted = { wanted_bytes: LINK_TEST_BOUNDS.loadBytes, taken_bytes: 0, payload: Buffer.alloc(0) };
    let received = 0;
    let last = 0;
    const ends: (string | undefined)[] = [];
    // One stream of a method at a time: a new one ends the one before.
    for (let turn = 0; turn < LINK_TEST_BOUNDS.perHour + 3; turn += 1) {
      const stream = openAgentStream(session, LOAD);
      stream.write(loadChunk.encode(wanted));
      stream.write(loadChunk.encode({ ...wanted, wanted_bytes: 2 ** 32 - 1 }));
      await until(() => stream.ended() !== undefined, 5000);
      last = stream.messages.reduce((sum, bytes) => sum + bytes.length, 0);
      received += last;
      ends.push(stream.ended());
      stream.close();
    }
    const echoes = openAgentStream(session, LOAD_ECHO);
    for (let sequence = 1; sequence <= 10_000; sequence += 1) echoes.write(echo.encode({ sequence }));
    await until(() => echoes.ended() !== undefined, 5000);
    const ms = await publishOne(ground, ground.victim);
    session.destroy();
    expect({ refused: ends.every((end) => end !== undefined && end !== 'grpc 0'), ends }).toEqual({ refused: true, ends });
    expect({ end: ends.at(-1), last }).toEqual({ end: GRPC_RESOURCE_EXHAUSTED, last: 0 });
    expect(echoes.messages.length).toBeLessThanOrEqual(LINK_TEST_BOUNDS.echoes);
    expect({ bounded: received <= LINK_TEST_BOUNDS.perHour * 2 * LINK_TEST_BOUNDS.loadBytes, received }).toEqual({
      bounded: true,
      received,
    });
    expect({ victim: ms < 2000, ms }).toEqual({ victim: true, ms });
    const { grownMiB } = use.stop();
    expect({ bounded: grownMiB < 200, grownMiB }).toEqual({ bounded: true, grownMiB });
  },
});

attack({
  name: 'targets of a device make no series without bound',
  surfaces: [`grpc ${PUBLISH}`, 'topic svc.endpoint.results', 'trpc endpoint.series'],
  cost: 'short',
  async run(ground) {
    const session = connectAgent(ground.doors.agents, ground.hostile.device);
    const stream = openAgentStream(session, PUBLISH);
    const distinct = 10_000;
    for (let sequence = 1; sequence <= distinct / 500 && stream.ended() === undefined; sequence += 1) {
      const results = Array.from({ length: 500 }, (_, i) =>
        makeResult({
          canary_type: 'endpoint.session',
          server_address: `host-${sequence}-${i}.example`,
          metrics: { 'total.ms': 1 },
        }),
      );
      stream.write(encodeBatch(sequence, results));
      await until(() => stream.messages.length >= sequence || stream.ended() !== undefined, 10_000);
    }
    session.destroy();
    const input = { id: ground.hostile.device.identity.agentId, metrics: ['svc_endpoint_session_total_ms'] };
    // While they are stored, and then what the page of the device shows of them.
    await sleep(3000);
    const answer = await ground.trpc('endpoint.series', input, { token: ground.hostile.tokens.viewer, timeoutMs: 15_000 });
    expect({ status: answer.status, body: answer.status === 200 ? '' : answer.body.slice(0, 300) }).toEqual({
      status: 200,
      body: '',
    });
    const shown = new Set(answer.body.match(/host-\d+-\d+\.example/g) ?? []).size;
    expect({ bounded: shown > 0 && shown <= MOST_TARGETS, shown }).toEqual({ bounded: true, shown });
  },
});

attack({
  name: 'results that name another tenant, come twice or are malformed are refused one by one, and the stream goes on',
  surfaces: [`grpc ${PUBLISH}`],
  cost: 'short',
  async run(ground) {
    const session = connectAgent(ground.doors.agents, ground.hostile.device);
    const stream = openAgentStream(session, PUBLISH);
    const odd = [
      makeResult({ canary_type: 'endpoint.nothing' }),
      makeResult({ server_address: 'nul\0' }),
      makeResult({ metrics: { 'rtt.avg.ms': Number.NaN } }),
      makeResult({ metrics: { __proto__: 1, constructor: 2 } as unknown as Record<string, number> }),
      makeResult({ attributes: { bssid: '00:11:22:33:44:55' } }),
      makeResult({ started_at_us: 2 ** 53 - 1 }),
      makeResult({ result_id: Buffer.alloc(16) }),
    ];
    stream.write(encodeBatch(1, [...odd, makeResult()]));
    await until(() => stream.messages.length > 0 || stream.ended() !== undefined, 5000);
    const [ack] = readAcks(stream);
    session.destroy();
    expect(ack?.accepted).toBeGreaterThanOrEqual(1);
    expect(ack?.rejected).toBeGreaterThanOrEqual(4);
  },
});
