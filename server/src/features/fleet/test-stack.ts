import { randomBytes } from 'node:crypto';
import { request } from 'node:https';
import type { IdentityAnswer } from '@svc/contracts/agent/protocol';
import { pino } from 'pino';
import { createRootCa, createSealer, createServerLeaf, type KeyPair, spkiPin } from '#crypto';
import { createGrpcEdge, createHttpEdge } from '#edge';
import type { GrpcMount } from '#kernel';
import { type AuditEntry, type Clock, parseTenantId, systemClock, type TenantId } from '#kernel';
import { createTenant, type Relational } from '#relational';
import { createTestDatabase } from '../../relational/test-database.ts';
import type { AgentCopy, FleetDeps } from './context.ts';
import { createFleet } from './index.ts';
import { type DeviceKey, makeDeviceKey } from './test-devices.ts';

const log = pino({ level: 'silent' });

/** A clock that tests can move. */
export function createTestClock() {
  let offsetMs = 0;
  return {
    now: () => systemClock.now() + offsetMs,
    advance(ms: number): void {
      offsetMs += ms;
    },
  };
}

export interface HttpAnswer {
  status: number;
  body: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
}

/** Posts JSON to the test server over TLS, checking its certificate against the local CA as an agent does by the pin. */
export async function postJson(server: { port: number; ca: string }, path: string, body: unknown): Promise<HttpAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return await new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const call = request(
      { host: '127.0.0.1', port: server.port, path, method: 'POST', ca: server.ca, headers, agent: false },
      (answer) => {
        let received = '';
        answer.on('data', (chunk: Buffer) => {
          received += chunk.toString('utf8');
        });
        answer.on('end', () => {
          const parsed = received === '' ? {} : (JSON.parse(received) as Record<string, unknown>);
          resolve({ status: answer.statusCode ?? 0, body: parsed, headers: answer.headers });
        });
      },
    );
    call.on('error', reject);
    call.end(text);
  });
}

export interface StackOptions {
  protocol?: number;
  /** Mounts of another slice, and what fleet gets of it. */
  extend?: (base: { relational: Relational; clock: Clock }) => { mounts: readonly GrpcMount[]; deps: Partial<FleetDeps> };
}

const silentFleet = (
  part: Pick<FleetDeps, 'sealer' | 'relational' | 'appendAudit' | 'writeAgentCopies' | 'removeAgentCopies' | 'clock'>,
): FleetDeps => ({
  ...part,
  log,
  serverUrl: 'https://127.0.0.1:8443',
  reachable: false,
  grpcAddr: '127.0.0.1:0',
  grpcCa: '',
  pin: undefined,
  readShared: async () => new Map(),
  describeTenant: async (tenant) => ({ organisation: tenant, readers: 3 }),
  seedTargets: { trace: [], session: [] },
  enrollRatePerMinute: 0,
});

/** What fleet wrote into other slices. */
function createRecords() {
  const audit: { tenant: string; entry: AuditEntry }[] = [];
  const copies = new Map<string, AgentCopy>();
  const appendAudit: FleetDeps['appendAudit'] = async (sql, entry) => {
    const { rows } = await sql.query<{ tenant: string }>("SELECT current_setting('app.tenant_id') AS tenant");
    audit.push({ tenant: rows[0]?.tenant ?? '', entry });
  };
  const writeAgentCopies: FleetDeps['writeAgentCopies'] = async (_sql, written) => {
    for (const copy of written) copies.set(copy.agentId, copy);
  };
  const removeAgentCopies: FleetDeps['removeAgentCopies'] = async (_sql, ids) => {
    for (const id of ids) copies.delete(id);
  };
  return { audit, copies, deps: { appendAudit, writeAgentCopies, removeAgentCopies } };
}

interface ListenOptions {
  clock: Clock;
  mounts: readonly GrpcMount[];
  protocol: number;
}

async function listen(fleet: ReturnType<typeof createFleet>, tls: KeyPair, options: ListenOptions) {
  const pair = { key: tls.keyPem, cert: tls.certPem };
  const readiness = { isDraining: () => false } as never;
  const http = await createHttpEdge({ tls: pair, log, trustedProxies: [], ratePerMinute: 0, readiness });
  fleet.routes(http.app);
  const grpc = createGrpcEdge({
    tls: { ...pair, clientRoots: await fleet.agentRootCertificate() },
    mounts: [...fleet.grpc, ...options.mounts],
    verifyAgent: fleet.verifyAgent,
    watchRevoked: fleet.watchRevoked,
    onUpgradeRequired: fleet.noteUpgradeRequired,
    log,
    clock: options.clock,
    protocol: options.protocol,
  });
  const loopback = { host: '127.0.0.1', port: 0 };
  return { http, grpc, httpPort: await http.listen(loopback), grpcPort: await grpc.listen(loopback) };
}

const FACTS = { agent_version: '0.1.0', device_name: 'laptop', os: 'linux' };

/** An authority's keys as they lie in the database: what a thief of them could sign with. */
const openKeys = (sealer: FleetDeps['sealer'], row: { cert_pem: string; key_sealed: string }, context: string): KeyPair => ({
  certPem: row.cert_pem,
  keyPem: sealer.open(Buffer.from(row.key_sealed, 'base64'), context).toString('utf8'),
});

type KeptKeys = { cert_pem: string; key_sealed: string };
type TokenInput = { uses?: number; expires_in_hours?: number; site?: string; owner?: string; label?: string };

/** Fleet on a real database behind real TLS listeners, on ports of their own. */
export async function startFleetStack(options: StackOptions = {}) {
  const database = await createTestDatabase({ poolSize: 8 });
  const clock = createTestClock();
  const records = createRecords();
  const ca = await createRootCa({ commonName: 'test local CA' });
  const sealer = createSealer(randomBytes(32));
  const protocol = options.protocol ?? 1;
  const extension = options.extend?.({ relational: database.relational, clock }) ?? { mounts: [], deps: {} };
  const fleet = createFleet({
    ...silentFleet({ sealer, relational: database.relational, clock, ...records.deps }),
    grpcCa: ca.certPem,
    pin: spkiPin(ca.certPem),
    protocol,
    ...extension.deps,
  });
  await fleet.start();
  const tls = await createServerLeaf(ca, { hosts: ['127.0.0.1', 'localhost'] });
  const { http, grpc, httpPort, grpcPort } = await listen(fleet, tls, { clock, protocol, mounts: extension.mounts });
  const server = { port: httpPort, ca: ca.certPem };
  const mintToken = async (tenant: TenantId, input: TokenInput = {}) =>
    await fleet.createEnrolToken({ tenant, actor: { kind: 'system', id: 'test' } }, { uses: 1, expires_in_hours: 1, ...input });
  return {
    database,
    clock,
    audit: records.audit,
    copies: records.copies,
    ca: ca.certPem,
    fleet,
    grpc,
    http: server,
    address: `127.0.0.1:${grpcPort}`,
    mintToken,
    async addTenant(name: string): Promise<TenantId> {
      await createTenant(database.relational, { id: name, name });
      return parseTenantId(name);
    },
    async rootKeys(): Promise<KeyPair> {
      const [row] = await database.relational.directory<KeptKeys>('agent_root');
      if (!row) throw new Error('there is no root yet');
      return openKeys(sealer, row, 'agent-root-ca');
    },
    async tenantKeys(tenant: TenantId): Promise<KeyPair> {
      const [row] = await database.relational.withTenantSql(tenant, async (sql) => {
        return (await sql.query<KeptKeys>('SELECT cert_pem, key_sealed FROM agent_intermediates')).rows;
      });
      if (!row) throw new Error('the tenant has no authority yet');
      return openKeys(sealer, row, `agent-intermediate/${tenant}`);
    },
    /** Enrols a new device of the tenant and gives its identity and key. */
    async enrolDevice(tenant: TenantId, key?: DeviceKey): Promise<{ identity: IdentityAnswer; keyPem: string }> {
      const device = key ?? (await makeDeviceKey());
      const { token } = await mintToken(tenant);
      const body = { token, csr: device.csr, protocol, ...FACTS };
      const answer = await postJson(server, '/agent/v1/enroll', body);
      if (answer.status !== 200) throw new Error(`enrolment failed: ${JSON.stringify(answer.body)}`);
      return { identity: answer.body as unknown as IdentityAnswer, keyPem: device.keyPem };
    },
    async close(): Promise<void> {
      await grpc.close();
      await http.close();
      await fleet.close();
      await database.close();
    },
  };
}

export type FleetStack = Awaited<ReturnType<typeof startFleetStack>>;
