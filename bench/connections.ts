import { type ChildProcess, fork } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { agentStatus } from '@svc/contracts/agent/messages';
import { PROTOCOL_METADATA } from '@svc/contracts/agent/version';
import { uuidv7 } from 'uuidv7';
import { issueAgentLeaf } from '../server/src/crypto/index.ts';
import { makeStatus } from '../server/src/features/fleet/test-devices.ts';
import { startFleetStack } from '../server/src/features/fleet/test-stack.ts';

/** Many agents connect together, each a device of its own with a TLS session and a Fleet stream, and stay: what they cost the server. */
const { values } = parseArgs({ options: { connections: { type: 'string', default: '5000' } } });
const AT_ONCE = 100;

interface Order {
  address: string;
  ca: string;
  key: string;
  /** Of each device, with its intermediate; all have one key, which costs the server the same. */
  certs: string[];
}

type Stack = Awaited<ReturnType<typeof startFleetStack>>;

/** One connection with one open stream that has sent its status; resolves when the server answered with the policy. */
async function open({ address, ca, key }: Order, cert: string): Promise<void> {
  const session = connect(`https://${address}`, { ca, key, cert });
  const headers = {
    ':method': 'POST',
    ':path': '/svc.agent.v1.Fleet/Connect',
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  const stream = session.request({ ...headers, [PROTOCOL_METADATA]: '1' }, { endStream: false });
  const body = agentStatus.encode(makeStatus());
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(body.length, 1);
  stream.write(Buffer.concat([frame, body]));
  await once(stream, 'data');
}

async function runDevices(order: Order): Promise<void> {
  const left = [...order.certs];
  const worker = async () => {
    for (let cert = left.pop(); cert !== undefined; cert = left.pop()) await open(order, cert);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  process.send?.('open');
}

/** Enrols one device and makes the others after it, with certificates by the tenant's own authority. */
async function makeDevices(stack: Stack, count: number): Promise<Pick<Order, 'key' | 'certs'>> {
  const tenant = await stack.addTenant('bench');
  const { keyPem } = await stack.enrolDevice(tenant);
  const issuer = await stack.tenantKeys(tenant);
  const spki = createPublicKey(createPrivateKey(keyPem)).export({ type: 'spki', format: 'der' });
  const ids = Array.from({ length: count }, () => uuidv7());
  await stack.database.relational.withTenantSql(tenant, async (sql) => {
    await sql.query(
      `INSERT INTO agents (tenant_id, id, public_key, key_hash, ring, cert_not_after, protocol)
       SELECT current_setting('app.tenant_id'), id, $2, sha256(id::text::bytea), 'main', now(), 1 FROM unnest($1::uuid[]) id`,
      [ids, spki],
    );
  });
  const certs: string[] = [];
  for (const agentId of ids) {
    const { certPem } = await issueAgentLeaf(issuer, spki, { trustDomain: 'svc', tenant, agentId });
    certs.push(`${certPem.trim()}\n${issuer.certPem.trim()}\n`);
  }
  return { key: keyPem, certs };
}

/** Asks the database over and over, as people's requests do, until the function that it gives is called; that gives the slowest, ms. */
function keepAsking({ database }: Stack): () => Promise<number> {
  let asking = true;
  let slowest = 0;
  const asked = (async () => {
    while (asking) {
      const began = performance.now();
      await database.relational.directory('list_tenants');
      slowest = Math.max(slowest, performance.now() - began);
      await sleep(20);
    }
  })();
  return async () => {
    asking = false;
    await asked;
    return slowest;
  };
}

async function runServer(count: number): Promise<void> {
  const stack = await startFleetStack();
  const { key, certs } = await makeDevices(stack, count);
  const rssMb = () => process.memoryUsage().rss / 1e6;
  const [rssBefore, cpuBefore, from] = [rssMb(), process.cpuUsage(), performance.now()];
  const devices: ChildProcess = fork(import.meta.filename, ['--connections', '0'], { execArgv: process.execArgv });
  try {
    devices.send({ address: stack.address, ca: stack.ca, key, certs } satisfies Order);
    const stopAsking = keepAsking(stack);
    const [message] = (await once(devices, 'message')) as [string];
    const { user, system } = process.cpuUsage(cpuBefore);
    const tookS = (performance.now() - from) / 1000;
    const perConnection = ((rssMb() - rssBefore) * 1000) / count;
    const slowest = await stopAsking();
    process.stdout.write(
      `${stack.grpc.openStreams()} streams ${message} after ${tookS.toFixed(1)} s, ${((user + system) / 1000 / count).toFixed(2)} ms CPU and ` +
        `${perConnection.toFixed(0)} kB each, RSS ${rssMb().toFixed(0)} MB; ` +
        `a database query beside them took ${slowest.toFixed(0)} ms at most\n`,
    );
    if (stack.grpc.openStreams() !== count) process.exitCode = 1;
  } finally {
    devices.kill('SIGKILL');
    await stack.close();
  }
}

if (values.connections === '0') {
  process.once('message', (order) => {
    runDevices(order as Order).catch((error: unknown) => {
      process.send?.(`failed: ${error instanceof Error ? error.message : String(error)}`);
    });
  });
} else await runServer(Number(values.connections));
