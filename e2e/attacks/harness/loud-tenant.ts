import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { connectAgent, encodeBatch, makeResult, openAgentStream, PUBLISH } from './agents.ts';
import { openBrowser, signIn } from './browser.ts';
import { repeat } from './fair-share.ts';
import { keepingAgent } from './flood.ts';
import { type Ground, ownAddress } from './ground.ts';
import { exportGrpc, exportHttp, GRPC_METHODS, OTLP_SURFACES } from './otlp.ts';
import { gauge, idOf, logRecord, nsOf, request, span } from './payloads.ts';

/** Where a loud tenant goes: with its own credentials, to whichever replica. */
export type Target = Pick<Ground, 'doors' | 'hostile' | 'api'>;

export interface LoudTenant {
  surfaces: readonly string[];
  /** Does its worst with valid credentials until the signal. */
  worst: (target: Target, signal: AbortSignal) => Promise<unknown>;
}

const logsOf = (count: number) => {
  const atNs = nsOf(Date.now());
  return request(
    Array.from({ length: count }, (_, i) => logRecord({ atNs: atNs + BigInt(i), body: `line ${i} of a loud tenant` })),
  );
};

/** New series in each request. */
const seriesOf = (turn: number, count: number) =>
  request(Array.from({ length: count }, (_, i) => gauge('loud', [{ attributes: [['series', `${turn}-${i}`]] }])));

const reads =
  (paths: readonly string[]): LoudTenant['worst'] =>
  async (target, signal) => {
    const agent = keepingAgent(32);
    const tokens = Object.values(target.hostile.tokens);
    await repeat(24, signal, (turn) =>
      target.api(paths[turn % paths.length] ?? '', { token: tokens[turn % tokens.length] ?? '', agent, timeoutMs: 15_000 }),
    );
    agent.destroy();
  };

const monthAgo = () => encodeURIComponent(new Date(Date.now() - 30 * 86_400_000).toISOString());

const SIGN_INS = 'sign-ins from many addresses';

/** By what it does, each on one surface. */
/** Each of an id that is nobody's: what is refused costs little, what has its turn goes through both stores. */
const eraseDevices: LoudTenant['worst'] = async (target, signal) => {
  const agent = keepingAgent(64);
  await repeat(64, signal, () =>
    target.api('/v1/lifecycle/subjects/erase', {
      token: target.hostile.tokens.admin,
      json: { agent: randomUUID() },
      ...{ agent, timeoutMs: 15_000 },
    }),
  );
  agent.destroy();
};

export const LOUD: Readonly<Record<string, LoudTenant>> = {
  'many log records': {
    surfaces: OTLP_SURFACES,
    async worst({ doors, hostile }, signal) {
      const agent = keepingAgent(8);
      const packed = gzipSync(logsOf(20_000));
      await repeat(8, signal, () => exportHttp(doors.otlpHttp, { signal: 'logs', packed, token: hostile.otlpToken, agent }));
      agent.destroy();
    },
  },
  'erasures of devices': {
    surfaces: ['POST /v1/lifecycle/subjects/erase', 'trpc lifecycle.eraseSubject'],
    worst: eraseDevices,
  },
  'new series in every request': {
    surfaces: OTLP_SURFACES,
    async worst({ doors, hostile }, signal) {
      const agent = keepingAgent(8);
      await repeat(8, signal, (turn) =>
        exportHttp(doors.otlpHttp, { signal: 'metrics', packed: gzipSync(seriesOf(turn, 500)), token: hostile.otlpToken, agent }),
      );
      agent.destroy();
    },
  },
  'spans by gRPC, each call on a connection of its own': {
    surfaces: [`grpc ${GRPC_METHODS.traces}`, 'listener SVC_OTLP_GRPC_ADDR'],
    async worst({ doors, hostile }, signal) {
      const body = request(Array.from({ length: 5000 }, (_, i) => span({ id: idOf(i) })));
      await repeat(16, signal, () =>
        exportGrpc(doors.otlpGrpc, { signal: 'traces', body, gzip: true, token: hostile.otlpToken }),
      );
    },
  },
  'an agent that pours results': {
    surfaces: [`grpc ${PUBLISH}`, 'topic svc.endpoint.results'],
    async worst({ doors, hostile }, signal) {
      const session = connectAgent(doors.agents, hostile.device);
      const stream = openAgentStream(session, PUBLISH);
      for (let sequence = 1; !signal.aborted && stream.ended() === undefined; sequence += 1) {
        stream.write(
          encodeBatch(
            sequence,
            Array.from({ length: 500 }, () => makeResult()),
          ),
        );
        do await sleep(2);
        while (stream.waiting() > 1 << 19 && !signal.aborted);
      }
      session.destroy();
    },
  },
  'searches over a month': {
    surfaces: ['trpc logs.list', 'trpc traces.list', 'trpc metrics.names'],
    worst: (target, signal) =>
      reads([
        `/v1/otlp/logs?from=${monthAgo()}&limit=1000&text=loud`,
        `/v1/otlp/traces?from=${monthAgo()}&limit=1000`,
        '/v1/otlp/metrics/names?search=l',
        `/v1/otlp/latency?from=${monthAgo()}`,
      ])(target, signal),
  },
  'pages and exports of the fleet, the trail walked again and again': {
    surfaces: ['trpc endpoint.csv', 'trpc endpoint.history', 'trpc audit.verify', 'trpc endpoint.summary', 'trpc topology.map'],
    worst: (target, signal) =>
      reads([
        '/v1/endpoints.csv',
        `/v1/endpoints/${target.hostile.device.identity.agentId}/results?limit=1000&from=${monthAgo()}`,
        '/v1/audit/verify',
        `/trpc/endpoint.summary?input=${encodeURIComponent('{}')}`,
        '/v1/topology',
      ])(target, signal),
  },
  [SIGN_INS]: {
    surfaces: ['POST /auth/oidc/interaction/:uid'],
    worst: ({ doors, hostile }, signal) =>
      repeat(8, signal, () => signIn(openBrowser(doors.https, ownAddress()), { email: hostile.admin.email, password: 'wrong' })),
  },
  'enrolments that are refused': {
    surfaces: ['POST /agent/v1/enroll'],
    async worst(target, signal) {
      const agent = keepingAgent(16);
      const json = { token: `svc_enr_${'x'.repeat(43)}`, csr: 'x'.repeat(4000), protocol: 1, agent_version: '0.1.0' };
      await repeat(16, signal, () => target.api('/agent/v1/enroll', { json, agent }));
      agent.destroy();
    },
  },
};
