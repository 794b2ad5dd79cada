import { generateKeyPairSync, randomUUID, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROTOCOL_METADATA } from '@svc/contracts/agent/version';
import Fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { AGENT_BOUNDS, type ConnectionBounds } from '#connections';
import { createRootCa, createServerLeaf, issueAgentLeaf } from '#crypto';
import { parseTenantId } from '#kernel';
import { createGrpcEdge, type GrpcEdge } from './grpc.ts';
import type { AgentStream } from './grpc-calls.ts';

const ca = await createRootCa({ commonName: 'agents test' });
const leaf = await createServerLeaf(ca, { hosts: ['localhost', '127.0.0.1'] });
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const spki = publicKey.export({ type: 'spki', format: 'der' });
const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const log = Fastify({ logger: { level: 'silent' } }).log;
const passBytes = (bytes: Buffer): Buffer => bytes;
const echo = {
  ...{ path: '/test.Echo/Open', requestStream: true, responseStream: true, originalName: 'open' },
  ...{ requestSerialize: passBytes, requestDeserialize: passBytes },
  ...{ responseSerialize: passBytes, responseDeserialize: passBytes },
};
const BOUNDS: ConnectionBounds = {
  ...AGENT_BOUNDS,
  ...{ total: 60, strangers: 20, strangersPerNetwork: 10, perTenant: 6, perClient: 2, handshakeMs: 500, strangerMs: 1000 },
};

const edges: GrpcEdge[] = [];
const opened: { destroy(): void }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) one.destroy();
  for (const edge of edges.splice(0)) await edge.close();
});

/** A stream of any agent stays open until its client ends it. */
async function serve(connections = BOUNDS) {
  const edge = createGrpcEdge({
    tls: { key: leaf.keyPem, cert: leaf.certPem, clientRoots: ca.certPem },
    mounts: [
      {
        definition: { open: echo },
        implementation: { open: (call: AgentStream) => call.on('data', (data) => call.write(data)).on('end', () => call.end()) },
      },
    ],
    verifyAgent: async (certificate) => {
      const names = new X509Certificate(certificate).subjectAltName ?? '';
      const [, tenant = '', agentId = ''] = /([a-z]+)\/(?:agent\/)?([0-9a-f-]{36})/.exec(names) ?? [];
      return { tenant: parseTenantId(tenant), agentId, fingerprint: 'x', notAfterMs: Number.MAX_SAFE_INTEGER };
    },
    log,
    connections,
  });
  edges.push(edge);
  return { edge, port: await edge.listen({ host: '127.0.0.1', port: 0 }) };
}

interface Agent {
  client: ClientHttp2Session;
  stream: ClientHttp2Stream;
  /** `open`, or the status that the stream ended with. */
  outcome: string;
}

const openStream = (client: ClientHttp2Session): ClientHttp2Stream => {
  const headers = { ':method': 'POST', ':path': echo.path, 'content-type': 'application/grpc', te: 'trailers' };
  const stream = client.request({ ...headers, [PROTOCOL_METADATA]: '1' }, { endStream: false });
  stream.on('error', () => {});
  return stream;
};

/** Connects, opens a stream and has one message echoed. */
async function connectAgent(port: number, tenant: string, agentId: string = randomUUID()): Promise<Agent> {
  const { certPem: cert } = await issueAgentLeaf(ca, spki, { trustDomain: 'test', tenant, agentId });
  const client = connect(`https://localhost:${port}`, { ca: ca.certPem, key, cert });
  client.on('error', () => {});
  opened.push(client);
  const stream = openStream(client);
  stream.write(Buffer.from([0, 0, 0, 0, 1, 7]));
  const outcome = await new Promise<string>((resolve) => {
    stream.once('data', () => resolve('open'));
    stream.once('response', (got) => got['grpc-status'] !== undefined && resolve(`status ${got['grpc-status']}`));
    client.once('close', () => resolve('closed'));
  });
  return { client, stream, outcome };
}

const connectSilent = async (port: number, localAddress: string): Promise<Socket> => {
  const socket = connectTcp({ port, host: '127.0.0.1', localAddress });
  opened.push(socket);
  socket.on('error', () => {}).resume();
  await once(socket, 'connect');
  return socket;
};

it('lets agents in while hundreds of connections never begin their handshake, and ends those', async () => {
  const { edge, port } = await serve();
  const first = await connectAgent(port, 'acme');
  const mute: Socket[] = [];
  for (let i = 0; i < 300; i += 1) mute.push(await connectSilent(port, `127.0.1.${(i % 60) + 1}`));
  expect(edge.connections().handshake).toBe(BOUNDS.strangers);
  expect((await connectAgent(port, 'acme')).outcome).toBe('open');
  expect([first.client.closed, edge.connections().busy]).toEqual([false, 2]);
  await expect.poll(() => mute.filter((socket) => !socket.closed).length, { timeout: 3000 }).toBe(0);
});

it('gives a tenant its share of connections and says so, while others get in', async () => {
  const { edge, port } = await serve();
  for (let i = 0; i < BOUNDS.perTenant; i += 1) expect((await connectAgent(port, 'acme')).outcome).toBe('open');
  expect((await connectAgent(port, 'acme')).outcome).toBe('status 8');
  expect((await connectAgent(port, 'other')).outcome).toBe('open');
  expect(edge.connections().busy).toBe(BOUNDS.perTenant + 1);
});

it('lets the agents of others in while two tenants keep every place with streams', async () => {
  const places = BOUNDS.total - BOUNDS.strangers;
  const { edge, port } = await serve({ ...BOUNDS, perTenant: places });
  const greedy: Agent[] = [];
  for (let i = 0; i < places; i += 1) greedy.push(await connectAgent(port, i % 2 ? 'greedy' : 'hungry'));
  const others: Agent[] = [];
  for (const tenant of ['acme', 'other', 'acme']) others.push(await connectAgent(port, tenant));
  expect(others.map(({ outcome }) => outcome)).toEqual(['open', 'open', 'open']);
  const ended = () => greedy.filter(({ client }) => client.closed || client.destroyed).length;
  await expect.poll(ended).toBe(3);
  // What was ended comes again, and takes nothing from those that hold less.
  expect((await connectAgent(port, 'hungry')).outcome).toBe('status 8');
  expect((await connectAgent(port, 'greedy')).outcome).toBe('status 8');
  expect(others.filter(({ client }) => client.closed || client.destroyed)).toEqual([]);
  expect(edge.connections().busy).toBe(places);
});

it('keeps the newest connections of one agent', async () => {
  const { edge, port } = await serve();
  const agentId = randomUUID();
  const agents: Agent[] = [];
  for (let i = 0; i < 4; i += 1) agents.push(await connectAgent(port, 'acme', agentId));
  expect(agents.map(({ outcome }) => outcome)).toEqual(['open', 'open', 'open', 'open']);
  await expect.poll(() => agents.map(({ client }) => client.closed || client.destroyed)).toEqual([true, true, false, false]);
  // A new stream ends the agent's former one, so that one of the two connections has none.
  const { busy, idle } = edge.connections();
  expect({ busy, idle }).toEqual({ busy: 1, idle: 1 });
});

it('ends a session that opens and resets streams in turn, and one with many headers; others are served', async () => {
  const { edge, port } = await serve();
  let isEnded = false;
  for (let tries = 0; tries < 5 && !isEnded; tries += 1) {
    const { client } = await connectAgent(port, 'acme');
    for (let round = 0; round < 100 && !client.destroyed && !client.closed; round += 1) {
      for (let i = 0; i < 12 && !client.destroyed; i += 1) openStream(client).close(8);
      await sleep(5);
    }
    isEnded = client.destroyed || client.closed;
  }
  expect(isEnded).toBe(true);
  const { client } = await connectAgent(port, 'acme');
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x-${i}`, 'y']));
  const refused = client.request({ ':method': 'POST', ':path': echo.path, 'content-type': 'application/grpc', ...many });
  const ended = new Promise((resolve) => refused.once('error', resolve).once('close', resolve));
  await ended;
  expect((await connectAgent(port, 'other')).outcome).toBe('open');
  expect(edge.connections().busy).toBeGreaterThan(0);
});
