import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clickHouseUnavailable, startClickHouse } from '@svc/testkit/clickhouse';
import { kafkaUnavailable, startKafka } from '@svc/testkit/kafka';
import { createRootCa, createServerLeaf } from '../../../server/src/crypto/index.ts';
import { createTestDatabase } from '../../../server/src/relational/test-database.ts';
import { type RunningServer, startServer, svc } from '../../faults/server-process.ts';
import { type Answer, ask, type Request } from './ask.ts';
import { type Doors, doorsOf, endInstallation, type Ground, openGround, planInstallation } from './ground.ts';

/** Two replicas on a real Kafka, PostgreSQL and ClickHouse server; the ground is the first of them. */
export interface Fleet {
  first: Ground;
  second: { server: RunningServer; doors: Doors; api(path: string, request?: Request): Promise<Answer> };
  /** A statement to its column store, as whoever runs that. */
  tellClickHouse(statement: string): Promise<void>;
}

/** Why no fleet can run here, in a sentence; undefined where it can. */
export const fleetUnavailable = (): string | undefined => kafkaUnavailable() ?? clickHouseUnavailable();

async function makeCertificate(folder: string): Promise<{ env: Record<string, string>; ca: Buffer }> {
  const ca = await createRootCa({ commonName: 'OTLP of the fleet' });
  const leaf = await createServerLeaf(ca, { hosts: ['localhost', '127.0.0.1'] });
  const [cert, key] = [join(folder, 'otlp.crt'), join(folder, 'otlp.key')];
  writeFileSync(cert, leaf.certPem);
  writeFileSync(key, leaf.keyPem, { mode: 0o600 });
  return { env: { SVC_OTLP_TLS_CERT_FILE: cert, SVC_OTLP_TLS_KEY_FILE: key }, ca: Buffer.from(ca.certPem) };
}

async function tell(url: string, statement: string): Promise<void> {
  const { origin, username, password } = new URL(url);
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const answer = await fetch(origin, { method: 'POST', body: statement, headers: { authorization } });
  if (!answer.ok) throw new Error(`ClickHouse: ${await answer.text()}`);
}

/** Started by the first attack that takes it; those after it find it as that one left it. */
let shared: Promise<Fleet> | undefined;
const ends: (() => Promise<unknown>)[] = [];

/** Ends the fleet, if there is one. */
export async function endFleet(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
  shared = undefined;
}

/** Gives the fleet to `work`; after an attack that succeeded, the next one gets a new fleet. */
export async function withFleet(work: (fleet: Fleet) => Promise<void>): Promise<void> {
  shared ??= startFleet();
  try {
    await work(await shared);
  } catch (error) {
    await endFleet();
    throw error;
  }
}

async function startFleet(): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-fleet-'));
  ends.push(async () => rmSync(folder, { recursive: true, force: true }));
  const kafka = await startKafka();
  ends.push(() => kafka.stop());
  const clickhouse = await startClickHouse();
  ends.push(() => clickhouse.stop());
  const database = await createTestDatabase();
  ends.push(() => database.close());
  const certificate = await makeCertificate(folder);
  const env = {
    ...certificate.env,
    SVC_KAFKA_BROKERS: kafka.brokers.join(','),
    SVC_CLICKHOUSE_URL: clickhouse.url,
    SVC_DATABASE_URL: database.appUrl,
    SVC_ENVELOPE_KEY: Buffer.alloc(32, 9).toString('base64'),
    SVC_OTLP_TOKENS: 'token-of-the-fleet-that-nobody-uses=default',
  };
  const one = await planInstallation(env);
  const two = await planInstallation({ ...env, SVC_PUBLIC_URL: `https://localhost:${one.installation.http}` });
  await svc({ ...one.installation, env: { ...one.installation.env, SVC_DATABASE_OWNER_URL: database.ownerUrl } }, ['migrate']);
  const first = await openGround(one.installation, { ...one.otlp, ca: certificate.ca });
  ends.push(() => first.close());
  const server = await startServer(two.installation);
  ends.push(() => endInstallation(two.installation, server));
  const doors = doorsOf(two.installation, { ...two.otlp, ca: certificate.ca });
  // Asked by the public name, as a load balancer in front of both hands requests on.
  const host = `localhost:${one.installation.http}`;
  const api = (path: string, request: Request = {}) =>
    ask(doors.https, path, { ...request, headers: { host, ...request.headers } });
  return { first, second: { server, doors, api }, tellClickHouse: (statement) => tell(clickhouse.url, statement) };
}
