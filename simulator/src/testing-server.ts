import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFlags } from '../../server/bin/node-flags.js';

/** A real control plane in a process of its own on a temporary data directory. */
export interface TestingServer {
  /** Where agents enrol. */
  url: string;
  dataDir: string;
  pid: number;
  /** Runs one command of its command line; gives what it printed, throws with what it complained of. */
  svc(...args: string[]): Promise<string>;
  /** Lets it drain and end; its data stay. */
  end(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

export interface TestingOptions {
  /** From server/dist instead of from source, which needs no build. */
  built?: boolean;
  env?: Record<string, string>;
}

const SERVER = join(import.meta.dirname, '..', '..', 'server');
const argvOf = (program: 'main' | 'svc', built: boolean | undefined): string[] =>
  built
    ? [...nodeFlags, join(SERVER, 'dist', `${program}.js`)]
    : ['--conditions=svc-source', '--disable-warning=ExperimentalWarning', join(SERVER, 'src', `${program}.ts`)];
const START_LIMIT_MS = 120_000;

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

async function runSvc(argv: readonly string[], env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, argv, { env });
  let out = '';
  let faults = '';
  child.stdout.on('data', (part: Buffer) => {
    out += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    faults += part.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${faults}`);
  return out.trim();
}

async function waitUntilReady(child: ChildProcess): Promise<void> {
  const ready = Promise.withResolvers<void>();
  child.on('message', (message: { type?: string }) => {
    if (message.type === 'ready') ready.resolve();
  });
  child.once('exit', (code) => ready.reject(new Error(`the server ended with ${code}`)));
  const limit = setTimeout(() => ready.reject(new Error('the server was not ready in time')), START_LIMIT_MS);
  try {
    await ready.promise;
  } finally {
    clearTimeout(limit);
  }
}

/** Starts it; rejects when it ends or is not ready within two minutes. */
export async function startTestingServer(options: TestingOptions = {}): Promise<TestingServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-simulator-'));
  const [port, grpcPort] = [await freePort(), await freePort()];
  const url = `https://localhost:${port}`;
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    SVC_DATA_DIR: join(dataDir, 'data'),
    SVC_LISTEN_ADDR: `127.0.0.1:${port}`,
    SVC_AGENT_GRPC_ADDR: `127.0.0.1:${grpcPort}`,
    SVC_AGENT_PUBLIC_ADDR: `localhost:${grpcPort}`,
    SVC_PUBLIC_URL: url,
    SVC_LOG_LEVEL: 'warn',
    SVC_DRAIN_GRACE_SECONDS: '0',
    ...options.env,
  };
  const child = spawn(process.execPath, argvOf('main', options.built), {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const stop = async (): Promise<void> => {
    await end();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(child);
  } catch (error) {
    await stop();
    throw error;
  }
  const svc = (...args: string[]) => runSvc([...argvOf('svc', options.built), ...args], env);
  return { url, dataDir: env.SVC_DATA_DIR, pid: child.pid ?? 0, svc, end, stop };
}
