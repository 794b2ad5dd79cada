import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Role } from '@svc/contracts/permissions';
import { ROLES } from '@svc/contracts/permissions';
import type { Credentials } from '@svc/desktop-agent/headless';
import { freePort } from '@svc/testkit/free-port';
import { enrolDevice } from '../../faults/senders.ts';
import {
  findLeftovers,
  type Installation,
  newInstallation,
  type Ran,
  type RunningServer,
  removeInstallation,
  startServer,
  stopServer,
  svc,
} from '../../faults/server-process.ts';
import { type Answer, ask, type Door, type Request } from './ask.ts';
import { type Browser, openBrowser, openLink } from './browser.ts';

/** One tenant with all that it is given by documented means. */
export interface Side {
  tenant: string;
  admin: { email: string; password: string; browser: Browser };
  /** An API token of each role. */
  tokens: Record<Role, string>;
  otlpToken: string;
  device: Credentials;
}

export interface Doors {
  https: Door;
  agents: Door;
  otlpGrpc: Door;
  otlpHttp: Door;
}

/** A started product with a victim and a hostile tenant. */
export interface Ground {
  installation: Installation;
  readonly server: RunningServer;
  readonly doors: Doors;
  victim: Side;
  hostile: Side;
  api(path: string, request?: Request): Promise<Answer>;
  trpc(procedure: string, input: object, request?: Request & { mutation?: boolean }): Promise<Answer>;
  svc(...args: string[]): Promise<string>;
  /** Stops it and starts it on the same data; with SIGKILL where `kill` is set. */
  restart(options?: { kill?: boolean }): Promise<void>;
  close(): Promise<void>;
}

/** Nothing listens there and no other attack is about them; synthetic tests may go there. */
export const DEAD_ADDRESSES = ['127.99.0.1', '127.99.0.2'] as const;

export const METRICS_TOKEN = 'metrics-token-of-the-attack-tests-0001';

let lastAddress = 1;
/** A loopback address that nobody else comes from: attempts are counted by address. */
export const ownAddress = (): string => {
  lastAddress += 1;
  return `127.0.${Math.floor(lastAddress / 250)}.${(lastAddress % 250) + 1}`;
};

async function settleSide(
  installation: Installation,
  tenant: string,
  door: Door,
): Promise<Omit<Side, 'device'> & { enrol: string }> {
  await svc(installation, ['tenant', 'create', tenant]);
  const link = (await svc(installation, ['admin-link', '--tenant', tenant])).split('\n')[0] ?? '';
  const browser = openBrowser(door, ownAddress());
  const person = { email: `admin@${tenant}.test`, password: `the long password of ${tenant}`, name: `Admin of ${tenant}` };
  const joined = await openLink(browser, link, person);
  if (joined.path !== '/')
    throw new Error(`the admin of ${tenant} did not get in: ${joined.status} ${joined.path} ${joined.body}`);
  const post = async <T>(path: string, json: object): Promise<T> => {
    const answer = await browser.visit(path, { json });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body) as T;
  };
  const tokens = {} as Record<Role, string>;
  for (const role of ROLES) tokens[role] = (await post<{ secret: string }>('/v1/tokens', { name: role, roles: [role] })).secret;
  const otlp = await post<{ token?: string; secret?: string }>('/v1/otlp/tokens', { name: 'sender' });
  const enrol = await post<{ token: string }>('/v1/enrol-tokens', { uses: 1000 });
  const otlpToken = otlp.token ?? otlp.secret ?? '';
  return { tenant, admin: { ...person, browser }, tokens, otlpToken, enrol: enrol.token };
}

/** Both are on the same partition of the bus, of 4 embedded ones and of 12 of Kafka: they share all that tenants can share. */
const TENANTS = ['acme', 'thief'] as const;

/** Ports of OTLP and the authority of its certificate, where that is not the installation's own. */
export interface OtlpDoors {
  grpc: number;
  http: number;
  ca?: Buffer;
}

/** An installation with every listener of the product, as it is delivered otherwise. */
export async function planInstallation(env: Record<string, string>): Promise<{ installation: Installation; otlp: OtlpDoors }> {
  const otlp = { grpc: await freePort(), http: await freePort() };
  const installation = await newInstallation({
    SVC_OTLP_GRPC_ADDR: `127.0.0.1:${otlp.grpc}`,
    SVC_OTLP_HTTP_ADDR: `127.0.0.1:${otlp.http}`,
    SVC_METRICS_TOKEN: METRICS_TOKEN,
    SVC_TARGETS_ALLOW: DEAD_ADDRESSES.join(','),
    // The bound is part of what is attacked.
    SVC_API_RATE_PER_MIN: '600',
    ...env,
  });
  return { installation, otlp };
}

export function doorsOf(installation: Installation, otlp: OtlpDoors): Doors {
  const ca = readFileSync(join(installation.dataDir, 'tls', 'ca.crt'));
  return {
    https: { port: installation.http, ca },
    agents: { port: installation.grpc, ca },
    otlpGrpc: { port: otlp.grpc, ca: otlp.ca ?? ca },
    otlpHttp: { port: otlp.http, ca: otlp.ca ?? ca },
  };
}

/** Starts the built server and settles both tenants in it. */
export async function startGround(env: Record<string, string> = {}): Promise<Ground> {
  const { installation, otlp } = await planInstallation(env);
  return await openGround(installation, otlp);
}

async function settleSides(installation: Installation, server: RunningServer, door: Door): Promise<Side[]> {
  const sides = await Promise.all(TENANTS.map((tenant) => settleSide(installation, tenant, door)));
  return await Promise.all(
    sides.map(async ({ enrol, ...side }) => ({
      ...side,
      device: await enrolDevice(server.url, enrol, `device of ${side.tenant}`),
    })),
  );
}

/** Stops a server and removes what it kept; other servers of this process go on. */
export async function endInstallation(installation: Installation, server: Ran): Promise<void> {
  await stopServer(server);
  for (const leftover of findLeftovers(installation)) process.kill(Number.parseInt(leftover, 10), 'SIGINT');
  for (const end = Date.now() + 10_000; findLeftovers(installation).length > 0 && Date.now() < end; ) await sleep(50);
  removeInstallation(installation);
}

/** The same for an installation that was planned before. */
export async function openGround(installation: Installation, otlp: OtlpDoors): Promise<Ground> {
  let server = await startServer(installation);
  const close = () => endInstallation(installation, server);
  try {
    const doors = doorsOf(installation, otlp);
    const api: Ground['api'] = (path, request) => ask(doors.https, path, request);
    const [victim, hostile] = await settleSides(installation, server, doors.https);
    if (!victim || !hostile) throw new Error('a tenant is missing');
    return {
      installation,
      get server() {
        return server;
      },
      ...{ doors, victim, hostile, api, close },
      trpc: (procedure, input, { mutation = false, ...request } = {}) =>
        mutation
          ? api(`/trpc/${procedure}`, { ...request, json: input })
          : api(`/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`, request),
      svc: (...args) => svc(installation, args),
      async restart({ kill = false } = {}) {
        if (kill) {
          server.child.kill('SIGKILL');
          await server.exited;
        } else await stopServer(server);
        server = await startServer(installation);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
