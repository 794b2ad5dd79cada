import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { CONNECT, connectAgent, encodeBatch, makeResult, makeStatus, openAgentStream, PUBLISH } from '../harness/agents.ts';
import { attack } from '../harness/attack.ts';
import { openBrowser, signIn } from '../harness/browser.ts';
import { type Ground, ownAddress } from '../harness/ground.ts';
import { exportHttp, OTLP_SURFACES, type Signal } from '../harness/otlp.ts';
import { type Use, watchUse } from '../harness/process-use.ts';

const MIB = 1024 * 1024;
/** Of docs/limits.md: RSS may grow by so many times the decompressed request, or by this where that is more; no request is larger than 4 MiB. */
const TIMES = 20;
const FLOOR_MIB = 400;
/** CPU seconds of the server for each MiB that it is sent, beyond what any request costs. */
const CPU_PER_MIB = 3;
const CPU_FLOOR = 2;
const SETTLE_MS = 1500;

async function watched(ground: Ground, work: () => Promise<unknown>): Promise<Use> {
  const use = watchUse(ground.server.pid);
  await work();
  await sleep(SETTLE_MS);
  return use.stop();
}

function expectBounded({ grownMiB, cpuSeconds, wasEnded }: Use, bytes: number): void {
  const mib = bytes / MIB;
  const mostMiB = Math.max(TIMES * mib, FLOOR_MIB);
  const mostCpu = Math.max(CPU_PER_MIB * mib, CPU_FLOOR) + (2 * SETTLE_MS) / 1000;
  const told = `${mib.toFixed(2)} MiB sent: RSS grew by ${grownMiB.toFixed(0)} MiB (at most ${mostMiB.toFixed(0)}), ${cpuSeconds.toFixed(1)} CPU s (at most ${mostCpu.toFixed(1)})`;
  expect(!wasEnded && grownMiB <= mostMiB && cpuSeconds <= mostCpu, told).toBe(true);
}

const SHELLS: Readonly<Record<Signal, readonly [resources: string, scopes: string, items: string]>> = {
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
};

/** OTLP as JSON whose smallest items are as many as fit. */
const JSON_BOMBS: Readonly<Record<string, (signal: Signal) => string>> = {
  'empty items': (signal) => {
    const [resources, scopes, items] = SHELLS[signal];
    return `{"${resources}":[{"${scopes}":[{"${items}":[${Array(500_000).fill('{}').join(',')}]}]}]}`;
  },
  'empty resources': (signal) => `{"${SHELLS[signal][0]}":[${Array(500_000).fill('{}').join(',')}]}`,
  'values in values': (signal) => {
    const [resources] = SHELLS[signal];
    const nested = `${'{"arrayValue":{"values":['.repeat(5000)}{}${']}}'.repeat(5000)}`;
    return `{"${resources}":[{"resource":{"attributes":[{"key":"deep","value":${nested}}]}}]}`;
  },
  'a text of escapes': (signal) => {
    const [resources] = SHELLS[signal];
    return `{"${resources}":[{"resource":{"attributes":[{"key":"k","value":{"stringValue":"${'\\u0001'.repeat(500_000)}"}}]}}]}`;
  },
};

for (const [title, make] of Object.entries(JSON_BOMBS))
  attack({
    name: `OTLP as JSON costs memory and time in proportion: ${title}`,
    surfaces: OTLP_SURFACES,
    cost: 'long',
    limitMs: 120_000,
    async run(ground) {
      for (const signal of ['logs', 'traces', 'metrics'] as const) {
        const body = Buffer.from(make(signal));
        const use = await watched(ground, () =>
          exportHttp(ground.doors.otlpHttp, {
            signal,
            body,
            json: true,
            gzip: true,
            token: ground.hostile.otlpToken,
            timeoutMs: 30_000,
          }),
        );
        expectBounded(use, body.length);
      }
    },
  });

attack({
  name: 'batches of results cost memory and time in proportion',
  surfaces: [`grpc ${PUBLISH}`, 'topic svc.endpoint.results'],
  cost: 'long',
  async run(ground) {
    const attributes = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`key.${i}`, 'v'.repeat(20)]));
    const metrics = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`hop.${(i % 60) + 1}.rtt.avg.ms`, i]));
    const batches = [
      encodeBatch(
        1,
        Array.from({ length: 1000 }, () => makeResult({ attributes, metrics: {} })),
      ),
      encodeBatch(
        2,
        Array.from({ length: 400 }, () => makeResult({ canary_type: 'endpoint.lastmile', metrics })),
      ),
      encodeBatch(
        3,
        Array.from({ length: 1000 }, (_, i) => makeResult({ server_address: `h${i}` })),
      ),
    ];
    const session = connectAgent(ground.doors.agents, ground.hostile.device);
    const stream = openAgentStream(session, PUBLISH);
    const use = await watched(ground, async () => {
      for (const batch of batches) stream.write(batch);
      for (let i = 0; i < 500 && stream.messages.length < batches.length && stream.ended() === undefined; i += 1) await sleep(20);
    });
    const taken = { acknowledged: stream.messages.length, ended: stream.ended() };
    session.destroy();
    expect(taken).toEqual({ acknowledged: batches.length, ended: undefined });
    expectBounded(
      use,
      batches.reduce((sum, { length }) => sum + length, 0),
    );
  },
});

attack({
  name: 'a thousand statuses of an agent cost what a thousand statuses are',
  surfaces: [`grpc ${CONNECT}`],
  cost: 'long',
  async run(ground) {
    const session = connectAgent(ground.doors.agents, ground.hostile.device);
    const use = await watched(ground, async () => {
      const stream = openAgentStream(session, CONNECT);
      for (let i = 0; i < 1000; i += 1) stream.write(makeStatus());
      await sleep(1000);
    });
    session.destroy();
    expectBounded(use, 100_000);
  },
});

attack({
  name: 'passwords are derived a few at a time: a hundred sign-ins at once take no more than their turn',
  surfaces: ['POST /auth/oidc/interaction/:uid', 'POST /auth/invite'],
  cost: 'long',
  async run(ground) {
    const use = await watched(ground, () =>
      Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          signIn(openBrowser(ground.doors.https, ownAddress()), { email: `nobody-${i}@thief.test`, password: 'x'.repeat(4000) }),
        ),
      ),
    );
    expect({ grown: use.grownMiB < FLOOR_MIB, grownMiB: use.grownMiB }).toEqual({ grown: true, grownMiB: use.grownMiB });
    // Each derivation is a good part of a second by design; beyond the queue they are refused.
    expect({ cpu: use.cpuSeconds < 60, seconds: use.cpuSeconds }).toEqual({ cpu: true, seconds: use.cpuSeconds });
  },
});

const wide = (count: number, one: (i: number) => string) => Array.from({ length: count }, (_, i) => one(i)).join('&');

const REQUESTS: Readonly<Record<string, string>> = {
  'fifty services and twenty attribute tests': `/v1/otlp/logs?${wide(50, (i) => `service=${'s'.repeat(100)}${i}`)}&${wide(20, (i) => `attribute=k${i}%3D${'v'.repeat(80)}`)}`,
  'a month of log records, by their text': `/v1/otlp/logs?limit=1000&text=${'a%20'.repeat(100)}b&from=2026-01-01T00:00:00Z`,
  'a regular expression that backtracks': `/v1/otlp/metrics?metric=m&matcher=${encodeURIComponent('a=~(a+)+$')}`,
  'a range of a year in steps of a second':
    '/v1/otlp/metrics?metric=loud&from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z&step=1',
  'a fleet sorted by everything': `/v1/endpoints.csv?${wide(50, (i) => `sort=${i % 2 ? '-' : ''}name`)}`,
};

for (const [title, path] of Object.entries(REQUESTS))
  attack({
    name: `a query costs what its answer is worth: ${title}`,
    surfaces: ['GET /v1/otlp/logs', 'GET /v1/otlp/metrics', 'GET /v1/endpoints.csv'],
    cost: 'long',
    async run(ground) {
      const statuses: number[] = [];
      const use = await watched(ground, async () => {
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => ground.api(path, { token: ground.hostile.tokens.operator, timeoutMs: 30_000 })),
        );
        statuses.push(...answers.map(({ status }) => status));
      });
      expect(statuses.filter((status) => status === 0 || status === 500)).toEqual([]);
      expect({ grown: use.grownMiB < FLOOR_MIB, grownMiB: use.grownMiB }).toEqual({ grown: true, grownMiB: use.grownMiB });
      expect({ cpu: use.cpuSeconds < 30, seconds: use.cpuSeconds }).toEqual({ cpu: true, seconds: use.cpuSeconds });
    },
  });

const TRPC_BOMBS: Readonly<Record<string, (ground: Ground) => Promise<unknown>>> = {
  'an input of a megabyte of brackets': (ground) =>
    ground.api('/trpc/fleet.policy.set', {
      method: 'POST',
      body: `{"a":${'['.repeat(500_000)}`,
      headers: { 'content-type': 'application/json' },
      token: ground.hostile.tokens.admin,
    }),
  'a hundred thousand ids': (ground) =>
    ground.trpc('fleet.agents.retire', { ids: Array(100_000).fill('x') }, { token: ground.hostile.tokens.admin, mutation: true }),
  'a batch of the longest list again and again': (ground) =>
    ground.api(
      `/trpc/${Array(40).fill('audit.list').join(',')}?batch=1&input=${encodeURIComponent(JSON.stringify(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [i, {}]))))}`,
      { token: ground.hostile.tokens.admin, timeoutMs: 30_000 },
    ),
};

for (const [title, send] of Object.entries(TRPC_BOMBS))
  attack({
    name: `a call costs memory and time in proportion: ${title}`,
    surfaces: ['trpc fleet.policy.set', 'trpc fleet.agents.retire', 'trpc audit.list'],
    cost: 'long',
    run: async (ground) =>
      expectBounded(await watched(ground, () => Promise.all(Array.from({ length: 5 }, () => send(ground)))), 5 * MIB),
  });
