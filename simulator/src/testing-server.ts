import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A real control plane in a process of its own on a temporary data directory. */
export interface TestingServer {
  /** Where agents enrol. */
  url: string;
  dataDir: string;
  /** Runs one command of its command line; gives what it printed, throws with what it complained of. */
  svc(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

const SERVER = join(import.meta.dirname, '..', '..', 'server', 'src');
const FROM_SOURCE = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning'];
const START_LIMIT_MS = 120_000;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

async function runSvc(args: readonly string[], env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [...FROM_SOURCE, join(SERVER, 'svc.ts'), ...args], { env });
  let out = '';
  let faults = '';
  child.stdout.on('data', (part: Buffer) => {
    out += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    faults += part.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`svc ${args.slice(0, 2).join(' ')} ended with ${code}: ${faults}`);
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

/** Starts it from source, so that no build is needed. */
export async function startTestingServer(): Promise<TestingServer> {
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
  };
  const child = spawn(process.execPath, [...FROM_SOURCE, join(SERVER, 'main.ts')], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, dataDir: env.SVC_DATA_DIR, svc: (...args) => runSvc(args, env), stop };
}
