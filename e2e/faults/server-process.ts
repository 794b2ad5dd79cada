import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@svc/testkit/free-port';
import { nodeFlags } from '../../server/bin/node-flags.js';
import { cleanEnv, root } from '../env.ts';
import { ensureServerBuilt, serverProgram, svcProgram } from './built-programs.ts';

const READY_LIMIT_MS = 150_000;

/** One installation: its data directory and the ports at which every start of it listens. */
export interface Installation {
  dataDir: string;
  http: number;
  grpc: number;
  /** Settings beside those of directory and ports. */
  env: Record<string, string>;
  /** The server to run; default the checkout's own build. */
  program?: string;
}

/** What a program wrote and how it ended. */
export interface Ran {
  child: ChildProcess;
  pid: number;
  output(): string;
  /** Exit code, or the name of the signal. */
  exited: Promise<number | string>;
}

export interface RunningServer extends Ran {
  url: string;
  /** Milliseconds from spawn to ready. */
  readyMs: number;
  enrollToken: string;
  notes: readonly string[];
}

export interface Answer {
  status: number;
  body: string;
}

export async function newInstallation(env: Record<string, string> = {}): Promise<Installation> {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'svc-faults-')), 'data');
  return { dataDir, http: await freePort(), grpc: await freePort(), env };
}

export const removeInstallation = ({ dataDir }: Installation): void =>
  rmSync(join(dataDir, '..'), { recursive: true, force: true });

const settingsOf = ({ dataDir, http, grpc, env }: Installation): NodeJS.ProcessEnv =>
  cleanEnv({
    NODE_ENV: '',
    SVC_DATA_DIR: dataDir,
    SVC_LISTEN_ADDR: `127.0.0.1:${http}`,
    SVC_AGENT_GRPC_ADDR: `127.0.0.1:${grpc}`,
    SVC_PUBLIC_URL: `https://localhost:${http}`,
    SVC_AGENT_PUBLIC_ADDR: `localhost:${grpc}`,
    SVC_API_RATE_PER_MIN: '0',
    SVC_DRAIN_GRACE_SECONDS: '0',
    ...env,
  });

const started = new Set<ChildProcess>();

const WITH_CHANNEL: StdioOptions = ['ignore', 'pipe', 'pipe', 'ipc'];

interface How {
  env: NodeJS.ProcessEnv;
  stdio?: StdioOptions;
}

function run(program: string, args: readonly string[], { env, stdio = WITH_CHANNEL }: How): Ran {
  const child = spawn(process.execPath, [...nodeFlags, program, ...args], {
    cwd: root,
    env,
    stdio,
  });
  started.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-200_000);
    });
  }
  const exited = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      started.delete(child);
      resolve(signal ?? code ?? -1);
    });
  });
  return { child, pid: child.pid ?? 0, output: () => output, exited };
}

/** Starts the built server and lets it run into whatever waits for it. */
export async function runServer(installation: Installation): Promise<Ran> {
  await ensureServerBuilt();
  return run(installation.program ?? serverProgram, [], { env: settingsOf(installation) });
}

/** `svc serve` as an operator starts it: no parent is told what it prints for one. */
export async function serveAlone(installation: Installation): Promise<Ran> {
  await ensureServerBuilt();
  return run(svcProgram, ['serve'], { env: settingsOf(installation), stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Starts the built server; resolves when it says that it is ready, as `npm start` waits for it. */
export async function startServer(installation: Installation): Promise<RunningServer> {
  await ensureServerBuilt();
  const began = performance.now();
  const server = run(installation.program ?? serverProgram, [], { env: settingsOf(installation) });
  const limit = AbortSignal.timeout(READY_LIMIT_MS);
  const ready = await new Promise<{ enrollToken: string; notes: string[] }>((resolve, reject) => {
    server.child.on('message', (message) => {
      if (Reflect.get(Object(message), 'type') === 'ready') resolve(message as { enrollToken: string; notes: string[] });
    });
    server.exited.then((code) => reject(new Error(`the server ended with ${code}:\n${server.output().slice(-4000)}`)));
    limit.addEventListener('abort', () =>
      reject(new Error(`the server was not ready in time:\n${server.output().slice(-4000)}`)),
    );
  });
  return {
    ...server,
    url: `https://localhost:${installation.http}`,
    readyMs: performance.now() - began,
    enrollToken: ready.enrollToken,
    notes: ready.notes,
  };
}

/** A verb of `svc`, beside the running server; gives its standard output. */
export async function svc(installation: Installation, args: readonly string[]): Promise<string> {
  const verb = run(svcProgram, args, { env: settingsOf(installation) });
  const code = await verb.exited;
  if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}: ${verb.output()}`);
  return verb.output().trim();
}

export const makeApiToken = (installation: Installation): Promise<string> =>
  svc(installation, ['token', 'create', '--tenant', 'default', '--role', 'viewer']);

export const makeEnrolToken = (installation: Installation, uses: number): Promise<string> =>
  svc(installation, ['enroll-token', 'create', '--tenant', 'default', '--uses', String(uses), '--quiet']);

/** GET over HTTPS on a connection of its own, the server proven by its local authority. */
export const get = (installation: Installation, path: string, token?: string): Promise<Answer> =>
  ask(installation, path, { token });

/** The same with JSON in a POST. */
export const post = (installation: Installation, path: string, body: { token: string; json: object }): Promise<Answer> =>
  ask(installation, path, body);

function ask(
  installation: Installation,
  path: string,
  { token, json }: { token?: string | undefined; json?: object },
): Promise<Answer> {
  const ca = readFileSync(join(installation.dataDir, 'tls', 'ca.crt'));
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        servername: 'localhost',
        port: installation.http,
        path,
        ca,
        agent: false,
        timeout: 20_000,
        method: json ? 'POST' : 'GET',
        headers: {
          host: `localhost:${installation.http}`,
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(json ? { 'content-type': 'application/json' } : {}),
        },
      },
      (incoming) => {
        let body = '';
        incoming.on('data', (chunk: Buffer) => {
          body += chunk.toString();
        });
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body }));
        incoming.on('error', reject);
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer to ${path}`)));
    outgoing.on('error', reject);
    outgoing.end(json && JSON.stringify(json));
  });
}

/** Processes whose command line names the data directory: what a stopped server must not leave behind. */
export function findLeftovers({ dataDir }: Installation): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return words.includes(dataDir) ? [`${pid} ${words}`] : [];
      } catch {
        return [];
      }
    });
}

/** Process id of the embedded PostgreSQL. */
export const postmasterOf = ({ dataDir }: Installation): number =>
  Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);

export async function stopServer(server: Ran | undefined): Promise<number | string | undefined> {
  if (!server) return undefined;
  server.child.kill('SIGTERM');
  const limit = setTimeout(() => server.child.kill('SIGKILL'), 40_000);
  return await server.exited.finally(() => clearTimeout(limit));
}

/** For `afterAll`: ends what a failed test left running, then the PostgreSQL of a killed server, and removes the data. */
export async function cleanUp(installation: Installation): Promise<void> {
  for (const child of started) child.kill('SIGTERM');
  for (const end = Date.now() + 40_000; started.size > 0 && Date.now() < end; ) await sleep(50);
  for (const child of started) child.kill('SIGKILL');
  for (const leftover of findLeftovers(installation)) process.kill(Number.parseInt(leftover, 10), 'SIGINT');
  for (const end = Date.now() + 10_000; findLeftovers(installation).length > 0 && Date.now() < end; ) await sleep(50);
  removeInstallation(installation);
}
